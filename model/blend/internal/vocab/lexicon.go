package vocab

import (
	"hash/maphash"

	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
)

// lexicon has the log-odds of words. It keeps hashes with a random seed instead of the words: a page asks for each of
// its words, and a look-up in a map spends most of its time on the memory of keys. Two words have the same hash with a
// probability of 2^-64.
type lexicon struct {
	seed  maphash.Seed
	words hashes.Counter[float32]
}

// newLexicon returns a lexicon with room for the given number of words.
func newLexicon(words int) *lexicon {
	l := &lexicon{seed: maphash.MakeSeed()}
	l.words.Reset(words)
	return l
}

// Known returns the log-odds of a word, and whether it is known.
func (l *lexicon) Known(word string) (odds float32, ok bool) {
	return l.words.Get(maphash.String(l.seed, word))
}

// Odds returns the log-odds of a word, 0 if it is not known.
func (l *lexicon) Odds(word string) float32 {
	odds, _ := l.Known(word)
	return odds
}

// learn records the log-odds of a word.
func (l *lexicon) learn(word string, odds float32) { *l.words.Of(maphash.String(l.seed, word)) = odds }
