// Package tally counts how often things turn up on the pages of one host: a bounded table from keyed hashes to counts
// that learns page by page, merges, forgets and encodes itself. Detectors that ask of a text nothing but "how often has
// the site shown this" are a table and a rule.
package tally

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
	"github.com/winnow-proxy/winnow/model/internal/seen"
)

// Config says what a table is for.
type Config struct {
	// Format is the frame of its encoding; What names the model in errors.
	Format codec.Format
	// HalveAt is the number of pages at which all counts and the number of pages are halved, so that a page's weight
	// halves every HalveAt/2 pages. 0: never.
	HalveAt int
	// Limits are the hard budgets of the table.
	Limits model.Limits
}

// Table counts occurrences. Methods that only read may run side by side; all others need the table alone.
type Table struct {
	cfg  Config
	key  model.Key
	hash model.Hasher

	counts map[uint64]uint32
	// pages is the number of pages that the counts stand for: it is halved with them.
	pages uint32

	learned seen.Pages
}

// New returns an empty table. Limits that are zero are the defaults.
func New(key model.Key, cfg Config) *Table {
	cfg.Limits = cfg.Limits.OrDefault()
	return &Table{
		cfg: cfg, key: key, hash: key.Hasher(), counts: map[uint64]uint32{},
		learned: seen.NewPages(cfg.Limits.Memory),
	}
}

// Hasher is the keyed hash function for what is counted.
func (t *Table) Hasher() model.Hasher { return t.hash }

// Visit notes a visit and reports whether its page is to be learned: not when its URL was learned before. When it is,
// the caller adds what is on the page, and calls [Table.Settle].
func (t *Table) Visit(v model.Visit) bool {
	t.learned.Saw(v.At)
	if !t.learned.Add(t.hash.String(v.URL)) {
		return false
	}
	t.pages = plus(t.pages, 1)
	return true
}

// plus adds up to the greatest value.
func plus(a, b uint32) uint32 { return uint32(min(uint64(a)+uint64(b), math.MaxUint32)) }

// Knows reports whether the page of this visit has been learned.
func (t *Table) Knows(v model.Visit) bool { return t.learned.Has(t.hash.String(v.URL)) }

// Pages is the number of pages that the counts stand for; older pages count for less.
func (t *Table) Pages() int { return int(t.pages) }

// Add adds n occurrences of a thing. Where there is no room before the next Settle, a thing that is new is not counted.
func (t *Table) Add(thing uint64, n uint32) {
	c, known := t.counts[thing]
	if known || len(t.counts) < t.most()*5/4 {
		t.counts[thing] = plus(c, n)
	}
}

// Count is the number of occurrences that are known of a thing.
func (t *Table) Count(thing uint64) int { return int(t.counts[thing]) }

// Len is the number of things that are counted.
func (t *Table) Len() int { return len(t.counts) }

// Prune drops the things that occurred at most the given number of times.
func (t *Table) Prune(rare int) {
	t.filter(func(c uint32) (uint32, bool) { return c, int(c) > rare })
}

// filter rewrites the counts, or drops them. Maps do not shrink, so it makes a new one.
func (t *Table) filter(change func(uint32) (_ uint32, keep bool)) {
	kept := make(map[uint64]uint32)
	for h, c := range t.counts {
		if c, keep := change(c); keep {
			kept[h] = c
		}
	}
	t.counts = kept
}

// Settle brings a table that has grown back to its rules: decay and budget.
func (t *Table) Settle() {
	for t.cfg.HalveAt > 0 && int(t.pages) >= t.cfg.HalveAt {
		t.pages /= 2
		t.filter(func(c uint32) (uint32, bool) { return c / 2, c > 1 })
	}
	if len(t.counts) > t.most() {
		t.evict(t.most() * 3 / 4) // so that the next page does not evict again
	}
}

// evict keeps the most frequent things alone, at most the given number of them.
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

// byCount lists the entries, the most frequent first; of equals any, but always the same.
func (t *Table) byCount() []entry {
	all := make([]entry, 0, len(t.counts))
	for h, c := range t.counts {
		all = append(all, entry{h, c})
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.hash, b.hash)) })
	return all
}

// Merge adds what other has counted; other is left as it was. It returns [model.ErrMismatch] (wrapped) for a table of
// another format or key. A page that both learned counts twice in the sums, once in [model.Stats].
func (t *Table) Merge(other *Table) error {
	if other.cfg.Format != t.cfg.Format || other.key != t.key {
		return fmt.Errorf("merging %ss: %w", t.cfg.Format.What, model.ErrMismatch)
	}
	for h, c := range other.counts {
		t.counts[h] = plus(t.counts[h], c)
	}
	t.pages = plus(t.pages, other.pages)
	t.learned.Merge(&other.learned)
	t.Settle()
	return nil
}

// Stats describes the table.
func (t *Table) Stats() model.Stats {
	return model.Stats{
		Pages:    t.learned.Len(),
		Bytes:    tableBytes + len(t.counts)*entryBytes + t.learned.Bytes(),
		LastSeen: t.learned.Last(),
	}
}

// Sizes in memory. A map's slot is 17 bytes, of which at least 7 in 16 are in use while it grows.
const (
	entryBytes = 40
	tableBytes = 512
)

// most is the number of things that the budget leaves room for.
func (t *Table) most() int {
	return max((t.cfg.Limits.Memory-tableBytes-seen.MaxPagesBytes(t.cfg.Limits.Memory))/entryBytes, 1)
}
