package styletree_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

func TestDetector(t *testing.T) {
	d := styletree.Detector{Options: exact()}
	if d.Name() != "sst" {
		t.Errorf("Name() = %q", d.Name())
	}
	h := d.New(testKey())
	for i, b := range site() {
		h.Observe(parse(t, b), visit(i))
	}
	b, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := d.Decode(testKey(), b)
	if err != nil {
		t.Fatal(err)
	}
	p := parse(t, site()[0])
	if diff := cmp.Diff(h.Mark(p, model.Visit{}), back.Mark(p, model.Visit{})); diff != "" {
		t.Errorf("the decoded model marks otherwise:\n%s", diff)
	}
	if h, err := d.Decode(testKey(), []byte("x")); !errors.Is(err, model.ErrFormat) || h != nil {
		t.Errorf("Decode of rubbish: %v, %v, want a nil model and ErrFormat", h, err)
	}
}

// All readers may run concurrently; the race detector watches.
func TestReadersSideBySide(t *testing.T) {
	tree := learned(t, exact(), site()...)
	p := parse(t, site()[0])
	want := len(learned(t, exact(), site()...).Mark(p, model.Visit{}).Marks)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := len(tree.Mark(p, model.Visit{}).Marks); got != want {
				t.Errorf("%d marks, want %d", got, want)
			}
			tree.Stats()
			outline(tree.Root())
			if _, err := tree.Encode(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestPartners(t *testing.T) {
	tree := learned(t, exact(), site()...)
	doc := `<ul class=menu><li><a href="/">Home</a><li><a href="/n">News</a></ul><div><b>new</b></div>` +
		`<p class=foot>All<script>1</script></p>`
	p := parse(t, doc)
	partners := tree.Partners(p, nil)
	if len(partners) != len(p.Elements) {
		t.Fatalf("%d partners of %d elements", len(partners), len(p.Elements))
	}
	unseen := styletree.Partner{Importance: -1, Verdict: styletree.Unseen}
	for _, tt := range []struct {
		name string
		want func(styletree.Partner) bool
	}{
		{"html", func(p styletree.Partner) bool { return p == unseen }},
		{"body", func(p styletree.Partner) bool { return p.Pages == 4 && p.Styles == 1 && p.Verdict == styletree.Mixed }},
		{"ul", func(p styletree.Partner) bool {
			return p.Pages == 4 && p.Importance == 0 && p.Verdict == styletree.Noisy
		}},
		{"b", func(p styletree.Partner) bool { return p == unseen }},
		{"script", func(p styletree.Partner) bool { return p == unseen }},
	} {
		e := slices.IndexFunc(p.Elements, func(el page.Element) bool { return el.Name == tt.name })
		if !tt.want(partners[e]) {
			t.Errorf("%s: %+v", tt.name, partners[e])
		}
	}
}

func TestPartnersReusesTheSlice(t *testing.T) {
	tree := learned(t, exact(), site()...)
	big, small := parse(t, site()[0]), parse(t, `<p>x`)
	dst := tree.Partners(big, nil)
	again := tree.Partners(small, dst)
	if &again[0] != &dst[0] || len(again) != len(small.Elements) {
		t.Error("a slice that is large enough was not used")
	}
	if diff := cmp.Diff(tree.Partners(small, nil), again); diff != "" {
		t.Errorf("what was in the slice shows:\n%s", diff)
	}
}
