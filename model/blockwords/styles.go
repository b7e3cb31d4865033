package blockwords

import (
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// styler finds the Block Style Cluster of each block of one page: the keyed hash of its position and attributes.
//
// The position is the path from BODY down. Each step has the element's tag and attributes and its number among siblings
// of its kind. So a banner that only some pages have moves only blocks of its own kind.
type styler struct {
	p    *page.Page
	opts *Options
	hash model.Hasher
	// element is the position of each element. A layout element has the position of the element around it.
	element []uint64
	buf     []byte
}

// stylesOf returns the style of each block.
func stylesOf(p *page.Page, opts *Options, hash model.Hasher) []uint64 {
	s := styler{p: p, opts: opts, hash: hash, element: make([]uint64, len(p.Elements))}
	if p.Body != page.None {
		s.element[p.Body] = 1 // the attributes of BODY, where systems write the page's name, do not count
		s.below(p.Body, map[uint64]int{})
	}
	styles := make([]uint64, len(p.Blocks))
	nth := map[page.ElementID]int{}
	for b := range styles {
		e := p.Blocks[b].Element
		nth[e]++ // one element may directly contain several blocks
		styles[b] = hash.Combine(s.element[e], uint64(nth[e]), blockSalt)
	}
	return styles
}

// Salts keep hashes of different kinds distinct.
const (
	blockSalt = iota + 1
	elementSalt
)

// below computes the positions of e's children. seen counts them by kind; the children of layout elements count with
// them.
func (s *styler) below(e page.ElementID, seen map[uint64]int) {
	for c := range s.p.Children(e) {
		el := &s.p.Elements[c]
		if el.TextStart == el.TextEnd {
			continue // it contains no block
		}
		if s.opts.Layout(el.Tag) {
			s.element[c] = s.element[e]
			s.below(c, seen)
			continue
		}
		kind := s.kind(c)
		seen[kind]++
		s.element[c] = s.hash.Combine(s.element[e], kind, uint64(seen[kind]), elementSalt)
		s.below(c, map[uint64]int{})
	}
}

// kind hashes the tag and the relevant attributes of e, in the order of their names.
func (s *styler) kind(e page.ElementID) uint64 {
	s.buf = append(s.buf[:0], s.p.Elements[e].Name...)
	var shown []page.Attr
	for _, a := range s.p.Attrs(e) {
		if slices.Contains(s.opts.Attrs, a.Key) {
			shown = append(shown, a)
		}
	}
	slices.SortFunc(shown, func(a, b page.Attr) int { return strings.Compare(a.Key, b.Key) })
	for _, a := range shown {
		s.buf = append(append(append(append(s.buf, 0), a.Key...), '='), a.Val...)
	}
	return s.hash.Bytes(s.buf)
}
