package blend

// recurrence says which texts of a page other pages of the host have shown.
type recurrence struct {
	// texts are those of the blocks.
	texts []textRecord
	// repeated and fresh are the words below each element in known blocks, weighted by how regularly these occur, and
	// in new blocks.
	repeated, fresh []float32
}

// textRecord says how regularly the text of a block occurs, as it is and with masked digits. known is the greater of
// both shares. It is 0 for a new text.
type textRecord struct {
	text, masked rate
	known        float32
}

// read reads which texts are known.
func (m recall) read(v *view) recurrence {
	words := make([]float32, 2*len(v.elems))
	r := recurrence{texts: make([]textRecord, len(v.blocks)), repeated: words[:len(v.elems)], fresh: words[len(v.elems):]}
	for i := range v.blocks {
		b, t, e := &v.blocks[i], &r.texts[i], v.p.Blocks[i].Element
		t.text, t.masked = m.rate(mix(b.text, saltText)), m.rate(mix(b.masked, saltMasked))
		t.known = max(t.text.since, t.masked.since)
		r.repeated[e] += t.known * float32(b.words)
		if r.isNew(i) {
			r.fresh[e] += float32(b.words)
		}
	}
	for e := len(v.elems) - 1; e > 0; e-- {
		up := v.p.Elements[e].Parent
		r.repeated[up] += r.repeated[e]
		r.fresh[up] += r.fresh[e]
	}
	return r
}

// isNew reports whether no other page had the text of block i.
func (r *recurrence) isNew(i int) bool { return r.texts[i].known == 0 }
