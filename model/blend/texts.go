package blend

import (
	"strings"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/runes"
)

// blockText is the text of a block as it is, and in lower case.
type blockText struct{ text, folded string }

// masked returns the text in lower case with masked digits.
func (t *blockText) masked() string { return maskDigits(t.folded) }

// textsOf returns the texts of all blocks. Those of a page are parts of two strings, because a string for each would be
// most of the allocations of marking.
func textsOf(p *page.Page) []blockText {
	texts, ends := make([]blockText, len(p.Blocks)), make([]int, len(p.Blocks))
	buf := make([]byte, 0, len(p.Source)/8) // the text of most pages
	for i := range texts {
		buf = p.BlockText(buf, page.BlockID(i))
		ends[i] = len(buf)
	}
	all, from := string(buf), 0
	buf = buf[:0]
	for i, end := range ends {
		texts[i].text = all[from:end]
		buf = appendLower(buf, texts[i].text)
		from, ends[i] = end, len(buf)
	}
	all, from = string(buf), 0
	for i, end := range ends {
		texts[i].folded = all[from:end]
		from = end
	}
	return texts
}

// appendLower appends s in lower case.
func appendLower(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		from := i
		for i < len(s) && s[i] < utf8.RuneSelf && !isUpper(s[i]) { // most characters
			i++
		}
		if dst = append(dst, s[from:i]...); i == len(s) {
			break
		}
		if isUpper(s[i]) {
			dst = append(dst, s[i]|0x20)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		dst = utf8.AppendRune(dst, runes.Lower(r))
		i += size
	}
	return dst
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// appendMasked appends s with every run of digits replaced by one "0", so that counters, dates and numbered ids compare
// equal.
func appendMasked(dst []byte, s string) []byte {
	from, in := 0, false
	for i := 0; i < len(s); {
		size, digit := 1, isDigit(s[i])
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

// maskDigits is appendMasked for a string.
func maskDigits(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return runes.Of(r)&runes.Digit != 0 }) < 0 {
		return s
	}
	return string(appendMasked(nil, s))
}
