package blend

import "hash/maphash"

// lexicon has the log-odds of words. It keeps hashes with a random seed instead of the words: a page asks for each of
// its words, and a look-up in a map spends most of its time on the memory of keys. Two words have the same hash with a
// probability of 2^-64.
type lexicon struct {
	seed maphash.Seed
	// slots are probed one after another from that of the hash on. The number of slots is a power of two.
	slots []lexiconSlot
	used  int
}

// lexiconSlot is free if the hash is 0.
type lexiconSlot struct {
	hash uint64
	odds float32
}

// newLexicon returns a lexicon with room for the given number of words.
func newLexicon(words int) *lexicon {
	slots := 8
	for slots < 2*words {
		slots *= 2
	}
	return &lexicon{seed: maphash.MakeSeed(), slots: make([]lexiconSlot, slots)}
}

// hash returns the hash of a word, never 0.
func (l *lexicon) hash(word string) uint64 { return max(maphash.String(l.seed, word), 1) }

// find returns the slot of a word, or the one that it would have.
func (l *lexicon) find(hash uint64) *lexiconSlot {
	for i := hash; ; i++ {
		if s := &l.slots[i&uint64(len(l.slots)-1)]; s.hash == hash || s.hash == 0 {
			return s
		}
	}
}

// odds returns the log-odds of a word, 0 if it is not known.
func (l *lexicon) odds(word string) float32 { return l.find(l.hash(word)).odds }

// known returns the log-odds of a word, and whether it is known.
func (l *lexicon) known(word string) (odds float32, ok bool) {
	s := l.find(l.hash(word))
	return s.odds, s.hash != 0
}

// learn records the log-odds of a word.
func (l *lexicon) learn(word string, odds float32) {
	if l.used*2 >= len(l.slots) {
		old := l.slots
		l.slots = make([]lexiconSlot, 2*len(old))
		for _, s := range old {
			if s.hash != 0 {
				*l.find(s.hash) = s
			}
		}
	}
	hash := l.hash(word)
	s := l.find(hash)
	if s.hash == 0 {
		l.used++
	}
	*s = lexiconSlot{hash, odds}
}
