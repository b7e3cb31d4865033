package page

import (
	"iter"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/page/runes"
)

// Words yields the words of s in order, in their original case. A word is a longest run of letters, numbers and
// underscores, which is what Python's \w+ matches. Scripts without spaces between words (Han, Hiragana, Katakana, Thai)
// would give one "word" per sentence, so a run of these yields its overlapping pairs of characters instead, and a
// single character by itself.
func Words(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(s); {
			class, size := classify(s[i:])
			if class == noWord {
				i += size
				continue
			}
			end := runEnd(s, i+size, class)
			if class == spaced {
				if !yield(s[i:end]) {
					return
				}
			} else if !yieldPairs(s[i:end], yield) {
				return
			}
			i = end
		}
	}
}

// runEnd returns the end of the run of characters of one class that continues at i.
func runEnd(s string, i int, class charClass) int {
	for i < len(s) {
		if c := s[i]; class == spaced && c < utf8.RuneSelf { // most are, which saves a look-up
			if asciiClass[c] != spaced {
				return i
			}
			i++
			continue
		}
		next, size := classify(s[i:])
		if next != class {
			return i
		}
		i += size
	}
	return i
}

// charClass says how a character takes part in words.
type charClass uint8

const (
	noWord   charClass = iota // in no word
	spaced                    // of a script with spaces between words
	unspaced                  // of a script without
)

// asciiClass has the class of each character of ASCII.
//
//nolint:gochecknoglobals // a constant table
var asciiClass = func() (classes [utf8.RuneSelf]charClass) {
	for c := range byte(utf8.RuneSelf) {
		if c == '_' || IsWordByte(c) {
			classes[c] = spaced
		}
	}
	return classes
}()

// classify returns the class and the length in bytes of the first character of s.
func classify(s string) (charClass, int) {
	if c := s[0]; c < utf8.RuneSelf {
		return asciiClass[c], 1
	}
	r, size := utf8.DecodeRuneInString(s)
	switch c := runes.Of(r); {
	case c&runes.Unspaced != 0:
		return unspaced, size
	case c&runes.Word != 0:
		return spaced, size
	}
	return noWord, size
}

// yieldPairs yields the words of a run of a script without spaces, and reports whether to go on.
func yieldPairs(run string, yield func(string) bool) bool {
	_, first := utf8.DecodeRuneInString(run)
	if first == len(run) {
		return yield(run)
	}
	for start, mid := 0, first; mid < len(run); {
		_, size := utf8.DecodeRuneInString(run[mid:])
		if !yield(run[start : mid+size]) {
			return false
		}
		start, mid = mid, mid+size
	}
	return true
}

// IsWordByte reports whether c is a letter or a digit of ASCII.
func IsWordByte(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }
