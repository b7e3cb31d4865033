// Package tally counts how often things occur on the pages of one host. It has a bounded table from keyed hashes to
// counts that learns page by page, merges, decays and encodes itself. A detector that only needs to know how often the
// site has shown a text is such a table and a rule.
package tally

import (
	"math"
	"sort"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/seen"
)

// Table counts occurrences. Reading methods may run concurrently; all others need exclusive access.
type Table struct {
	base.Base
	halveAt int

	counts map[uint64]uint32
	// pages is the number of pages that the counts stand for. It is halved with them.
	pages uint32
}

// New returns an empty table. halveAt is the number of pages at which all counts and the number of pages are halved, so
// that a page's weight halves every halveAt/2 pages. If it is not positive, they are never halved.
func New(b base.Base, halveAt int) *Table {
	return &Table{Base: b, halveAt: halveAt, counts: map[uint64]uint32{}}
}

// State implements [base.State].
func (t *Table) State() *Table { return t }

// Admit records a visit and reports whether its page must be learned, because its URL is new. If so, the caller adds
// the things on the page and calls [Table.Settle].
func (t *Table) Admit(v model.Visit) bool {
	if !t.Base.Admit(v) {
		return false
	}
	t.pages = plus(t.pages, 1)
	return true
}

// plus is a saturating addition.
func plus(a, b uint32) uint32 { return uint32(min(uint64(a)+uint64(b), math.MaxUint32)) }

// Pages is the number of pages that the counts stand for. Older pages count less.
func (t *Table) Pages() int { return int(t.pages) }

// Add adds n occurrences of a thing. A new thing is not counted if there is no room before the next Settle.
func (t *Table) Add(thing uint64, n uint32) {
	c, known := t.counts[thing]
	if known || len(t.counts) < t.most()*5/4 {
		t.counts[thing] = plus(c, n)
	}
}

// Count is the number of recorded occurrences of a thing.
func (t *Table) Count(thing uint64) int { return int(t.counts[thing]) }

// Len is the number of counted things.
func (t *Table) Len() int { return len(t.counts) }

// Prune drops the things that occurred at most the given number of times.
func (t *Table) Prune(rare int) {
	t.filter(func(c uint32) (uint32, bool) { return c, int(c) > rare })
}

// filter changes or drops counts. Maps do not shrink, so it makes a new one.
func (t *Table) filter(change func(uint32) (_ uint32, keep bool)) {
	kept := make(map[uint64]uint32)
	for h, c := range t.counts {
		if c, keep := change(c); keep {
			kept[h] = c
		}
	}
	t.counts = kept
}

// Settle implements [base.State]: it applies decay and budget.
func (t *Table) Settle() {
	for t.halveAt > 0 && int(t.pages) >= t.halveAt {
		t.pages /= 2
		t.filter(func(c uint32) (uint32, bool) { return c / 2, c > 1 })
	}
	if len(t.counts) > t.most() {
		t.evict(t.most() * 3 / 4) // leave room, so that the next page does not evict again
	}
}

// evict keeps only the most frequent things, at most the given number.
func (t *Table) evict(most int) {
	kept := make(map[uint64]uint32)
	for _, e := range t.byCount()[:min(most, len(t.counts))] {
		kept[e.hash] = e.count
	}
	t.counts = kept
}

type entry struct {
	hash  uint64
	count uint32
}

// byCount lists the entries, the most frequent first. The order of equals is arbitrary but constant.
func (t *Table) byCount() []entry {
	all := make([]entry, 0, len(t.counts))
	for h, c := range t.counts {
		all = append(all, entry{h, c})
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		return a.count > b.count || a.count == b.count && a.hash < b.hash
	})
	return all
}

// Merge adds the counts of other; see [base.Merge] and [base.Overlap].
func (t *Table) Merge(other model.Host) error { return base.Merge(t, other) }

// MergeBody implements [base.State].
func (t *Table) MergeBody(other *Table, pages base.Overlap) {
	switch pages {
	case base.Known:
		return
	case base.Covered:
		t.counts, t.pages = map[uint64]uint32{}, 0
	case base.Partial:
	}
	for h, c := range other.counts {
		t.counts[h] = plus(t.counts[h], c)
	}
	t.pages = plus(t.pages, other.pages)
}

// Stats describes the table.
func (t *Table) Stats() model.Stats { return t.StatsOf(tableBytes + len(t.counts)*entryBytes) }

// Sizes in memory. A map slot takes 17 bytes, and at least 7 of 16 slots are in use while the map grows.
const (
	entryBytes = 40
	tableBytes = 512
)

// most is the number of things that fit into the budget.
func (t *Table) most() int {
	memory := t.Limits().Memory
	return max((memory-tableBytes-seen.MaxPagesBytes(memory))/entryBytes, 1)
}
