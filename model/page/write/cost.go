package write

import (
	"bytes"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/fill"
	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// What writing takes in a form, in bytes for each byte of the page, for each of its tags, and for each control
// character, which is six bytes in JSON and stands there several times.
const (
	jsonPerByte, jsonPerControl = 16, 96
	plainPerByte                = 8
	markdownPerTag              = 400
)

// Cost estimates how many bytes of memory filling and writing the page src takes in this form, beside what parsing it
// took. Forms that leave the markup as it is take no more than parsing.
func (f Form) Cost(src []byte) int64 {
	if f.fills() && fill.May(src) {
		return page.Cost(src) + f.writeCost(src)
	}
	return f.writeCost(src)
}

func (f Form) writeCost(src []byte) int64 {
	tags := markdownPerTag * min(int64(bytes.Count(src, []byte("<"))), htmltree.MaxTokens)
	size := int64(len(src))
	switch f.Mode {
	case page.ModeJSON:
		controls := 0
		for _, c := range src {
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
				controls++
			}
		}
		return jsonPerByte*size + jsonPerControl*int64(controls) + tags
	case page.ModeMarkdown:
		return plainPerByte*size + tags
	case page.ModeReader, page.ModeLite, page.ModeVintage, page.ModeText:
		return plainPerByte * size
	}
	return 0
}
