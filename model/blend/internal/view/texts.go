package view

import (
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/runes"
)

// blockText is the text of a block as it is, and in lower case.
type blockText struct{ Text, Folded string }

// Masked returns the text in lower case with masked digits.
func (t *blockText) Masked() string { return vocab.MaskDigits(t.Folded) }

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
		texts[i].Text = all[from:end]
		buf = appendLower(buf, texts[i].Text)
		from, ends[i] = end, len(buf)
	}
	all, from = string(buf), 0
	for i, end := range ends {
		texts[i].Folded = all[from:end]
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
