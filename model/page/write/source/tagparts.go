package source

import "github.com/winnow-proxy/winnow/model/page"

// partKinds returns the kinds of the elements that make up parts: those of the run; for lists those of the records and
// the element around the run. If several parts share an element, the first has it, and a list precedes its records.
func partKinds(p *page.Page, m *page.Marking) map[page.ElementID]page.Kind {
	kinds := map[page.ElementID]page.Kind{}
	name := func(e page.ElementID, k page.Kind) {
		if _, taken := kinds[e]; !taken && e > p.Body {
			kinds[e] = k
		}
	}
	for _, part := range m.Parts {
		if part.Kind != page.KindRecords {
			eachTagged(p, part.Extent, func(e page.ElementID) { name(e, part.Kind) })
			continue
		}
		if part.First != part.End {
			name(taggedAbove(p, part.First), page.KindRecords)
		}
		for _, r := range part.Records {
			eachTagged(p, r, func(e page.ElementID) { name(e, page.KindRecord) })
		}
	}
	return kinds
}

// taggedAbove returns the nearest element around e with a tag in the source, or None.
func taggedAbove(p *page.Page, e page.ElementID) page.ElementID {
	for e = p.Elements[e].Parent; e != page.None && !p.Elements[e].StartTag.Known(); {
		e = p.Elements[e].Parent
	}
	return e
}

// eachTagged calls f for the siblings of the extent, or for their contents if the source has no tag for them.
func eachTagged(p *page.Page, x page.Extent, f func(page.ElementID)) {
	for e := range p.Tops(x) {
		if p.Elements[e].StartTag.Known() {
			f(e)
		} else if e+1 < p.Elements[e].Sub {
			eachTagged(p, page.Extent{First: e + 1, End: p.Elements[e].Sub}, f)
		}
	}
}

// inner tags the elements of parts that have no label yet and are not in noise. An element that contains noise gets
// only its kind and score, because no verdict is true of all of it.
func (t *tagger) inner(m *page.Marking) {
	if len(t.parts) == 0 {
		return
	}
	p := t.p
	gone, marked := p.Selected(m), marked(p, m)
	for e := max(p.Body, 0); int(e) < len(p.Elements); e++ {
		kind, ok := t.parts[e]
		el := &p.Elements[e]
		if !ok || t.tagged[e] || !el.StartTag.Known() || gone.Holds(p, e) || m.IsNoise(page.Extent{BlockStart: el.BlockStart, BlockEnd: el.BlockEnd}) {
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
