package memory

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
)

// Recurrence says which texts of a page other pages of the host have shown.
type Recurrence struct {
	// Texts are those of the blocks.
	Texts []textRecord
	// Repeated and Fresh are the words below each element in known blocks, weighted by how regularly these occur, and
	// in new blocks.
	Repeated, Fresh []float32
}

// textRecord says how regularly the text of a block occurs, as it is and with masked digits. known is the greater of
// both shares. It is 0 for a new text.
type textRecord struct {
	Text, Masked Rate
	Known        float32
}

// Read reads which texts are known.
func (m Recall) Read(v *view.Page) Recurrence {
	r := Recurrence{Texts: make([]textRecord, len(v.Blocks)), Repeated: v.Floats.Take(len(v.Elements)), Fresh: v.Floats.Take(len(v.Elements))}
	for i := range v.Blocks {
		b, t, e := &v.Blocks[i], &r.Texts[i], v.Doc.Blocks[i].Element
		t.Text, t.Masked = m.Rate(hashes.Mix(b.Text, SaltText)), m.Rate(hashes.Mix(b.Masked, saltMasked))
		t.Known = max(t.Text.Since, t.Masked.Since)
		r.Repeated[e] += t.Known * float32(b.Words)
		if r.IsNew(i) {
			r.Fresh[e] += float32(b.Words)
		}
	}
	for e := len(v.Elements) - 1; e > 0; e-- {
		up := v.Doc.Elements[e].Parent
		r.Repeated[up] += r.Repeated[e]
		r.Fresh[up] += r.Fresh[e]
	}
	return r
}

// IsNew reports whether no other page had the text of block i.
func (r *Recurrence) IsNew(i int) bool { return r.Texts[i].Known == 0 }
