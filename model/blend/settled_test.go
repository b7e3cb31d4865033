package blend

import (
	"bytes"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/judge"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/benchpages"
)

// settledHost returns a host that has marked and learned pages of the made-up site.
func settledHost(t *testing.T, pages int) *Host {
	t.Helper()
	d, err := New()
	if err != nil {
		t.Fatal(err)
	}
	h := d.newHost(model.Key{})
	for i := range pages {
		arrive(t, h, benchpages.MadePage(i), madeVisit(i))
	}
	return h
}

// arrive marks a page and learns it.
func arrive(t *testing.T, h *Host, src []byte, visit model.Visit) []page.Verdict {
	t.Helper()
	p, err := page.Parse(src, benchpages.ContentType)
	if err != nil {
		t.Fatal(err)
	}
	m := h.Mark(p, visit)
	visit.Reading = m.Reading
	h.Observe(p, visit)
	return m.Verdicts
}

func madeVisit(i int) model.Visit {
	site := benchpages.Site{Name: "made.example"}
	return model.Visit{URL: site.URL(i)}
}

// settlementOf returns what the table gives for a page.
func settlementOf(t *testing.T, h *Host, src []byte) *judge.Lookup {
	t.Helper()
	p, err := page.Parse(src, benchpages.ContentType)
	if err != nil {
		t.Fatal(err)
	}
	read := h.read(p, model.Visit{})
	return h.settle(h.remember(read, h.tree.KnowsReading(read.tree, model.Visit{})))
}

// Most blocks of a page like those before are not judged, with the same verdicts.
func TestSettledBlocksAreNotJudged(t *testing.T) {
	reusing, whole := settledHost(t, 20), settledHost(t, 20)
	blocks := 0
	for i := 20; i < 45; i++ {
		whole.settled.Forget()
		want, got := arrive(t, whole, benchpages.MadePage(i), madeVisit(i)), arrive(t, reusing, benchpages.MadePage(i), madeVisit(i))
		for b := range want {
			if want[b].Noise != got[b].Noise {
				t.Errorf("page %d, block %d: noise %v instead of %v", i, b, got[b].Noise, want[b].Noise)
			}
		}
		blocks += len(want)
	}
	s := reusing.Stats().Settled
	if s.Reused*2 < blocks || s.Agreed == 0 || s.Differed > 0 {
		t.Errorf("of %d blocks: %+v; want half of them reused, and some compared", blocks, s)
	}
	if s := whole.Stats().Settled; s.Reused > blocks/2 {
		t.Errorf("with an empty table: %+v", s)
	}
}

// About one page in settledCheck is judged whole, and always the same ones.
func TestSomePagesAreJudgedWhole(t *testing.T) {
	h := settledHost(t, 20)
	whole := 0
	for i := 100; i < 180; i++ {
		s := settlementOf(t, h, benchpages.MadePage(i))
		if again := settlementOf(t, h, benchpages.MadePage(i)); s.Whole != again.Whole {
			t.Errorf("page %d: %v, then %v", i, s.Whole, again.Whole)
		}
		if s.Whole {
			whole++
			if len(s.Settled) > 0 {
				t.Errorf("page %d: %d blocks are settled", i, len(s.Settled))
			}
		}
	}
	if whole < 1 || whole > 14 {
		t.Errorf("%d of 80 pages are judged whole", whole)
	}
}

// What looks different is judged whole: here the texts of the menu, at their old places.
func TestDifferentPagesAreJudgedWhole(t *testing.T) {
	h := settledHost(t, 30)
	for i := 100; i < 110; i++ {
		src := bytes.ReplaceAll(benchpages.MadePage(i), []byte(">Section "), []byte(">Rubric of "))
		if s := settlementOf(t, h, src); !s.Whole {
			t.Errorf("page %d is not", i)
		}
	}
}

// A page that comes again is judged by what other pages taught.
func TestLearnedPagesAreJudgedWhole(t *testing.T) {
	h := settledHost(t, 20)
	if s := settlementOf(t, h, benchpages.MadePage(7)); s != nil {
		t.Errorf("%d of its %d blocks are settled", len(s.Settled), len(s.Keys))
	}
}

func TestSettledBlocksAreForgottenOnMerging(t *testing.T) {
	h := settledHost(t, 20)
	if h.settled.Bytes() == 0 {
		t.Fatal("there are none")
	}
	if err := h.Merge(settledHost(t, 3)); err != nil {
		t.Fatal(err)
	}
	if n := h.settled.Bytes(); n > 0 {
		t.Errorf("%d bytes are left", n)
	}
}
