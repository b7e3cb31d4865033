package page

import (
	"bytes"

	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// costPerTag is the most memory of a tag or text in bytes: a node while the tree is built; afterwards an element and a
// text, an attribute and a block; and the same again for slices that have just grown.
const costPerTag = 720

// Cost estimates the peak memory of parsing src in bytes, including src. It is for a semaphore that bounds the memory
// of several pages. It takes about a microsecond for 100 kB and errs on the high side. A page beyond the bounds of
// [Parse] counts as the largest page within them.
func Cost(src []byte) int64 {
	return cost(int64(len(src)), int64(bytes.Count(src, []byte("<"))))
}

// MaxCost is the [Cost] of the most expensive page of n bytes.
func MaxCost(n int64) int64 { return cost(n, n) }

func cost(size, tags int64) int64 {
	return 4*size + costPerTag*min(tags, htmltree.MaxTokens)
}

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
	if f.fills() && mayFill(src) {
		return Cost(src) + f.writeCost(src)
	}
	return f.writeCost(src)
}

func (f Form) writeCost(src []byte) int64 {
	tags := markdownPerTag * min(int64(bytes.Count(src, []byte("<"))), htmltree.MaxTokens)
	size := int64(len(src))
	switch f.Mode {
	case ModeJSON:
		controls := 0
		for _, c := range src {
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
				controls++
			}
		}
		return jsonPerByte*size + jsonPerControl*int64(controls) + tags
	case ModeMarkdown:
		return plainPerByte*size + tags
	case ModeReader, ModeLite, ModeVintage, ModeText:
		return plainPerByte * size
	}
	return 0
}
