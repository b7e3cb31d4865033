package parts

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
)

const (
	// detailWords is the most words of one of the details, boxWords the most words of their box.
	detailWords    = 15
	maxWriterWords = 60
)

// WriterDetails returns the blocks with details of authors. The first block of a box is the name. A block with a time
// of day is the date of the post.
func WriterDetails(v *view.Page) []bool {
	in := make([]bool, len(v.Blocks))
	for e := max(v.Doc.Body, 0) + 1; int(e) < len(v.Doc.Elements); {
		el := &v.Doc.Elements[e]
		box := writerBox(v, e)
		if box == vocab.NoBox || v.Elements[e].Words > maxWriterWords {
			e++
			continue
		}
		from := el.BlockStart
		if el.BlockEnd > from+1 && box != vocab.SignatureBox {
			from++
		}
		for b := from; b < el.BlockEnd; b++ {
			d := &v.Blocks[b]
			in[b] = box == vocab.SignatureBox || d.Words <= detailWords && d.Shape&view.ShapeClock == 0
		}
		e = el.Sub
	}
	return in
}

// writerBox returns the box with details of an author that e is.
func writerBox(v *view.Page, e page.ElementID) vocab.WriterBox {
	if v.Elements[e].Blocks == 0 {
		return vocab.NoBox
	}
	return v.Elements[e].Facts.Box
}
