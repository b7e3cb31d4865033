package view

import (
	"slices"
	"sync"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/internal/memo"
	"github.com/winnow-proxy/winnow/model/page"
)

// Reader reads pages. Templates bring the same texts, names and links on every page, so it remembers what these gave.
// It is safe for concurrent use.
type Reader struct {
	*vocab.Vocabulary
	// texts, elems and links are the measures of texts, elements and links that pages had.
	texts *memo.Table[measures]
	elems *memo.Table[elemMeasures]
	links *memo.Table[LinkMeasures]
	// measurers and pages are those that are not in use.
	measurers, pages sync.Pool
}

// NewReader returns a reader that knows the words of a vocabulary, which may be nil.
func NewReader(v *vocab.Vocabulary) *Reader {
	if v == nil {
		v = vocab.NewVocabulary(nil)
	}
	return &Reader{Vocabulary: v, texts: memo.New[measures](keptTexts), elems: memo.New[elemMeasures](keptElems),
		links: memo.New[LinkMeasures](keptLinks)}
}

// Measurer measures the texts, elements and links of a page.
type Measurer struct {
	*Reader
	hash model.Hasher
	// salt keeps apart the measures for hosts whose hashes have different keys, and for readers who share nothing.
	salt uint64
	// buf, words and counters are working memory.
	buf      []byte
	words    []uint64
	counters [4]hashes.Counter[int32]
	// bares are the elements without attributes of this page.
	bares [1 << bareBits]bareElement
}

// Measurer returns a measurer for hashes with a key, and what is remembered with a salt. The caller releases it after
// use.
func (r *Reader) Measurer(h model.Hasher, salt uint64) *Measurer {
	m, ok := r.measurers.Get().(*Measurer)
	if !ok {
		m = &Measurer{Reader: r}
	}
	m.hash, m.salt, m.bares = h, h.Combine()^salt, [1 << bareBits]bareElement{}
	return m
}

// keptSlots is the most slots of a counter that are kept for the next page, keptBytes the most bytes of text.
const (
	keptSlots = 1 << 14
	keptBytes = 1 << 17
)

// Release gives the measurer back.
func (m *Measurer) Release() {
	for i := range m.counters {
		if cap(m.counters[i].Slots) > keptSlots {
			return
		}
	}
	if cap(m.buf) <= keptBytes {
		m.measurers.Put(m)
	}
}

// Counter returns the i-th counter, empty.
func (m *Measurer) Counter(i, keys int) *hashes.Counter[int32] {
	c := &m.counters[i]
	c.Reset(keys)
	return c
}

// page returns a page to be read, with all of its parts zero.
func (r *Reader) page(p *page.Page) *Page {
	v, ok := r.pages.Get().(*Page)
	if !ok {
		v = &Page{}
	}
	*v = Page{
		Doc: p, Reader: r,
		Texts: zeros(v.Texts, len(p.Blocks)), Blocks: zeros(v.Blocks, len(p.Blocks)), Elements: zeros(v.Elements, len(p.Elements)),
		SectionOf: zeros(v.SectionOf, len(p.Blocks)), PlaceOf: zeros(v.PlaceOf, len(p.Blocks)), Listed: zeros(v.Listed, len(p.Elements)),
		ancestors: zeros(v.ancestors, 2*len(p.Blocks)),
		links:     v.links[:0], Sections: v.Sections[:0], Places: v.Places[:0], Lists: v.Lists[:0],
		Floats: v.Floats.empty(), Ints: v.Ints.empty(),
	}
	return v
}

// arena is memory that is given out in slices, which end with the page.
type arena[T any] struct {
	all  []T
	used int
}

// Take returns n zero values.
func (a *arena[T]) Take(n int) []T {
	if a.used+n > len(a.all) {
		a.all, a.used = make([]T, 2*len(a.all)+n), 0
	}
	s := a.all[a.used : a.used+n : a.used+n]
	a.used += n
	clear(s)
	return s
}

func (a *arena[T]) empty() arena[T] { return arena[T]{all: a.all} }

// zeros returns a slice of n zero values, in the memory of s if there is enough.
func zeros[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// keptElements is the most elements of a page whose memory is kept for another one.
const keptElements = 1 << 11

// Release gives the memory of the page to another one. Nobody may use the page afterwards.
func (v *Page) Release() {
	if r := v.Reader; cap(v.Elements) <= keptElements {
		clear(v.Texts) // which would hold the text of the page
		v.Doc, v.Title, v.At, v.declaration, v.Unseen = nil, title{}, address{}, nil, nil
		r.pages.Put(v)
	}
}
