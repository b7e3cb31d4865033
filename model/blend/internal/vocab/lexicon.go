package vocab

import (
	"hash/maphash"
	"math/bits"
)

// lexicon has the log-odds of words. It keeps hashes with a random seed instead of the words: a page asks for each of
// its words, most of them are not known, and the time goes into memory that is not near. So a slot has eight bytes: 56
// bits of the hash, which two words have in common with a probability of 2^-56, above the log-odds. A free one is 0.
type lexicon struct {
	seed maphash.Seed
	// slots are a power of two, at most three quarters of them in use, probed one after another from that of the hash on.
	slots []uint64
}

const oddsBits = 8

// newLexicon returns a lexicon for at most the given number of words.
func newLexicon(words int) *lexicon {
	return &lexicon{maphash.MakeSeed(), make([]uint64, 1<<bits.Len(uint(words+words/3)))}
}

// Hash returns the hash that the lexicon has for a word.
func (l *lexicon) Hash(word string) uint64 { return max(maphash.String(l.seed, word)>>oddsBits, 1) }

// slot returns the slot that a hash has or would have.
func (l *lexicon) slot(hash uint64) *uint64 {
	mask := uint64(len(l.slots) - 1)
	for i := hash; ; i++ {
		if s := &l.slots[i&mask]; *s == 0 || *s>>oddsBits == hash {
			return s
		}
	}
}

// Known returns the log-odds of a word, and whether it is known.
func (l *lexicon) Known(word string) (odds float32, ok bool) {
	s := l.slot(l.Hash(word))
	return float32(int8(*s)) / 16, *s != 0
}

// Odds returns the log-odds of a word, 0 if it is not known.
func (l *lexicon) Odds(word string) float32 {
	odds, _ := l.Known(word)
	return odds
}

// Sum returns the sum of the log-odds of words, given their hashes. That is faster than one after the other, because
// the processor waits for the memory of several at once.
func (l *lexicon) Sum(hashes []uint64) (odds float32) {
	for _, h := range hashes {
		odds += float32(int8(*l.slot(h))) / 16
	}
	return odds
}

// learn records the log-odds of a word in 1/16.
func (l *lexicon) learn(word string, sixteenths int8) {
	hash := l.Hash(word)
	*l.slot(hash) = hash<<oddsBits | uint64(uint8(sixteenths))
}
