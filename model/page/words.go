package page

import (
	"iter"
	"unicode"
	"unicode/utf8"
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
	switch {
	case isUnspaced(r):
		return unspaced, size
	case unicode.IsLetter(r) || unicode.IsNumber(r):
		return spaced, size
	}
	return noWord, size
}

// isUnspaced reports whether r belongs to a script without spaces. The prolonged sound marks of Katakana count as
// Katakana, although Unicode files them under Common. Thai vowel signs and tone marks stay with their consonants.
func isUnspaced(r rune) bool {
	if r < 0x0e00 {
		return false
	}
	if r == 'ー' || r == 'ｰ' {
		return true
	}
	if !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
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
