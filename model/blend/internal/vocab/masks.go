package vocab

import (
	"strings"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/page/runes"
)

// IsDigit reports whether c is a digit of ASCII.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// AppendMasked appends s with every run of digits replaced by one "0", so that counters, dates and numbered ids compare
// equal.
func AppendMasked(dst []byte, s string) []byte {
	from, in := 0, false
	for i := 0; i < len(s); {
		size, digit := 1, IsDigit(s[i])
		if s[i] >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			digit = runes.Of(r)&runes.Digit != 0
		}
		if digit {
			if !in {
				dst = append(append(dst, s[from:i]...), '0')
			}
			from = i + size
		}
		in = digit
		i += size
	}
	return append(dst, s[from:]...)
}

// MaskDigits is appendMasked for a string.
func MaskDigits(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return runes.Of(r)&runes.Digit != 0 }) < 0 {
		return s
	}
	return string(AppendMasked(nil, s))
}
