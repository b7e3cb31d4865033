// Package reservoir keeps records of the newest pages of a host, within hard bounds. With it a method that was
// published for a batch of pages works on the stream that a proxy sees: it fits to the pages kept, and fits again once
// enough of them have changed.
//
// A record is the method's own and consists of keyed hashes and numbers: no text, no URL.
package reservoir

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/seen"
)

// Page is a page that is kept.
type Page[T any] struct {
	// URL is the keyed hash of the page's URL.
	URL uint64
	// At is the time of the newest visit, in UTC and to the second, which is what an encoding keeps; where the clock
	// was set back since the page before, a second after that page's.
	At time.Time
	// Record is the record of the page. It must not be changed.
	Record T

	bytes int // as Records.Bytes reports, with what the page itself takes
}

// Reservoir holds the newest pages of one host. Methods that only read may run side by side; Add, Merge and Fitted need
// the reservoir alone.
type Reservoir[T any] struct {
	base.Base
	records Records[T]
	// most is the most pages that are kept.
	most int

	// pages are sorted, the newest first.
	pages []Page[T]
	bytes int
	// changed counts the pages that were added or changed since the last Fitted.
	changed int
}

// Sizes in memory, beside the records.
const (
	reservoirBytes = 512
	pageBytes      = 64
)

// New returns a reservoir that holds no page and will keep the given number of pages at most. A model that holds a fit
// beside it leaves room for that in the limits of the base.
func New[T any](b base.Base, most int, records Records[T]) *Reservoir[T] {
	return &Reservoir[T]{Base: b, records: records, most: most}
}

// State implements [base.State].
func (r *Reservoir[T]) State() *Reservoir[T] { return r }

// Add keeps the record of the page of this visit, and drops the oldest pages that are over the limits. If the page is
// kept already, the record of the later visit stays, and the page counts once. A record that is larger than the limits
// by itself is not kept.
func (r *Reservoir[T]) Add(v model.Visit, record T) {
	p := Page[T]{URL: r.URL(v), At: v.At.UTC().Truncate(time.Second), Record: record}
	p.bytes = pageBytes + r.records.Bytes(record)
	r.Admit(v)
	if len(r.pages) > 0 && r.pages[0].At.Sub(p.At) > clockSlack {
		p.At = r.pages[0].At.Add(time.Second)
	}
	r.put(p)
	r.Settle()
}

// clockSlack is how much older than the newest page a later page may be. If it is older still, the clock was set back
// in between: pages that were learned while the clock ran ahead would otherwise stay the newest for years.
const clockSlack = time.Hour

// put adds p, or replaces the page of its URL if p is newer. A page that is over the limits by itself is not added: it
// would evict all others first.
func (r *Reservoir[T]) put(p Page[T]) {
	if p.bytes > r.room() {
		return
	}
	old := r.find(p.URL)
	if old < 0 {
		r.insert(p)
		r.changed++
		return
	}
	was := r.pages[old]
	a, b := r.records.Append(nil, p.Record), r.records.Append(nil, was.Record)
	// Records of the same second are told apart by their encodings, so that replicas agree.
	if cmp.Or(p.At.Compare(was.At), bytes.Compare(a, b)) <= 0 {
		return
	}
	r.pages = slices.Delete(r.pages, old, old+1)
	r.bytes -= was.bytes
	r.insert(p)
	if !bytes.Equal(a, b) {
		r.changed++
	}
}

func (r *Reservoir[T]) find(url uint64) int {
	return slices.IndexFunc(r.pages, func(p Page[T]) bool { return p.URL == url })
}

func (r *Reservoir[T]) insert(p Page[T]) {
	i, _ := slices.BinarySearchFunc(r.pages, p, order)
	r.pages = slices.Insert(r.pages, i, p)
	r.bytes += p.bytes
}

// order puts the newest first.
func order[T any](a, b Page[T]) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.URL, b.URL)) }

// Settle drops the oldest pages that are over the limits.
func (r *Reservoir[T]) Settle() {
	for last := len(r.pages) - 1; last >= 0 && (last >= r.most || r.bytes > r.room()); last-- {
		r.bytes -= r.pages[last].bytes
		r.pages = slices.Delete(r.pages, last, last+1)
	}
}

// room is the number of bytes that the pages may take.
func (r *Reservoir[T]) room() int {
	memory := r.Limits().Memory
	return memory - seen.MaxPagesBytes(memory) - reservoirBytes
}

// Merge adds the pages of other; see [base.Merge].
func (r *Reservoir[T]) Merge(other model.Host) error { return base.Merge(r, other) }

// MergeBody implements [base.State].
func (r *Reservoir[T]) MergeBody(other *Reservoir[T]) {
	for _, p := range other.pages {
		r.put(p)
	}
}

// All yields the pages that are kept, the newest first and those of one second in the order of their URLs' hashes.
func (r *Reservoir[T]) All() iter.Seq[Page[T]] { return slices.Values(r.pages) }

// Get returns the page of this visit's URL, if it is kept.
func (r *Reservoir[T]) Get(v model.Visit) (p Page[T], ok bool) {
	i := r.find(r.URL(v))
	if i < 0 {
		return p, false
	}
	return r.pages[i], true
}

// Len is the number of pages that are kept.
func (r *Reservoir[T]) Len() int { return len(r.pages) }

// Stats describes the reservoir. Pages counts all distinct pages, kept or not; one that comes back after very many
// others counts again.
func (r *Reservoir[T]) Stats() model.Stats { return r.StatsOf(reservoirBytes + r.bytes) }

// Due reports whether it is time to fit again: at least this share of the pages kept (say, 0.1) were added or changed
// since [Reservoir.Fitted] was called. For a tenth that is at each of the first ten pages, and less and less often
// then. Fits run where pages are learned, which is off the request path.
func (r *Reservoir[T]) Due(share float64) bool {
	return r.changed > 0 && float64(r.changed) >= share*float64(len(r.pages))
}

// Fitted says that a fit to all pages kept is done.
func (r *Reservoir[T]) Fitted() { r.changed = 0 }
