package facts

import (
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// others knows the blocks that belong to other things than the subject of the page: entries of a list, each with a link
// and a picture or a price, and parts that are named as related.
type others struct {
	in []bool
}

// has reports whether block b belongs to another thing.
func (o *others) has(b page.BlockID) bool { return int(b) < len(o.in) && o.in[b] }

// otherThings is the least number of entries in a list of other things.
const otherThings = 3

func newOthers(f *finder) *others {
	p := f.Page
	o := &others{in: make([]bool, len(p.Blocks))}
	sums := newSums(f)
	for e := max(p.Body, 0); int(e) < len(p.Elements); {
		el := &p.Elements[e]
		if el.BlockStart == el.BlockEnd {
			e = el.Sub
			continue
		}
		if e > p.Body && f.Names(e).related && !f.holdsHeading(e) {
			o.mark(el.BlockStart, el.BlockEnd)
			e = el.Sub
			continue
		}
		o.list(f, e, sums)
		e++
	}
	return o
}

func (o *others) mark(from, to page.BlockID) {
	for b := from; b < to; b++ {
		o.in[b] = true
	}
}

// holdsHeading reports whether e holds the title of the page.
func (f *finder) holdsHeading(e page.ElementID) bool {
	el := &f.Page.Elements[e]
	h := f.heading()
	return h != page.None && el.BlockStart <= h && h < el.BlockEnd
}

// series are siblings with the same tag and first class.
type series struct {
	entries []page.ElementID
	// things is the number of entries that look like other things.
	things       int
	holdsHeading bool
}

// list marks the children of e that are entries of a list of other things. A list with the title in it is the layout
// of the page.
func (o *others) list(f *finder, e page.ElementID, sums *sums) {
	p := f.Page
	if p.Elements[e].BlockEnd-p.Elements[e].BlockStart < otherThings || !sums.mayList(p, e) {
		return
	}
	type kind struct{ name, class string }
	found := map[kind]*series{}
	for c := range p.Children(e) {
		if p.Elements[c].BlockStart == p.Elements[c].BlockEnd {
			continue
		}
		class, _ := p.Attr(c, "class")
		key := kind{p.Elements[c].Name, firstWord(class)}
		s := found[key]
		if s == nil {
			s = &series{}
			found[key] = s
		}
		s.entries = append(s.entries, c)
		s.holdsHeading = s.holdsHeading || f.holdsHeading(c)
		if sums.links.in(p, c) > 0 && (sums.pictures.in(p, c) > 0 || sums.prices.inBlocks(p, c) > 0) {
			s.things++
		}
	}
	for _, s := range found {
		if len(s.entries) < otherThings || s.holdsHeading || s.things*3 < len(s.entries)*2 {
			continue
		}
		for _, c := range s.entries {
			o.mark(p.Elements[c].BlockStart, p.Elements[c].BlockEnd)
		}
	}
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return word
}

// sums counts links, pictures and prices.
type sums struct{ links, pictures, prices counts }

// counts has the number of things before each element or block, and at the end the number of all.
type counts []int32

func newSums(f *finder) *sums {
	p := f.Page
	s := &sums{make(counts, len(p.Elements)+1), make(counts, len(p.Elements)+1), make(counts, len(p.Blocks)+1)}
	for i := range p.Elements {
		s.links[i+1], s.pictures[i+1] = s.links[i], s.pictures[i]
		switch p.Elements[i].Tag {
		case atom.A:
			if href, _ := p.Attr(page.ElementID(i), "href"); href != "" && href[0] != '#' {
				s.links[i+1]++
			}
		case atom.Img, atom.Picture:
			s.pictures[i+1]++
		}
	}
	for b := range p.Blocks {
		s.prices[b+1] = s.prices[b]
		if text := f.Text(page.BlockID(b)); len(text) < 80 && hasDigit(text) && hasCurrency(text) {
			s.prices[b+1]++
		}
	}
	return s
}

// mayList reports whether e has links, and pictures or prices, for two entries of a list.
func (s *sums) mayList(p *page.Page, e page.ElementID) bool {
	const least = otherThings * 2 / 3
	return s.links.in(p, e) >= least && s.pictures.in(p, e)+s.prices.inBlocks(p, e) >= least
}

// in returns how many are below e.
func (c counts) in(p *page.Page, e page.ElementID) int32 { return c[p.Elements[e].Sub] - c[e] }

// inBlocks returns how many are in the blocks of e.
func (c counts) inBlocks(p *page.Page, e page.ElementID) int32 {
	return c[p.Elements[e].BlockEnd] - c[p.Elements[e].BlockStart]
}
