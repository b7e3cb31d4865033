package blend

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
	"github.com/winnow-proxy/winnow/model/page"
	"pgregory.net/rapid"
)

func detector(t interface{ Fatal(...any) }) *Detector {
	d, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func visit(i int) model.Visit {
	return model.Visit{URL: fmt.Sprintf("http://host.example/%d", i), At: time.Unix(int64(1e9+i), 0)}
}

// taught is a host model that has learned the pages in order.
func taught(t interface{ Fatal(...any) }, d *Detector, pages ...int) *Host {
	h := d.newHost(model.Key{})
	for _, i := range pages {
		h.Observe(viewtest.Parse(t, viewtest.SitePage(i)), visit(i))
	}
	return h
}

// noisyText joins the texts of the noisy blocks.
func noisyText(p *page.Page, m *page.Marking) string {
	var b []byte
	for i, v := range m.Verdicts {
		if v.Noise {
			b = append(p.BlockText(b, page.BlockID(i)), '\n')
		}
	}
	return string(b)
}

func TestHostLearnsTheTemplate(t *testing.T) {
	h := taught(t, detector(t), 1, 2, 3, 4, 5)
	p := viewtest.Parse(t, viewtest.SitePage(9))
	m := h.Mark(p, visit(9))
	got := noisyText(p, m)
	for _, s := range []string{"About us", "belong to the people", "Imprint"} {
		if !strings.Contains(got, s) {
			t.Errorf("%q stays", s)
		}
	}
	if strings.Contains(got, "number 3 of 9") || strings.Contains(got, "Story 9") {
		t.Errorf("content goes: %q", got)
	}
	if m.Pages != 5 {
		t.Errorf("the marking rests on %d pages, want 5", m.Pages)
	}
	if got := h.Tree().Pages(); got != 5 {
		t.Errorf("the style tree has learned %d pages, want 5", got)
	}
}

func TestFirstPageKeepsItsArticle(t *testing.T) {
	p := viewtest.Parse(t, viewtest.SitePage(1))
	m := detector(t).New(model.Key{}).Mark(p, visit(1))
	if got := noisyText(p, m); strings.Contains(got, "number") {
		t.Errorf("content goes on the first page: %q", got)
	}
}

// A page that is fetched again must have the same marking as the first time, even if there are few other pages.
func TestAPageIsNoRepetitionOfItself(t *testing.T) {
	d := detector(t)
	for _, others := range [][]int{nil, {2}, {2, 3, 4}} {
		before, after := taught(t, d, others...), taught(t, d, others...)
		p := viewtest.Parse(t, viewtest.SitePage(1))
		want := noisyText(p, before.Mark(p, visit(1)))
		for range 50 {
			after.Observe(p, visit(1))
		}
		if got := noisyText(p, after.Mark(p, visit(1))); got != want {
			t.Errorf("after %d others, noise on the second visit is %q, on the first %q", len(others), got, want)
		}
		if got := noisyText(p, after.Mark(p, model.Visit{URL: "http://host.example/1?session=7"})); strings.Contains(got, "number") {
			t.Errorf("after %d others, content goes under another URL: %q", len(others), got)
		}
	}
}

func TestMergeAndEncode(t *testing.T) {
	d := detector(t)
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 30), 0, 4), 3, 3).Draw(t, "pages")
		for i := range parts { // no page in two parts
			for j := range parts[i] {
				parts[i][j] = parts[i][j]*3 + i
			}
		}
		model := func(i int) *Host { return taught(t, d, parts[i]...) }
		merge := func(a, b *Host) *Host {
			if err := a.Merge(b); err != nil {
				t.Fatal(err)
			}
			return a
		}
		encode := func(h *Host) string {
			b, err := h.Encode()
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		left := encode(merge(merge(model(0), model(1)), model(2)))
		if right := encode(merge(model(0), merge(model(1), model(2)))); left != right {
			t.Error("merging is not associative")
		}
		if turned := encode(merge(merge(model(2), model(0)), model(1))); left != turned {
			t.Error("merging is not commutative")
		}
		back, err := d.Decode(merge(model(0), model(1)).key, []byte(left))
		if err != nil {
			t.Fatal(err)
		}
		if encode(back.(*Host)) != left {
			t.Error("decoding does not give back what was encoded")
		}
	})
}

func TestMergeRefusesStrangers(t *testing.T) {
	d := detector(t)
	if err := d.newHost(model.Key{1}).Merge(d.newHost(model.Key{2})); !errors.Is(err, model.ErrMismatch) {
		t.Errorf("models of different keys: %v, want ErrMismatch", err)
	}
}

func TestBudgets(t *testing.T) {
	d := detector(t)
	d.limits = model.Limits{Memory: 96 << 10, Encoded: 24 << 10}
	h := d.newHost(model.Key{})
	for i := range 60 {
		var b strings.Builder
		for j := range 200 {
			fmt.Fprintf(&b, "<div id=x%dy%d><p>unheard of %d-%d</p></div>", i, j, i, j*i)
		}
		h.Observe(viewtest.Parse(t, "<title>"+fmt.Sprint(i)+"</title><body>"+b.String()), visit(i))
		if got := h.memory.Bytes(); got > h.memory.Budget {
			t.Fatalf("after %d pages the memory takes %d bytes, more than %d", i+1, got, h.memory.Budget)
		}
	}
	b, err := h.Encode()
	if err != nil || len(b) > d.limits.Encoded {
		t.Fatalf("the encoding takes %d bytes, more than %d: %v", len(b), d.limits.Encoded, err)
	}
	if _, err := d.Decode(model.Key{}, b); err != nil {
		t.Fatal(err)
	}
}

func TestEncodeSaysThatTheLimitIsTooLow(t *testing.T) {
	h := taught(t, detector(t), 1, 2)
	tree, err := h.tree.Encode()
	if err != nil {
		t.Fatal(err)
	}
	h.d.limits.Encoded = len(tree)
	if _, err := h.Encode(); err == nil || !strings.Contains(err.Error(), "raise it") {
		t.Errorf("a model without room for its memory: %v, want an error that says what to do", err)
	}
}

func FuzzDecode(f *testing.F) {
	d := detector(f)
	b, err := taught(f, d, 1, 2).Encode()
	if err != nil {
		f.Fatal(err)
	}
	const checksum = 8
	f.Add(b[format().Overhead()-checksum : len(b)-checksum])
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, b := range [][]byte{body, format().Seal(model.Key{}, body)} {
			h, err := d.Decode(model.Key{}, b)
			if err != nil {
				if !errors.Is(err, model.ErrFormat) {
					t.Fatalf("%v is not ErrFormat", err)
				}
				continue
			}
			h.Mark(viewtest.Parse(t, viewtest.SitePage(3)), visit(3))
			h.Observe(viewtest.Parse(t, viewtest.SitePage(4)), visit(4))
			if s := h.Stats(); s.Bytes > model.DefaultLimits().Memory {
				t.Fatalf("%d bytes in memory", s.Bytes)
			}
		}
	})
}

func BenchmarkMark(b *testing.B) {
	h := taught(b, detector(b), 1, 2, 3, 4, 5, 6, 7, 8)
	var body strings.Builder
	for i := range 16 {
		body.WriteString(viewtest.SitePage(i + 20))
	}
	p := viewtest.Parse(b, body.String())
	b.SetBytes(int64(len(p.Source)))
	for b.Loop() {
		h.Mark(p, visit(9))
	}
}
