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

// readTexts fills in the texts of all blocks. Those of a page are parts of two strings, because a string for each would
// be most of the allocations of marking.
func (v *Page) readTexts(m *Measurer) {
	buf := m.buf[:0]
	for i := range v.Blocks {
		buf = v.Doc.BlockText(buf, page.BlockID(i))
		v.Blocks[i].textEnd = int32(len(buf))
	}
	all, from := string(buf), int32(0)
	buf = buf[:0]
	for i := range v.Blocks {
		end := v.Blocks[i].textEnd
		v.Texts[i].Text = all[from:end]
		buf = appendLower(buf, v.Texts[i].Text)
		from, v.Blocks[i].textEnd = end, int32(len(buf))
	}
	all, from = string(buf), 0
	for i := range v.Blocks {
		end := v.Blocks[i].textEnd
		v.Texts[i].Folded = all[from:end]
		from = end
	}
	m.buf = buf
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
