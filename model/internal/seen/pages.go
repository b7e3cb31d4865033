package seen

import (
	"cmp"
	"encoding/binary"
	"time"

	"github.com/winnow-proxy/winnow/model/internal/codec"
)

// Pages remembers which pages of its host a model has learned, by keyed hashes of their URLs, how many they are, and
// the time of the latest visit. Methods that only read may run side by side; all others need it alone.
type Pages struct {
	urls Set[uint64]
	// forgotten is the number of learned pages whose URL is no longer in urls.
	forgotten int
	last      time.Time
}

const (
	urlBytes = 8
	// pagesShare: the recent part of the set takes at most a 96th of a model's memory, all of it three times that,
	// twice while it grows.
	pagesShare = 96
)

// NewPages returns the memory of a model that may take so many bytes in all; see [MaxPagesBytes].
func NewPages(memory int) Pages {
	return Pages{urls: New(memory/pagesShare/urlBytes, cmp.Compare[uint64])}
}

// MaxPagesBytes is the most bytes of a model's memory that are for its pages, a sixteenth.
func MaxPagesBytes(memory int) int { return memory * 6 / pagesShare }

// Saw notes the time of a visit, to the second, which is what an encoding keeps.
func (p *Pages) Saw(at time.Time) {
	if at = at.UTC().Truncate(time.Second); at.After(p.last) {
		p.last = at
	}
}

// Add remembers a page, and reports whether it is new.
func (p *Pages) Add(url uint64) bool {
	if p.urls.Has(url) {
		return false
	}
	p.forgotten += p.urls.Add(url)
	return true
}

// Has reports whether the page was learned. One that comes back after very many others is not known any more.
func (p *Pages) Has(url uint64) bool { return p.urls.Has(url) }

// Len is the number of distinct pages that were learned.
func (p *Pages) Len() int { return p.forgotten + p.urls.Len() }

// Last is the time of the latest visit, in UTC.
func (p *Pages) Last() time.Time { return p.last }

// Bytes is the size in memory.
func (p *Pages) Bytes() int { return p.urls.Cap() * urlBytes }

// Merge adds what other remembers. A page that both have counts once.
func (p *Pages) Merge(other *Pages) {
	p.forgotten += other.forgotten + p.urls.Merge(&other.urls)
	p.Saw(other.last)
}

// Shrink forgets the older part of the URLs, or half of them where there is none, and reports whether there were any.
// What it changes is not shared with a copy that was made before.
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
