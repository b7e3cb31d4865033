package blend

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/runes"
)

// blockText is the text of a block as it is, in lower case, and in lower case with masked digits.
type blockText struct{ text, folded, masked string }

// textsOf returns the texts of all blocks. Those of a page are parts of three strings, because a string for each would
// be most of the allocations of marking.
func textsOf(p *page.Page) []blockText {
	texts, ends := make([]blockText, len(p.Blocks)), make([]int, len(p.Blocks))
	var buf []byte
	for _, form := range [...]struct {
		add func(dst []byte, i int) []byte
		of  func(t *blockText) *string
	}{
		{func(dst []byte, i int) []byte { return p.BlockText(dst, page.BlockID(i)) }, func(t *blockText) *string { return &t.text }},
		{func(dst []byte, i int) []byte { return appendLower(dst, texts[i].text) }, func(t *blockText) *string { return &t.folded }},
		{func(dst []byte, i int) []byte { return appendMasked(dst, texts[i].folded) }, func(t *blockText) *string { return &t.masked }},
	} {
		buf = buf[:0]
		for i := range texts {
			buf = form.add(buf, i)
			ends[i] = len(buf)
		}
		all, at := string(buf), 0
		for i, end := range ends {
			*form.of(&texts[i]) = all[at:end]
			at = end
		}
	}
	return texts
}

// appendLower appends s in lower case.
func appendLower(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		dst = utf8.AppendRune(dst, runes.Lower(r))
		i += size
	}
	return dst
}

// appendMasked appends s with every run of digits replaced by one "0", so that counters, dates and numbered ids compare
// equal.
func appendMasked(dst []byte, s string) []byte {
	in := false
	for i := 0; i < len(s); {
		size, digit := 1, isDigit(s[i])
		if s[i] >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			digit = runes.Of(r)&runes.Digit != 0
		}
		switch {
		case !digit:
			dst = append(dst, s[i:i+size]...)
		case !in:
			dst = append(dst, '0')
		}
		in = digit
		i += size
	}
	return dst
}

// maskDigits is appendMasked for a string.
func maskDigits(s string) string {
	if strings.IndexFunc(s, unicode.IsDigit) < 0 {
		return s
	}
	return string(appendMasked(nil, s))
}
