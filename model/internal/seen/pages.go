package seen

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"github.com/winnow-proxy/winnow/model/internal/codec"
)

// Pages records which pages of its host a model has learned, by keyed hashes of their URLs, how many they are, and the
// time of the latest visit. Reading methods may run concurrently; all others need exclusive access.
type Pages struct {
	urls Set[uint64]
	// forgotten is the number of learned pages whose URL is no longer in urls.
	forgotten int
	last      time.Time
}

const (
	urlBytes = 8
	// pagesShare sets the size of the set: its recent part takes at most a 96th of a model's memory, the whole set
	// three times that, and twice as much while it grows.
	pagesShare = 96
)

// NewPages returns an empty set for a model that may take the given number of bytes in all; see [MaxPagesBytes].
func NewPages(memory int) Pages {
	return Pages{urls: New(memory/pagesShare/urlBytes, cmp.Compare[uint64])}
}

// MaxPagesBytes is the most memory that a model's pages take, a sixteenth.
func MaxPagesBytes(memory int) int { return memory * 6 / pagesShare }

// Saw records the time of a visit, in whole seconds like in an encoding.
func (p *Pages) Saw(at time.Time) {
	if at = at.UTC().Truncate(time.Second); at.After(p.last) {
		p.last = at
	}
}

// Add records a page and reports whether it is new.
func (p *Pages) Add(url uint64) bool {
	if p.urls.Has(url) {
		return false
	}
	p.forgotten += p.urls.Add(url)
	return true
}

// Has reports whether the page was learned. A page that returns after very many others is not known any more.
func (p *Pages) Has(url uint64) bool { return p.urls.Has(url) }

// Len is the number of distinct learned pages.
func (p *Pages) Len() int { return p.forgotten + p.urls.Len() }

// Last is the time of the latest visit, in UTC.
func (p *Pages) Last() time.Time { return p.last }

// Bytes is the size in memory.
func (p *Pages) Bytes() int { return p.urls.Cap() * urlBytes }

// Covers reports whether every page of other is known here. It can't tell for a page whose URL other has forgotten.
func (p *Pages) Covers(other *Pages) bool {
	if other.forgotten > 0 {
		return false
	}
	unknown := func(url uint64) bool { return !p.urls.Has(url) }
	return !slices.ContainsFunc(other.urls.recent, unknown) && !slices.ContainsFunc(other.urls.older, unknown)
}

// Merge adds the pages of other. A page that both have counts once.
func (p *Pages) Merge(other *Pages) {
	p.forgotten += other.forgotten + p.urls.Merge(&other.urls)
	p.Saw(other.last)
}

// Shrink drops the older part of the URLs, or half of them where there is none, and reports whether there were any. It
// does not change the data of earlier copies.
func (p *Pages) Shrink() bool {
	if p.urls.Len() == 0 {
		return false
	}
	p.forgotten += p.urls.Shrink()
	return true
}

// Append appends an encoding:
//
//	time of the latest visit (unix seconds, signed varint; no visit as 0)
//	learned pages whose URL is forgotten (uvarint)
//	URL hashes: recent, then older: count, first hash, differences (uvarints)
func (p *Pages) Append(b []byte) []byte {
	b = codec.AppendTime(b, p.last)
	b = binary.AppendUvarint(b, uint64(p.forgotten))
	return codec.AppendAscending(codec.AppendAscending(b, p.urls.recent), p.urls.older)
}

// Read reads what [Pages.Append] wrote into p, which has learned nothing.
func (p *Pages) Read(r *codec.Reader) {
	p.last = r.Time()
	p.forgotten = r.Int()
	recent, older := codec.Ascending[uint64](r), codec.Ascending[uint64](r)
	p.forgotten += p.urls.Load(recent, older)
}
