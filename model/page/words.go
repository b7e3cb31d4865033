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
			end := i + size
			for end < len(s) {
				if class == spaced && isWordByte(s[end]) { // most are, which saves a look-up
					end++
					continue
				}
				next, size := classify(s[end:])
				if next != class {
					break
				}
				end += size
			}
			if !yieldRun(s[i:end], class, yield) {
				return
			}
			i = end
		}
	}
}

// charClass says how a character takes part in words.
type charClass uint8

const (
	noWord   charClass = iota // in no word
	spaced                    // of a script with spaces between words
	unspaced                  // of a script without
)

// classify returns the class and the length in bytes of the first character of s.
func classify(s string) (charClass, int) {
	if c := s[0]; c < utf8.RuneSelf {
		if c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			return spaced, 1
		}
		return noWord, 1
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

// yieldRun yields the words of a run of one class and reports whether to go on.
func yieldRun(run string, class charClass, yield func(string) bool) bool {
	if class == spaced {
		return yield(run)
	}
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
