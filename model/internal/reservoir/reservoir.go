// Package reservoir stores records of the newest pages of a host, within hard bounds. It lets a method that was
// published for a batch of pages work on the stream of a proxy: the method fits to the stored pages, and fits again
// when enough of them have changed.
//
// The method defines the record. It consists of keyed hashes and numbers: no text, no URL.
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

// Page is a stored page.
type Page[T any] struct {
	// URL is the keyed hash of the page's URL.
	URL uint64
	// At is the time of the newest visit, in UTC and in whole seconds, like in an encoding. If the clock was set back
	// since the page before, it is one second after that page's time.
	At time.Time
	// Record is the record of the page. It must not be changed.
	Record T

	bytes int // as Records.Bytes reports, plus the overhead of the page
}

// Reservoir stores the newest pages of one host. Reading methods may run concurrently; Add, Merge and Fitted need
// exclusive access.
type Reservoir[T any] struct {
	base.Base
	records Records[T]
	// most is the maximum number of pages.
	most int

	// pages are sorted, the newest first.
	pages []Page[T]
	bytes int
	// changed counts the pages that were added or changed since the last Fitted.
	changed int
}

// Sizes in memory, without the records.
const (
	reservoirBytes = 512
	pageBytes      = 64
)

// New returns an empty reservoir for at most the given number of pages. A model that also stores a fit must leave room
// for it in the limits of the base.
func New[T any](b base.Base, most int, records Records[T]) *Reservoir[T] {
	return &Reservoir[T]{Base: b, records: records, most: most}
}

// State implements [base.State].
func (r *Reservoir[T]) State() *Reservoir[T] { return r }

// Add stores the record of the page of this visit and drops the oldest pages beyond the limits. A page that is stored
// already keeps the record of the later visit and counts once. A record that alone exceeds the limits is not stored.
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
// in between. Without this rule, pages learned while the clock ran ahead would stay the newest for years.
const clockSlack = time.Hour

// put adds p, or replaces the page of its URL if p is newer. A page that alone exceeds the limits is not added, because
// it would first evict all others.
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
	// Encodings order records of the same second, so that replicas agree.
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

// order sorts the newest first.
func order[T any](a, b Page[T]) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.URL, b.URL)) }

// Settle drops the oldest pages beyond the limits.
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
func (r *Reservoir[T]) MergeBody(other *Reservoir[T], _ base.Overlap) {
	for _, p := range other.pages {
		r.put(p)
	}
}

// All yields the stored pages, the newest first, and those of one second in the order of their URL hashes.
func (r *Reservoir[T]) All() iter.Seq[Page[T]] { return slices.Values(r.pages) }

// Get returns the page of this visit's URL, if it is stored.
func (r *Reservoir[T]) Get(v model.Visit) (p Page[T], ok bool) {
	i := r.find(r.URL(v))
	if i < 0 {
		return p, false
	}
	return r.pages[i], true
}

// Len is the number of stored pages.
func (r *Reservoir[T]) Len() int { return len(r.pages) }

// Stats describes the reservoir. Pages counts all distinct pages, stored or not. A page that returns after very many
// others counts again.
func (r *Reservoir[T]) Stats() model.Stats { return r.StatsOf(reservoirBytes + r.bytes) }

// Due reports whether it is time to fit again: at least this share of the stored pages (say, 0.1) was added or changed
// since the last call of [Reservoir.Fitted]. With a tenth, that is at each of the first ten pages, and then less and
// less often. Fits run where pages are learned, off the request path.
func (r *Reservoir[T]) Due(share float64) bool {
	return r.changed > 0 && float64(r.changed) >= share*float64(len(r.pages))
}

// Fitted says that a fit to all stored pages is done.
func (r *Reservoir[T]) Fitted() { r.changed = 0 }
