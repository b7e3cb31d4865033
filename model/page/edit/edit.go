// Package edit changes bytes by replacing ranges of them.
package edit

// Edit replaces the bytes [Start, End) of a page by Insert.
type Edit struct {
	Start, End int32
	Insert     string
}

// Edits say how an output differs from the page that it was written from, in page order. They have offsets and inserted
// markup: winnow's own attributes and elements, and end tags. They have no text of the page.
type Edits []Edit

// Apply returns src after the edits, which must be those of a page with exactly these bytes.
func (e Edits) Apply(src []byte) []byte {
	out := make([]byte, 0, e.Size(src))
	at := int32(0)
	for i := range e {
		out = append(out, src[at:e[i].Start]...)
		out = append(out, e[i].Insert...)
		at = e[i].End
	}
	return append(out, src[at:]...)
}

// Size is the size of src after the edits.
func (e Edits) Size(src []byte) int {
	size := len(src)
	for i := range e {
		size += len(e[i].Insert) - int(e[i].End-e[i].Start)
	}
	return size
}

// Bytes is the approximate memory of the edits.
func (e Edits) Bytes() int {
	const each = 24
	n := each * len(e)
	for i := range e {
		n += len(e[i].Insert)
	}
	return n
}
