package view

import (
	"sync"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/internal/memo"
)

// Reader reads pages. Templates bring the same texts, names and links on every page, so it remembers what these gave.
// It is safe for concurrent use.
type Reader struct {
	*vocab.Vocabulary
	// texts, elems and links are the measures of texts, elements and links that pages had.
	texts *memo.Table[measures]
	elems *memo.Table[elemMeasures]
	links *memo.Table[LinkMeasures]
	// measurers are those that are not in use.
	measurers sync.Pool
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

// keptSlots is the most slots of a counter that are kept for the next page.
const keptSlots = 1 << 14

// Release gives the measurer back.
func (m *Measurer) Release() {
	for i := range m.counters {
		if cap(m.counters[i].Slots) > keptSlots {
			return
		}
	}
	m.measurers.Put(m)
}

// Counter returns the i-th counter, empty.
func (m *Measurer) Counter(i, keys int) *hashes.Counter[int32] {
	c := &m.counters[i]
	c.Reset(keys)
	return c
}
