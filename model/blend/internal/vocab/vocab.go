// Package vocab has what the words in names and texts of pages mean: groups of class names, kinds of parts, and the
// log-odds of noise that were fitted with the weights. It reads no page but single elements.
package vocab

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/page"
)

// Vocabulary is groupWords in a form for look-up, together with the meaning of single names on the sites that the
// weights were fitted on. It is read-only.
type Vocabulary struct {
	exact, prefix map[string]NameSet
	// leaning is the log-odds that the text below an element of this name is noise. words and phrases are the same for
	// a text that contains this word or is this phrase, headingWords and headings for the text under such a heading.
	leaning, Words, Phrases, HeadingWords, Headings *lexicon
	// tags has the part of leaning that is about tags, without the "<".
	tags map[string]float32
}

// NewVocabulary returns a vocabulary for so many names of each mark.
func NewVocabulary(names map[byte]int) *Vocabulary {
	r := &Vocabulary{exact: map[string]NameSet{}, prefix: map[string]NameSet{}, tags: map[string]float32{}}
	for _, mark := range [...]byte{0, wordMark, phraseMark, headingWordMark, headingMark} {
		*r.marked(mark) = newLexicon(names[mark])
	}
	for g, words := range groupWords() {
		for _, w := range strings.Fields(words) {
			if p, ok := strings.CutSuffix(w, "*"); ok {
				r.prefix[p] |= 1 << g
			} else {
				r.exact[w] |= 1 << g
			}
		}
	}
	return r
}

// marked returns the names with a mark. The mark 0 stands for names without one.
func (r *Vocabulary) marked(mark byte) **lexicon {
	switch mark {
	case wordMark:
		return &r.Words
	case phraseMark:
		return &r.Phrases
	case headingMark:
		return &r.Headings
	case headingWordMark:
		return &r.HeadingWords
	}
	return &r.leaning
}

// MarkOf returns the mark of a name, or 0.
func MarkOf(name string) byte {
	switch name[0] {
	case wordMark, phraseMark, headingMark, headingWordMark:
		return name[0]
	}
	return 0
}

// Learn records the meaning of a name: its log-odds in 1/16.
func (r *Vocabulary) Learn(name string, sixteenths int8) {
	mark := MarkOf(name)
	if mark != 0 {
		name = name[1:]
	}
	(*r.marked(mark)).learn(name, sixteenths)
	if tag, ok := strings.CutPrefix(name, "<"); ok && mark == 0 {
		r.tags[tag] = float32(sixteenths) / 16
	}
}

// MaxPhrase is the most words of a text that is looked up as a whole ("read more").
const MaxPhrase = 6

// Words and phrases are fitted like names, with a mark before them that no name has.
const (
	wordMark   = '~'
	phraseMark = '='

	headingMark     = '#'
	headingWordMark = '^'
)

// TextNames returns the names for looking up the text of a block: its words, and the whole text if it is short.
func TextNames(text string) []string {
	return markedNames(text, wordMark, phraseMark)
}

// markedNames returns the words of a text with the mark word and, if it is short, the whole text with the mark phrase.
func markedNames(text string, word, phrase byte) []string {
	folded := strings.ToLower(text)
	var names []string
	for w := range page.Words(folded) {
		names = append(names, string(word)+w)
	}
	if len(names) <= MaxPhrase {
		names = append(names, string(phrase)+MaskDigits(folded))
	}
	return names
}

// Names returns the names for looking up an element: the parts of its class, id and role, and its tag with a "<".
func Names(p *page.Page, e page.ElementID) []string {
	names := []string{"<" + p.Elements[e].Name}
	for _, a := range p.Attrs(e) {
		if a.Key == "class" || a.Key == "id" || IsNaming(a.Key) {
			names = slices.AppendSeq(names, NameParts(a.Val))
		}
	}
	return names
}

// NameParts yields the parts of a class attribute or id, split at anything but letters and at capitals, in lower case.
func NameParts(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, afterLower := -1, false
		for i, c := range s {
			lower, upper := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z'
			letter := lower || upper
			if c >= utf8.RuneSelf {
				lower, upper, letter = unicode.IsLower(c), unicode.IsUpper(c), unicode.IsLetter(c)
			}
			if start >= 0 && (!letter || upper && afterLower) {
				if !yield(strings.ToLower(s[start:i])) {
					return
				}
				start = -1
			}
			if letter && start < 0 {
				start = i
			}
			afterLower = lower
		}
		if start >= 0 {
			yield(strings.ToLower(s[start:]))
		}
	}
}

// HeadingNames returns the names by which a heading is looked up for the blocks under it.
func HeadingNames(text string) []string {
	return markedNames(text, headingWordMark, headingMark)
}
