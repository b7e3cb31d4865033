package vocab

import (
	"strconv"
	"testing"
)

// A lexicon returns what it has learned of a word, with or without room for it, and knows no other words.
func TestLexicon(t *testing.T) {
	const words = 1000
	for _, room := range []int{0, words} {
		l := newLexicon(room)
		for i := range words {
			l.learn(strconv.Itoa(i), 0)
			l.learn(strconv.Itoa(i), float32(i))
		}
		for i := range 2 * words {
			odds, ok := l.Known(strconv.Itoa(i))
			if want := i < words; ok != want || want && odds != float32(i) || odds != l.Odds(strconv.Itoa(i)) {
				t.Fatalf("word %d with room for %d: %g, %t", i, room, odds, ok)
			}
		}
		if l.words.Used != words {
			t.Errorf("%d words with room for %d", l.words.Used, room)
		}
	}
}
