package page

// partKinds returns the kinds of the elements that make up parts: those of the run; for lists those of the records and
// the element around the run. If several parts share an element, the first has it, and a list precedes its records.
func (p *Page) partKinds(m *Marking) map[ElementID]Kind {
	kinds := map[ElementID]Kind{}
	name := func(e ElementID, k Kind) {
		if _, taken := kinds[e]; !taken && e > p.Body {
			kinds[e] = k
		}
	}
	for _, part := range m.Parts {
		if part.Kind != KindRecords {
			p.eachTagged(part.Extent, func(e ElementID) { name(e, part.Kind) })
			continue
		}
		if part.First != part.End {
			name(p.taggedAbove(part.First), KindRecords)
		}
		for _, r := range part.Records {
			p.eachTagged(r, func(e ElementID) { name(e, KindRecord) })
		}
	}
	return kinds
}

// taggedAbove returns the nearest element around e with a tag in the source, or None.
func (p *Page) taggedAbove(e ElementID) ElementID {
	for e = p.Elements[e].Parent; e != None && !p.Elements[e].StartTag.Known(); {
		e = p.Elements[e].Parent
	}
	return e
}

// eachTagged calls f for the siblings of the extent, or for their contents if the source has no tag for them.
func (p *Page) eachTagged(x Extent, f func(ElementID)) {
	for e := range p.Tops(x) {
		if p.Elements[e].StartTag.Known() {
			f(e)
		} else if e+1 < p.Elements[e].Sub {
			p.eachTagged(Extent{First: e + 1, End: p.Elements[e].Sub}, f)
		}
	}
}

// inner tags the elements of parts that have no label yet and are not in noise. An element that contains noise gets
// only its kind and score, because no verdict is true of all of it.
func (t *tagger) inner(m *Marking) {
	if len(t.parts) == 0 {
		return
	}
	p := t.p
	gone, marked := p.selected(m), p.marked(m)
	for e := max(p.Body, 0); int(e) < len(p.Elements); e++ {
		kind, ok := t.parts[e]
		el := &p.Elements[e]
		if !ok || t.tagged[e] || !el.StartTag.Known() || gone.holds(p, e) || m.IsNoise(Extent{BlockStart: el.BlockStart, BlockEnd: el.BlockEnd}) {
			continue
		}
		verdict := "content"
		for b := el.BlockStart; b < el.BlockEnd; b++ {
			if m.Verdicts[b].Noise {
				verdict = ""
			}
		}
		if marked[e] {
			verdict = ""
		}
		t.tag(e, verdict, kind, meanScore(p, m, el.BlockStart, el.BlockEnd))
	}
}
