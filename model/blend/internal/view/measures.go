package view

import (
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/runes"
)

// measures are what follows from the text of a block alone. Templates bring the same texts on every page, so they are
// kept for the pages after: see [Measurer].
type measures struct {
	Size
	// Text is the hash of the text in lower case, masked the same with masked digits.
	Text, Masked uint64
	// Punct, Stops, Digits and Upper count characters: punctuation, sentence ends, digits, capitals.
	Punct, Stops, Digits, Upper int32
	// WordOdds is the mean log-odds of noise of the words, phrase that of the whole text if it is short.
	WordOdds, PhraseOdds float32
	Shape                textShape
	// colon is the position of the colon that ends the first words of the text, or 0: see readLabel.
	colon uint8
	// has are the words.
	has wordSet
}

// keptTexts is the most texts whose measures are kept, in about 3 MB.
const keptTexts = 1 << 15

// text returns the measures of a text.
func (m *Measurer) text(t *blockText) measures {
	key := m.texts.Key(t.Text, m.salt)
	got, ok := m.texts.Get(key)
	if !ok {
		got = m.newText(t)
		m.texts.Put(key, got)
	}
	return got
}

func (m *Measurer) newText(t *blockText) (got measures) {
	got.Blocks, got.colon = 1, uint8(colonIn(t.Folded))
	m.words = m.words[:0]
	for w := range page.Words(t.Folded) {
		got.has.add(w)
		m.words = append(m.words, m.Words.Hash(w))
	}
	if got.Words = int32(len(m.words)); got.Words > 0 {
		got.WordOdds = m.Words.Sum(m.words) / float32(got.Words)
	}
	sums := sumChars(t.Text)
	got.Chars, got.Punct, got.Stops, got.Digits, got.Upper = sums.ink, sums.punct, sums.stops, sums.digits, sums.upper
	got.Shape = shapeOf(t.Text, &sums)
	got.Text = m.hash.String(t.Folded)
	got.Masked = got.Text
	m.buf = append(m.buf[:0], t.Folded...)
	if got.Digits > 0 {
		m.buf = vocab.AppendMasked(m.buf[:0], t.Folded)
		got.Masked = m.hash.Bytes(m.buf)
	}
	if got.Words <= vocab.MaxPhrase {
		got.PhraseOdds = m.Phrases.Odds(string(m.buf))
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
