package vocab

import (
	"strconv"
	"testing"
)

// A lexicon returns what it has learned of a word, however many fill it, and knows no other words.
func TestLexicon(t *testing.T) {
	for words := range 300 {
		l := newLexicon(words)
		for i := range words {
			l.learn(strconv.Itoa(i), 0)
			l.learn(strconv.Itoa(i), int8(i))
		}
		for i := range 2*words + 1 {
			odds, ok := l.Known(strconv.Itoa(i))
			if want := i < words; ok != want || want && odds != float32(int8(i))/16 || odds != l.Odds(strconv.Itoa(i)) {
				t.Fatalf("word %d of %d: %g, %t", i, words, odds, ok)
			}
		}
	}
}
