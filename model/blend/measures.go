package blend

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/memo"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/runes"
)

// measures are what follows from the text of a block alone. Templates bring the same texts on every page, so they are
// kept for the pages after: see [measurer].
type measures struct {
	size
	// text is the hash of the text in lower case, masked the same with masked digits.
	text, masked uint64
	// punct, stops, digits and upper count characters: punctuation, sentence ends, digits, capitals.
	punct, stops, digits, upper int32
	// leaning is the mean log-odds of noise of the words, phrase that of the whole text if it is short.
	leaning, phrase float32
	shape           textShape
	// colon is the position of the colon that ends the first words of the text, or 0: see readLabel.
	colon uint8
	// has are the words.
	has wordSet
}

// keptTexts is the most texts whose measures are kept, in about 3 MB.
const keptTexts = 1 << 15

// reader reads pages. Templates bring the same texts, names and links on every page, so it remembers what these gave.
// It is safe for concurrent use.
type reader struct {
	*vocabulary
	// texts, elems and links are the measures of texts, elements and links that pages had.
	texts *memo.Table[measures]
	elems *memo.Table[elemMeasures]
	links *memo.Table[linkMeasures]
	// measurers are those that are not in use.
	measurers sync.Pool
}

// newReader returns a reader that knows the words of a vocabulary, which may be nil.
func newReader(v *vocabulary) *reader {
	if v == nil {
		v = newVocabulary(nil)
	}
	return &reader{vocabulary: v, texts: memo.New[measures](keptTexts), elems: memo.New[elemMeasures](keptElems),
		links: memo.New[linkMeasures](keptLinks)}
}

// measurer measures the texts, elements and links of a page.
type measurer struct {
	*reader
	hash model.Hasher
	// salt keeps apart the measures for hosts whose hashes have different keys, and for readers who share nothing.
	salt uint64
	// buf and counters are working memory.
	buf      []byte
	counters [4]openTable[int32]
}

// measurer returns a measurer for hashes with a key, and what is remembered with a salt. The caller releases it after
// use.
func (r *reader) measurer(h model.Hasher, salt uint64) *measurer {
	m, ok := r.measurers.Get().(*measurer)
	if !ok {
		m = &measurer{reader: r}
	}
	m.hash, m.salt = h, h.Combine()^salt
	return m
}

// keptSlots is the most slots of a counter that are kept for the next page.
const keptSlots = 1 << 14

func (m *measurer) release() {
	for i := range m.counters {
		if cap(m.counters[i].slots) > keptSlots {
			return
		}
	}
	m.measurers.Put(m)
}

// counter returns the i-th counter, empty.
func (m *measurer) counter(i, keys int) *openTable[int32] {
	c := &m.counters[i]
	c.reset(keys)
	return c
}

// text returns the measures of a text.
func (m *measurer) text(t *blockText) measures {
	key := m.texts.Key(t.text, m.salt)
	got, ok := m.texts.Get(key)
	if !ok {
		got = m.newText(t)
		m.texts.Put(key, got)
	}
	return got
}

func (m *measurer) newText(t *blockText) (got measures) {
	got.blocks, got.colon = 1, uint8(colonIn(t.folded))
	for w := range page.Words(t.folded) {
		got.words++
		got.has.add(w)
		got.leaning += m.words.odds(w)
	}
	if got.words > 0 {
		got.leaning /= float32(got.words)
	}
	sums := sumChars(t.text)
	got.chars, got.punct, got.stops, got.digits, got.upper = sums.ink, sums.punct, sums.stops, sums.digits, sums.upper
	got.shape = shapeOf(t.text, &sums)
	got.text = m.hash.String(t.folded)
	got.masked = got.text
	m.buf = append(m.buf[:0], t.folded...)
	if got.digits > 0 {
		m.buf = appendMasked(m.buf[:0], t.folded)
		got.masked = m.hash.Bytes(m.buf)
	}
	if got.words <= maxPhrase {
		got.phrase = m.phrases.odds(string(m.buf))
	}
	return got
}

// charSums are sums over the characters of a text.
type charSums struct {
	// ink counts what is no white space, the others what their names say.
	ink, digits, upper, stops, punct int32
	shape                            textShape
	// any has the properties that at least one character has.
	any runes.Class
	// number says that there are only digits, punctuation and spaces.
	number bool
}

// charFacts are what one character adds to them.
type charFacts struct {
	ink, digit, upper, stop, punct uint8
	shape                          textShape
	class                          runes.Class
}

func sumChars(text string) charSums {
	sums := charSums{number: true}
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			sums.add(rune(c), &asciiFacts[c])
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		facts := factsOf(r)
		sums.add(r, &facts)
		i += size
	}
	return sums
}

func (s *charSums) add(r rune, f *charFacts) {
	s.ink += int32(f.ink)
	s.digits += int32(f.digit)
	s.upper += int32(f.upper)
	s.stops += int32(f.stop)
	s.punct += int32(f.punct)
	s.shape |= f.shape
	s.any |= f.class
	s.number = s.number && (r == ' ' || f.class&(runes.Digit|runes.Punct) != 0)
}

// asciiFacts are those of most characters.
//
//nolint:gochecknoglobals // it never changes
var asciiFacts = func() (facts [utf8.RuneSelf]charFacts) {
	for c := range facts {
		facts[c] = factsOf(rune(c))
	}
	return facts
}()

func factsOf(r rune) charFacts {
	c := runes.Of(r)
	f := charFacts{ink: 1, class: c, shape: shapeOfRune(r)}
	switch {
	case c&runes.Space != 0:
		f.ink = 0
	case c&runes.Digit != 0:
		f.digit = 1
	case c&runes.Upper != 0:
		f.upper = 1
	case isStop(r):
		f.stop, f.punct = 1, 1
	case c&runes.Punct != 0:
		f.punct = 1
	}
	return f
}

// isStop reports whether r ends sentences or clauses, in Western, Chinese, Japanese and Arabic writing.
func isStop(r rune) bool {
	switch r {
	case '.', '!', '?', ',', ';', '。', '！', '？', '，', '、', '；', '؟', '،', '…':
		return true
	}
	return false
}

// wordSet tells of a word that it is not in a set, or may be in it (a Bloom filter).
type wordSet [2]uint64

func (s *wordSet) add(w string) {
	i, bit := wordBit(w)
	s[i] |= bit
}

func (s *wordSet) mayHave(w string) bool {
	i, bit := wordBit(w)
	return s[i]&bit != 0
}

// meets reports whether a word may be in both sets.
func (s *wordSet) meets(o *wordSet) bool { return s[0]&o[0]|s[1]&o[1] != 0 }

// wordBit returns the bit of a word. Its length and three characters are enough to tell most words apart.
func wordBit(w string) (i int, bit uint64) {
	h := uint32(w[0])<<24 ^ uint32(w[len(w)/2])<<16 ^ uint32(w[len(w)-1])<<8 ^ uint32(len(w))
	h = h * 0x9e3779b1 >> 25
	return int(h >> 6), 1 << (h & 63)
}

// title is the title of a page.
type title struct {
	text string
	// words are its words in lower case, has the same for a quick look.
	words map[string]bool
	has   wordSet
}

func newTitle(text string) title {
	t := title{text: text, words: map[string]bool{}}
	for w := range page.Words(strings.ToLower(text)) {
		t.words[w] = true
		t.has.add(w)
	}
	return t
}

// share returns the share of the words of a text that are also in the title.
func (t *title) share(text *blockText, m *measures) float32 {
	if m.words == 0 || !t.has.meets(&m.has) {
		return 0
	}
	in := 0
	for w := range page.Words(text.folded) {
		if t.has.mayHave(w) && t.words[w] {
			in++
		}
	}
	return float32(in) / float32(m.words)
}
