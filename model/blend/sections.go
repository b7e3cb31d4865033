package blend

import (
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// section is a heading with the blocks under it.
type section struct {
	size
	heading page.BlockID
	// end is the first block that is no longer under the heading.
	end page.BlockID
	// outer is the section around this one, or -1.
	outer int32
	level int8
	// phrase and leaning are the log-odds of noise under a heading of this text, and the mean of those of its words.
	phrase, leaning float32
}

// weakHeading is the level of headings whose tag is not one of a heading.
const weakHeading = 7

// maxHeading is the most words of a heading.
const maxHeading = 20

// findSections finds the headings of the page and the blocks under each: up to the next heading of the same or a higher
// rank, and at most to the end of the box that the heading opens.
func (v *view) findSections() {
	v.sectionOf = make([]int32, len(v.blocks))
	var open []int32
	for i := range v.blocks {
		b := page.BlockID(i)
		for len(open) > 0 && v.sections[open[len(open)-1]].end <= b {
			open = open[:len(open)-1]
		}
		if level := v.headingLevel(b); level > 0 {
			for len(open) > 0 && v.sections[open[len(open)-1]].level >= level {
				v.sections[open[len(open)-1]].end = b
				open = open[:len(open)-1]
			}
			s := section{heading: b, level: level, outer: -1, end: v.scopeOf(b)}
			if len(open) > 0 {
				s.outer = open[len(open)-1]
				s.end = min(s.end, v.sections[s.outer].end)
			}
			v.readHeading(&s)
			open = append(open, int32(len(v.sections)))
			v.sections = append(v.sections, s)
		}
		v.sectionOf[i] = -1
		if len(open) > 0 {
			v.sectionOf[i] = open[len(open)-1]
		}
	}
	for i := range v.sections {
		s := &v.sections[i]
		for b := s.heading + 1; b < min(s.end, s.heading+200); b++ {
			s.add(v.blocks[b].size)
		}
	}
}

// headingLevel is 1 to 6 for headings by tag, weakHeading for blocks that look like one, and 0 for all others.
func (v *view) headingLevel(b page.BlockID) int8 {
	bv := &v.blocks[b]
	if bv.words == 0 || bv.words > maxHeading {
		return 0
	}
	for e, step := v.p.Blocks[b].Element, 0; e > v.p.Body && step < 5; e, step = v.p.Elements[e].Parent, step+1 {
		switch v.p.Elements[e].Tag {
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
			if bv.words <= 8 && bv.shape&shapeEndsStop == 0 {
				return weakHeading
			}
		}
		if v.elems[e].blocks > 1 {
			break
		}
		if bv.words <= 8 && bv.shape&shapeEndsStop == 0 && v.elems[e].names.has(groupTitle) {
			return weakHeading
		}
	}
	return 0
}

// scopeOf returns the end of the box that a heading opens: the innermost element around that holds more than the
// heading.
func (v *view) scopeOf(b page.BlockID) page.BlockID {
	e := v.blocks[b].home
	for e > v.p.Body && v.p.Elements[e].BlockEnd <= b+1 {
		up := v.p.Elements[e].Parent
		// The heading may be the last block in a box of its own, but not after other text.
		if v.p.Elements[e].BlockStart < b {
			break
		}
		e = up
	}
	return v.p.Elements[max(e, 0)].BlockEnd
}

func (v *view) readHeading(s *section) {
	text := &v.texts[s.heading]
	words, known := 0, 0
	for w := range page.Words(text.folded) {
		words++
		if lean, ok := v.reader.headingWords.known(w); ok {
			s.leaning += lean
			known++
		}
	}
	if known > 0 {
		s.leaning /= float32(known)
	}
	if words <= maxPhrase {
		s.phrase = v.reader.headings.odds(text.masked())
	}
}

// HeadingNames returns the names by which a heading is looked up for the blocks under it.
func HeadingNames(text string) []string {
	return markedNames(text, headingWordMark, headingMark)
}

// EachUnderHeading calls visit with each block under a heading and with the innermost such heading.
func EachUnderHeading(p *page.Page, visit func(block, heading page.BlockID)) {
	v := newReader(nil).view(p, model.Key{}.Hasher(), "")
	for i, s := range v.sectionOf {
		if s >= 0 && v.sections[s].heading != page.BlockID(i) {
			visit(page.BlockID(i), v.sections[s].heading)
		}
	}
}

// headingRow says whether block i is a heading, and its distance from the heading of its section.
func (v *pageInput) headingRow(row []float32, i int) []float32 {
	if v.sectionOf[i] < 0 {
		return append(row, -1, -1)
	}
	heading, is := int(v.sections[v.sectionOf[i]].heading), float32(0)
	if heading == i {
		is = 1
	}
	return append(row, is, float32(min(i-heading, 50)))
}

// sectionRow describes the section that block i is in or begins, and the heading around it.
func (v *pageInput) sectionRow(row []float32, i int) []float32 {
	if v.sectionOf[i] < 0 {
		return append(row, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	s := &v.sections[v.sectionOf[i]]
	row = append(row, float32(s.level), s.phrase, s.leaning, float32(v.blocks[s.heading].words),
		log1(s.blocks), ratio(s.linkChars, s.chars), ratio(s.words, s.blocks), ratio(s.prose, s.words))
	if s.outer < 0 {
		return append(row, 0, 0, 0)
	}
	o := &v.sections[s.outer]
	return append(row, o.phrase, o.leaning, float32(o.level))
}
