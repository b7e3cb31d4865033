package styletree_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/modeltest"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// hostilePages generate pages that fill a tree. Each fills another part of it.
func hostilePages() map[string]func(rng *rand.Rand, n int) string {
	word := func(rng *rand.Rand) string { return fmt.Sprintf("w%x", rng.Uint64()) }
	return map[string]func(rng *rand.Rand, n int) string{
		"words": func(rng *rand.Rand, _ int) string {
			var b strings.Builder
			for range 5000 {
				b.WriteString(word(rng) + " ")
			}
			return b.String()
		},
		"leaves of words": func(rng *rand.Rand, _ int) string {
			var b strings.Builder
			for range 300 {
				b.WriteString("<p>" + word(rng) + " " + word(rng) + "</p>")
			}
			return b.String()
		},
		"sequences": func(rng *rand.Rand, _ int) string {
			var b strings.Builder
			for range 1000 {
				b.WriteString([]string{"<p>", "<hr>", "<h2>x</h2>", "<div><p></div>"}[rng.IntN(4)])
			}
			return b.String()
		},
		"classes": func(rng *rand.Rand, _ int) string {
			var b strings.Builder
			for range 500 {
				b.WriteString("<div class=" + strings.Map(letters, word(rng)) + ">x</div>")
			}
			return b.String()
		},
		"depth": func(rng *rand.Rand, _ int) string {
			var b strings.Builder
			for range 400 {
				b.WriteString([]string{"<div>", "<section>", "<div class=a>"}[rng.IntN(3)])
			}
			return b.String() + word(rng)
		},
		"one huge page": func(*rand.Rand, int) string {
			return strings.Repeat("<p>x<div>", 400) + strings.Repeat("<i>y</i>", 3000)
		},
		"small pages": func(_ *rand.Rand, n int) string { return fmt.Sprintf("<p>page%d</p>", n) },
	}
}

// letters turns digits into letters, which count in a class.
func letters(r rune) rune {
	if '0' <= r && r <= '9' {
		return r + 'g' - '0'
	}
	return r
}

func TestBudgetsHoldOnHostilePages(t *testing.T) {
	limits := model.Limits{Memory: 32 << 10, Encoded: 12 << 10}
	for name, generate := range hostilePages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, 2))
			tree := styletree.New(testKey(), styletree.Options{Limits: limits})
			for n := range 25 {
				tree.Observe(parse(t, generate(rng, n)), visit(n))
				checkBudget(t, tree, limits)
			}
		})
	}
}

// checkBudget fails unless the tree is within its limits.
func checkBudget(t fataler, tree *styletree.Tree, limits model.Limits) {
	t.Helper()
	if got := tree.Stats().Bytes; got > limits.Memory {
		t.Fatalf("%d bytes in memory, limit %d", got, limits.Memory)
	}
	b, err := tree.Encode()
	if err != nil || len(b) > limits.Encoded {
		t.Fatalf("%d bytes encoded (%v), limit %d", len(b), err, limits.Encoded)
	}
}

// Budgets hold and the tree keeps working after learning and merging in any order and within any limits.
func TestBudgetsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := model.Limits{Memory: rapid.IntRange(2<<10, 20<<10).Draw(t, "memory"), Encoded: 8 << 10}
		opts := styletree.Options{Limits: limits, MaxStyles: rapid.IntRange(1, 4).Draw(t, "styles"),
			DecayEvery: rapid.IntRange(2, 20).Draw(t, "decay")}
		a, b := styletree.New(testKey(), opts), styletree.New(testKey(), opts)
		for i, body := range bodies(1, 20).Draw(t, "pages") {
			p := parse(t, body)
			a.Observe(p, visit(i))
			checkBudget(t, a, limits)
			a.Mark(p, model.Visit{})
			if i%3 == 0 {
				b.Observe(p, visit(i))
			}
		}
		if err := a.Merge(copyOf(t, b, opts)); err != nil {
			t.Fatalf("Merge: %v", err)
		}
		checkBudget(t, a, limits)
	})
}

// The reported size of a tree is close to its size on the heap.
func TestBytesIsWhatTheHeapShows(t *testing.T) {
	generate := hostilePages()["leaves of words"]
	var pages []*page.Page
	for n := range 20 {
		pages = append(pages, parse(t, generate(rand.New(rand.NewPCG(uint64(n), 0)), n)))
	}
	modeltest.CheckSize(t, 20, .6, 1.2, func() *styletree.Tree {
		tree := styletree.New(testKey(), styletree.Options{Limits: model.Limits{Memory: 256 << 10}})
		for n, p := range pages {
			tree.Observe(p, visit(n))
		}
		tree.Mark(pages[0], model.Visit{})
		return tree
	})
}

// A site whose pages always bring new content makes the tree shrink again and again. Its template stays known.
func TestEvictionKeepsTheTemplate(t *testing.T) {
	opts := styletree.Options{Limits: model.Limits{Memory: 48 << 10}, DuplicateShare: -1}
	tree := styletree.New(testKey(), opts)
	rng := rand.New(rand.NewPCG(3, 4))
	doc := func() string {
		var text strings.Builder
		for range 300 {
			fmt.Fprintf(&text, "w%x ", rng.Uint64())
		}
		return `<ul><li>Home<li>News</ul><div><p>` + text.String() + `</div><p>All rights reserved`
	}
	for n := range 100 {
		tree.Observe(parse(t, doc()), visit(n))
	}
	checkBudget(t, tree, model.Limits{Memory: opts.Limits.Memory, Encoded: model.DefaultLimits().Encoded})
	p := parse(t, doc())
	if noise, content := marks(p, tree.Mark(p, model.Visit{})); len(noise) != 3 || len(content) != 1 {
		t.Errorf("noise %q and %d blocks of content, want the menu and the footer, and 1", noise, len(content))
	}
}
