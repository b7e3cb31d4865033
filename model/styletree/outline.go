package styletree

import (
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// outline is a page as the style tree sees it: for each element its kind and the sequence of its children's kinds. "All
// the viewable parts are within BODY" (the paper, on where its tree begins): elements that are never shown are left out
// with their contents, because otherwise each tracking script would make a style of its own. BR and WBR are left out
// too, because they break lines inside a text and contain nothing (ours).
type outline struct {
	p *page.Page
	// kind and seq are indexed by ElementID. kind is 0 for elements that are left out.
	kind, seq []uint64
}

// rootSeq is the sequence below the virtual root: BODY alone.
func (o *outline) rootSeq(h model.Hasher) uint64 { return sequence(h, nil, o.kind[o.p.Body]) }

// newOutline returns the outline of a page that has a body.
func newOutline(p *page.Page, h model.Hasher, attrs []string) *outline {
	hashes := make([]uint64, 2*len(p.Elements))
	o := &outline{p: p, kind: hashes[:len(p.Elements)], seq: hashes[len(p.Elements):]}
	k := kinds{hash: h, attrs: attrs, p: p}
	end := p.Elements[p.Body].Sub
	for e := p.Body; e < end; {
		el := &p.Elements[e]
		if leftOut(el.Tag) {
			e = el.Sub
			continue
		}
		o.kind[e] = k.kind(e, e == p.Body)
		if e++; el.Tag == atom.Svg { // an SVG is one picture; skip its parts
			e = el.Sub
		}
	}
	o.sequences(h)
	return o
}

// sequences fills in seq.
func (o *outline) sequences(h model.Hasher) {
	var buf []byte
	var kinds []uint64
	for e := o.p.Body; e < o.p.Elements[o.p.Body].Sub; e++ {
		if o.kind[e] == 0 {
			continue
		}
		kinds = kinds[:0]
		for c := range o.p.Children(e) {
			if o.kind[c] != 0 {
				kinds = append(kinds, o.kind[c])
			}
		}
		buf = slices.Grow(buf[:0], 8*len(kinds))
		o.seq[e] = sequence(h, buf, kinds...)
	}
}

// sequence hashes a sequence of kinds. The result is never othersSeq.
func sequence(h model.Hasher, buf []byte, kinds ...uint64) uint64 {
	for _, k := range kinds {
		buf = binary.LittleEndian.AppendUint64(buf, k)
	}
	return max(h.Bytes(buf), othersSeq+1)
}

// children yields the children of e that are part of the outline, with their positions in the sequence.
func (o *outline) children(e page.ElementID) func(func(int32, page.ElementID) bool) {
	return func(yield func(int32, page.ElementID) bool) {
		i := int32(0)
		for c := range o.p.Children(e) {
			if o.kind[c] == 0 {
				continue
			}
			if !yield(i, c) {
				return
			}
			i++
		}
	}
}

// size returns the number of children of e that are part of the outline.
func (o *outline) size(e page.ElementID) int {
	n := 0
	for range o.children(e) {
		n++
	}
	return n
}

func leftOut(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Link, atom.Meta, atom.Title, atom.Base,
		atom.Head, atom.Param, atom.Source, atom.Track, atom.Br, atom.Wbr:
		return true
	}
	return false
}

// kinds computes the kinds of a page's elements.
type kinds struct {
	hash  model.Hasher
	attrs []string
	p     *page.Page
	shown []page.Attr
	buf   []byte
}

// kind returns the hash of e's tag and display attributes, in the order of their names; never 0.
func (k *kinds) kind(e page.ElementID, bare bool) uint64 {
	k.buf = append(k.buf[:0], k.p.Elements[e].Name...)
	k.shown = k.shown[:0]
	for _, a := range k.p.Attrs(e) {
		if !bare && slices.Contains(k.attrs, a.Key) {
			k.shown = append(k.shown, a)
		}
	}
	if len(k.shown) > 1 {
		slices.SortFunc(k.shown, func(a, b page.Attr) int { return strings.Compare(a.Key, b.Key) })
	}
	for _, a := range k.shown {
		k.buf = append(append(append(k.buf, 0), a.Key...), '=')
		k.buf = appendStyle(k.buf, a)
	}
	return max(k.hash.Bytes(k.buf), 1)
}

// appendStyle appends an attribute's value without the digits that number pages rather than styles.
func appendStyle(buf []byte, a page.Attr) []byte {
	if a.Key != "class" && a.Key != "id" {
		return append(buf, a.Val...)
	}
	for i := range len(a.Val) {
		if c := a.Val[i]; c < '0' || c > '9' {
			buf = append(buf, c)
		}
	}
	return buf
}
