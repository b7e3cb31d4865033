package features

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
)

func (v *Input) labelRow(row []float32, i int) []float32 {
	l := &v.Blocks[i].Label
	return append(row, float32(l.Kind), float32(l.Words), float32(l.ValueWords), float32(v.Blocks[i].LabelsNear), float32(v.Blocks[i].SameLabel))
}

// labelRow says how regularly the block's label occurs, how often with a new value, and how often with this value.
func (ev *Evidence) labelRow(row []float32, i int) []float32 {
	l := &ev.Page.Blocks[i].Label
	if l.Kind == 0 {
		return append(row, 0, 0, -1, 0)
	}
	p := ev.Recall.Place(hashes.Mix(l.Key, memory.SaltLabel))
	r := ev.Recall.RateOf(p.Visits, p.Age)
	return append(row, r.Since, r.Count, float32(p.Novel)/float32(max(p.Finds, 1)), ev.Recall.Rate(hashes.Mix(hashes.Mix(l.Key, l.Value), memory.SaltLabel)).Count)
}

// placeRow describes the blocks at the place of block i.
func (v *Input) placeRow(row []float32, i int) []float32 {
	k := &v.Places[v.PlaceOf[i]]
	return append(row, view.Log1(k.Blocks), view.Log1(k.Words), view.Ratio(k.LinkChars, k.Chars), view.Ratio(k.Words, k.Blocks), view.Ratio(k.Prose, k.Words),
		float32(k.Last-k.First+1)/float32(k.Blocks))
}

// listRow describes the two innermost lists that contain block i.
func (v *Input) listRow(row []float32, i int) []float32 {
	e, step := v.Blocks[i].Home, 0
	for range 2 {
		for e > v.Doc.Body && v.Listed[e] < 0 && step < 12 {
			e = v.Doc.Elements[e].Parent
			step++
		}
		if e <= v.Doc.Body || v.Listed[e] < 0 {
			row = append(row, 0, -1, 0, 0, 0, 0, 0, 0)
			continue
		}
		l := &v.Lists[v.Listed[e]]
		row = append(row, float32(min(l.Items, 100)), float32(step), view.Ratio(l.Words, l.Items), view.Ratio(l.LinkChars, l.Chars),
			view.Ratio(l.Words, v.Total.Words), view.Ratio(l.Prose, l.Words), view.Ratio(l.Words, l.Blocks), view.Ratio(l.Images, l.Items))
		e = v.Doc.Elements[e].Parent
		step++
	}
	return row
}

// headingRow says whether block i is a heading, and its distance from the heading of its section.
func (v *Input) headingRow(row []float32, i int) []float32 {
	if v.SectionOf[i] < 0 {
		return append(row, -1, -1)
	}
	heading, is := int(v.Sections[v.SectionOf[i]].Heading), float32(0)
	if heading == i {
		is = 1
	}
	return append(row, is, float32(min(i-heading, 50)))
}

// sectionRow describes the section that block i is in or begins, and the heading around it.
func (v *Input) sectionRow(row []float32, i int) []float32 {
	if v.SectionOf[i] < 0 {
		return append(row, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	s := &v.Sections[v.SectionOf[i]]
	row = append(row, float32(s.Level), s.PhraseOdds, s.WordOdds, float32(v.Blocks[s.Heading].Words),
		view.Log1(s.Blocks), view.Ratio(s.LinkChars, s.Chars), view.Ratio(s.Words, s.Blocks), view.Ratio(s.Prose, s.Words))
	if s.Outer < 0 {
		return append(row, 0, 0, 0)
	}
	o := &v.Sections[s.Outer]
	return append(row, o.PhraseOdds, o.WordOdds, float32(o.Level))
}
