package view

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// section is a heading with the blocks under it.
type section struct {
	Size
	Likes   Likes
	Heading page.BlockID
	// End is the first block that is no longer under the heading.
	End page.BlockID
	// Outer is the section around this one, or -1.
	Outer int32
	Level int8
	// PhraseOdds and WordOdds are the log-odds of noise under a heading of this text, and the mean of those of its words.
	PhraseOdds, WordOdds float32
}

// weakHeading is the level of headings whose tag is not one of a heading.
const weakHeading = 7

// maxHeading is the most words of a heading.
const maxHeading = 20

// findSections finds the headings of the page and the blocks under each: up to the next heading of the same or a higher
// rank, and at most to the end of the box that the heading opens.
func (v *Page) findSections() {
	var open []int32
	for i := range v.Blocks {
		b := page.BlockID(i)
		for len(open) > 0 && v.Sections[open[len(open)-1]].End <= b {
			open = open[:len(open)-1]
		}
		if level := v.HeadingLevel(b); level > 0 {
			for len(open) > 0 && v.Sections[open[len(open)-1]].Level >= level {
				v.Sections[open[len(open)-1]].End = b
				open = open[:len(open)-1]
			}
			s := section{Heading: b, Level: level, Outer: -1, End: v.ScopeOf(b)}
			if len(open) > 0 {
				s.Outer = open[len(open)-1]
				s.End = min(s.End, v.Sections[s.Outer].End)
			}
			v.readHeading(&s)
			open = append(open, int32(len(v.Sections)))
			v.Sections = append(v.Sections, s)
		}
		v.SectionOf[i] = -1
		if len(open) > 0 {
			v.SectionOf[i] = open[len(open)-1]
		}
	}
	for i := range v.Sections {
		s := &v.Sections[i]
		for b := s.Heading + 1; b < min(s.End, s.Heading+200); b++ {
			s.Add(v.Blocks[b].Size)
		}
	}
}

// HeadingLevel is 1 to 6 for headings by tag, weakHeading for blocks that look like one, and 0 for all others.
func (v *Page) HeadingLevel(b page.BlockID) int8 {
	bv := &v.Blocks[b]
	if bv.Words == 0 || bv.Words > maxHeading {
		return 0
	}
	for e, step := v.Doc.Blocks[b].Element, 0; e > v.Doc.Body && step < 5; e, step = v.Doc.Elements[e].Parent, step+1 {
		switch v.Doc.Elements[e].Tag {
		case atom.H1:
			return 1
		case atom.H2:
			return 2
		case atom.H3:
			return 3
		case atom.H4:
			return 4
		case atom.H5:
			return 5
		case atom.H6:
			return 6
		case atom.Dt, atom.Legend, atom.Caption, atom.Summary:
			return weakHeading
		case atom.B, atom.Strong:
			if bv.Words <= 8 && bv.Shape&shapeEndsStop == 0 {
				return weakHeading
			}
		}
		if v.Elements[e].Blocks > 1 {
			break
		}
		if bv.Words <= 8 && bv.Shape&shapeEndsStop == 0 && v.Elements[e].Names.Has(vocab.GroupTitle) {
			return weakHeading
		}
	}
	return 0
}

// ScopeOf returns the end of the box that a heading opens: the innermost element around that holds more than the
// heading.
func (v *Page) ScopeOf(b page.BlockID) page.BlockID {
	e := v.Blocks[b].Home
	for e > v.Doc.Body && v.Doc.Elements[e].BlockEnd <= b+1 {
		up := v.Doc.Elements[e].Parent
		// The heading may be the last block in a box of its own, but not after other text.
		if v.Doc.Elements[e].BlockStart < b {
			break
		}
		e = up
	}
	return v.Doc.Elements[max(e, 0)].BlockEnd
}

func (v *Page) readHeading(s *section) {
	text := &v.Texts[s.Heading]
	words, known := 0, 0
	for w := range page.Words(text.Folded) {
		words++
		if lean, ok := v.Reader.HeadingWords.Known(w); ok {
			s.WordOdds += lean
			known++
		}
	}
	if known > 0 {
		s.WordOdds /= float32(known)
	}
	if words <= vocab.MaxPhrase {
		s.PhraseOdds = v.Reader.Headings.Odds(text.Masked())
	}
}
