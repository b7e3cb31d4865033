package page

// Extent is the place of a part of a page: a run of sibling elements or, if there are no elements, a run of blocks that
// no element holds alone.
type Extent struct {
	// First and End delimit the elements in document order. First is the first of the siblings, its next sibling is
	// at Elements[First].Sub, and End is the Sub of the last. First == End: bare text.
	First, End ElementID
	// BlockStart and BlockEnd delimit the blocks of the run, including bare text between its elements and next to them.
	BlockStart, BlockEnd BlockID
}

// Siblings returns the extent of the siblings from first to last, including both.
func (p *Page) Siblings(first, last ElementID) Extent {
	a, b := &p.Elements[first], &p.Elements[last]
	x := Extent{First: first, End: b.Sub, BlockStart: a.BlockStart, BlockEnd: b.BlockEnd}
	if x.BlockEnd > x.BlockStart && p.Blocks[x.BlockEnd-1].TextEnd > b.TextEnd {
		x.BlockEnd-- // it began in or before last, and goes on after it
	}
	return x
}

// Bare returns the extent of the blocks in [from, to), which no element holds alone.
func Bare(from, to BlockID) Extent {
	return Extent{First: None, End: None, BlockStart: from, BlockEnd: to}
}

// Tops yields the siblings of the extent, none for bare text.
func (p *Page) Tops(x Extent) func(yield func(ElementID) bool) {
	return func(yield func(ElementID) bool) {
		for e := x.First; e < x.End; e = p.Elements[e].Sub {
			if !yield(e) {
				return
			}
		}
	}
}

// Part is a part of a page that a detector can name: an article, a table of contents, a list of records. Parts say
// nothing about noise, but the verdicts do: a table of contents is content on a front page, and noise beside an
// article. An article may contain a list.
type Part struct {
	Extent
	// Kind is KindArticle, KindTOC or KindRecords.
	Kind Kind
	// Weight is the importance of the part relative to others of its kind on the page, according to its detector, in
	// [0,1].
	Weight float32
	// Records are the records of a list, disjoint and in page order. A record may be a run of several siblings (dt and
	// dd, two rows of a table).
	Records []Extent
}

// IsNoise reports whether everything in the extent is noise. Without blocks it is not.
func (m *Marking) IsNoise(x Extent) bool {
	for b := x.BlockStart; b < x.BlockEnd; b++ {
		if !m.Verdicts[b].Noise {
			return false
		}
	}
	return x.BlockEnd > x.BlockStart
}

// Kinds returns the kind of each block: that of the mark that removes it, KindOther for noise without a mark, that of
// the innermost part that contains it, or KindContent. A block of a list's record is a KindRecord.
func (m *Marking) Kinds() []Kind {
	kinds := make([]Kind, len(m.Verdicts))
	width := make([]BlockID, len(kinds)) // of the part that named the block: the narrowest wins, among equals the first
	name := func(x Extent, k Kind) {
		for b := x.BlockStart; b < x.BlockEnd; b++ {
			if n := x.BlockEnd - x.BlockStart; width[b] == 0 || n < width[b] {
				kinds[b], width[b] = k, n
			}
		}
	}
	for _, part := range m.Parts {
		for _, r := range part.Records {
			name(r, KindRecord)
		}
		name(part.Extent, part.Kind)
	}
	for b, v := range m.Verdicts {
		if v.Noise {
			kinds[b] = KindOther
		}
	}
	for _, mark := range m.Marks {
		for b := mark.BlockStart; b < mark.BlockEnd; b++ {
			kinds[b] = mark.Kind
		}
	}
	return kinds
}
