package judge

import (
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
)

// comparedPage is a page of blocks that are settled as content. Of these, it shows some to be noise.
func comparedPage(blocks, noisy int) (*Settled, *Lookup) {
	t, s := &Settled{}, &Lookup{Whole: true}
	for i := range blocks {
		key := uint64(i)
		t.put(key, settledBlock{visits: settledVisits, margin: settledMargin})
		s.Keys, s.fresh, s.rows = append(s.Keys, key), append(s.fresh, false), append(s.rows, int32(i))
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
		{"the host looks different", 0, memory.RedesignShare + .1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, s := comparedPage(500, c.noisy)
			table.Learn(s, c.different)
			if table.Count.Agreed != 500-c.noisy || table.Count.Differed != c.noisy {
				t.Errorf("%d agreed and %d differed", table.Count.Agreed, table.Count.Differed)
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
	table.Learn(s, 0)
	for i := range s.Keys {
		b, _ := table.find(s.Keys[i])
		if b.isSettled(false) == s.noisy[i] {
			t.Errorf("block %d: noise %v, settled %v", i, s.noisy[i], b.isSettled(false))
		}
	}
}

// The table is bounded, and keeps what every page shows.
func TestSettledBlocksAreBounded(t *testing.T) {
	var table Settled
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
