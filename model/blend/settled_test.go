package blend

import (
	"bytes"
	"testing"

	"github.com/winnow-proxy/winnow/model"
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
	h.Observe(p, visit)
	return m.Verdicts
}

func madeVisit(i int) model.Visit {
	site := benchpages.Site{Name: "made.example"}
	return model.Visit{URL: site.URL(i)}
}

// settlementOf returns what the table gives for a page.
func settlementOf(t *testing.T, h *Host, src []byte) *settlement {
	t.Helper()
	p, err := page.Parse(src, benchpages.ContentType)
	if err != nil {
		t.Fatal(err)
	}
	read := h.read(p, "")
	return h.settle(h.remember(read, h.tree.KnowsReading(read.tree, model.Visit{})))
}

// Most blocks of a page like those before are not judged, with the same verdicts.
func TestSettledBlocksAreNotJudged(t *testing.T) {
	reusing, whole := settledHost(t, 20), settledHost(t, 20)
	blocks := 0
	for i := 20; i < 45; i++ {
		whole.settled.forget()
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
		if again := settlementOf(t, h, benchpages.MadePage(i)); s.whole != again.whole {
			t.Errorf("page %d: %v, then %v", i, s.whole, again.whole)
		}
		if s.whole {
			whole++
			if len(s.settled) > 0 {
				t.Errorf("page %d: %d blocks are settled", i, len(s.settled))
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
		if s := settlementOf(t, h, src); !s.whole {
			t.Errorf("page %d is not", i)
		}
	}
}

// A page that comes again is judged by what other pages taught.
func TestLearnedPagesAreJudgedWhole(t *testing.T) {
	h := settledHost(t, 20)
	if s := settlementOf(t, h, benchpages.MadePage(7)); s != nil {
		t.Errorf("%d of its %d blocks are settled", len(s.settled), len(s.keys))
	}
}

func TestSettledBlocksAreForgottenOnMerging(t *testing.T) {
	h := settledHost(t, 20)
	if len(h.settled.newer) == 0 {
		t.Fatal("there are none")
	}
	if err := h.Merge(settledHost(t, 3)); err != nil {
		t.Fatal(err)
	}
	if n := len(h.settled.newer) + len(h.settled.older); n > 0 {
		t.Errorf("%d are left", n)
	}
}

// comparedPage is a page of blocks that are settled as content. Of these, it shows some to be noise.
func comparedPage(blocks, noisy int) (*settledTable, *settlement) {
	t, s := &settledTable{}, &settlement{whole: true}
	for i := range blocks {
		key := uint64(i)
		t.put(key, settledBlock{visits: settledVisits, margin: settledMargin})
		s.keys, s.fresh, s.rows = append(s.keys, key), append(s.fresh, false), append(s.rows, int32(i))
		s.noisy, s.odds = append(s.noisy, i < noisy), append(s.odds, -5)
	}
	s.found[0] = [2][]float32{s.odds, s.odds}
	return t, s
}

func TestSettledBlocksAreForgottenInDoubt(t *testing.T) {
	for _, c := range []struct {
		name      string
		noisy     int
		different float32
		forgotten bool
	}{
		{"no block differs", 0, 0, false},
		{"one block differs", 1, 0, false},
		{"two blocks of 500 differ", 2, 0, true},
		{"the host looks different", 0, upheaval + .1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, s := comparedPage(500, c.noisy)
			table.learn(s, c.different)
			if table.count.Agreed != 500-c.noisy || table.count.Differed != c.noisy {
				t.Errorf("%d agreed and %d differed", table.count.Agreed, table.count.Differed)
			}
			if forgotten := len(table.newer) == 0; forgotten != c.forgotten {
				t.Errorf("forgotten: %v", forgotten)
			}
		})
	}
}

// A block whose verdict changes is judged again until it is settled anew.
func TestOtherVerdictsSettleAnew(t *testing.T) {
	table, s := comparedPage(5, 1)
	table.learn(s, 0)
	for i := range s.keys {
		b, _ := table.find(s.keys[i])
		if b.isSettled(false) == s.noisy[i] {
			t.Errorf("block %d: noise %v, settled %v", i, s.noisy[i], b.isSettled(false))
		}
	}
}

// The table is bounded, and keeps what every page shows.
func TestSettledBlocksAreBounded(t *testing.T) {
	var table settledTable
	for i := range 10 * settledKept {
		table.put(uint64(1+i), settledBlock{})
		if i%100 == 0 {
			table.put(0, settledBlock{visits: 1})
		}
	}
	if n := len(table.newer) + len(table.older); n > 2*settledKept {
		t.Errorf("it has %d blocks", n)
	}
	if b, _ := table.find(0); b.visits != 1 {
		t.Error("it has lost the block of every page")
	}
}
