// Package page holds one HTML page in a flat form: bytes become elements, texts and blocks, linked by index. It also
// has the words in which detectors and writers talk about a page: kinds, marks, verdicts, parts and modes.
//
// Detectors and writers see this form and never the parser's nodes, so that the parser underneath can change without
// them. What is known about a page beyond its tree is in the packages below this one, and package write makes outputs
// of it. A Page is made once per response by [Parse], shared by marking and learning, and read-only after that: any
// number of goroutines may read it.
package page

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// ElementID is the index of an element in [Page.Elements]: its rank in document order.
type ElementID int32

// BlockID is the index of a block in [Page.Blocks].
type BlockID int32

// None stands for "no element" and "no block".
const None = -1

// Span is a range of bytes [Start, End) in [Page.Source]. The zero Span means that there is no known place: the parser
// made the thing up (an implied tbody, a cloned font) or moved it away from its bytes.
type Span struct {
	Start, End int32
}

// Known reports whether the span has a place.
func (s Span) Known() bool { return s.End > s.Start }

// Page is one parsed HTML document.
type Page struct {
	// Source is the document as the origin sent it, without transfer and content codings, in the origin's charset.
	Source []byte
	// Charset is the WHATWG name of Source's encoding in lower case ("utf-8", "gbk", "windows-1252").
	Charset string
	// Elements are all elements in document order; Elements[0] is html. An element's subtree is the contiguous range
	// [e, Elements[e].Sub), so a child is at e+1 and the next sibling of c at Elements[c].Sub.
	Elements []Element
	// Texts are all text nodes in document order, including those of only white space.
	Texts []Text
	// Blocks are the units of marking, in document order.
	Blocks []Block
	// Body is the body element (or frameset), None when there is none.
	Body ElementID

	// contentType is the Content-Type of the page.
	contentType string
	attrs       []Attr
	// text is Source in UTF-8. It is the same slice if Source is UTF-8.
	text []byte
	// recode says that Source is UTF-8 instead of the origin's bytes, so output must be encoded in Charset again.
	recode bool
	// filled says that Source is what [fill.Page] made of the origin's page.
	filled bool
	// fragile says why nothing may be cut from the page, 0 if everything may.
	fragile htmltree.Fragility
	// origin holds the origin's bytes when recode is set.
	origin []byte
	// linkedData is what the scripts of JSON-LD say, once somebody has asked. paid says that something is not for free.
	linkedData []LinkedData
	paid       bool
	linkedOnce sync.Once
}

// Element is one element of the page.
type Element struct {
	// Tag is the tag's atom, 0 for a name that HTML does not know; Name is the name in lower case.
	Tag  atom.Atom
	Name string
	// Parent is None for html.
	Parent ElementID
	// Sub is one past the last element of the subtree.
	Sub ElementID
	// Depth is 0 for html.
	Depth int32
	// TextStart and TextEnd delimit the texts of the subtree in Page.Texts.
	TextStart, TextEnd int32
	// BlockStart and BlockEnd delimit the blocks that lie completely in the subtree.
	BlockStart, BlockEnd BlockID
	// Outer is the range in Source from the start tag to the end tag, including both. It is unknown if the subtree is
	// not one contiguous range of the source (foster parenting, misnested formatting).
	Outer Span
	// StartTag is the range of the start tag.
	StartTag Span

	attrStart, attrEnd int32
	// EndTag is the start in Source of the end tag that ends Outer, or 0 if the element has no end tag of its own.
	EndTag int32
}

// Attr is one attribute, with its key in lower case and character references in its value resolved.
type Attr = htmltree.Attr

// Text is one text node.
type Text struct {
	// Parent is the element that holds the text directly.
	Parent ElementID
	// Block is None for white space and for text that is never shown (script, style, noscript, template, head).
	Block BlockID
	// Data is the text in UTF-8, character references resolved.
	Data string
	// Span is the place of the text in Source.
	Span Span
}

// Block is a run of visible text without a block-level boundary inside: the unit of marking.
type Block struct {
	// Element is the innermost element that contains the whole block.
	Element ElementID
	// TextStart and TextEnd delimit the block's texts in Page.Texts. There may be texts of scripts among them: the
	// texts of the block are those whose Block says so.
	TextStart, TextEnd int32
}

// Attrs returns the attributes of e in source order. The slice belongs to the page.
func (p *Page) Attrs(e ElementID) []Attr {
	el := &p.Elements[e]
	return p.attrs[el.attrStart:el.attrEnd]
}

// Attr returns the value of e's attribute key (lower case) and whether e has it.
func (p *Page) Attr(e ElementID, key string) (string, bool) {
	for _, a := range p.Attrs(e) {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// AnyAttr reports whether is returns true for an attribute of the page.
func (p *Page) AnyAttr(is func(Attr) bool) bool { return slices.ContainsFunc(p.attrs, is) }

// Children yields the child elements of e in document order.
func (p *Page) Children(e ElementID) iter.Seq[ElementID] {
	return func(yield func(ElementID) bool) {
		end := p.Elements[e].Sub
		for c := e + 1; c < end; c = p.Elements[c].Sub {
			if !yield(c) {
				return
			}
		}
	}
}

// Walk visits the direct contents of e in document order: it calls child for each child element, and texts for the
// range of [Page.Texts] before each child and after the last, which may be empty.
func (p *Page) Walk(e ElementID, texts func(from, to int32), child func(ElementID)) {
	next := p.Elements[e].TextStart
	for c := range p.Children(e) {
		texts(next, p.Elements[c].TextStart)
		child(c)
		next = p.Elements[c].TextEnd
	}
	texts(next, p.Elements[e].TextEnd)
}

// Contains reports whether d is e or below it.
func (p *Page) Contains(e, d ElementID) bool {
	return e <= d && d < p.Elements[e].Sub
}

// BlockText appends the text of b to dst, with white space runs folded to one space and none at the ends.
func (p *Page) BlockText(dst []byte, b BlockID) []byte {
	return p.AppendBlock(dst, b, func(*Text) bool { return true })
}

// AppendBlock is BlockText of the texts that are wanted.
func (p *Page) AppendBlock(dst []byte, b BlockID, wanted func(*Text) bool) []byte {
	start := len(dst)
	for i := p.Blocks[b].TextStart; i < p.Blocks[b].TextEnd; i++ {
		if t := &p.Texts[i]; t.Block == b && wanted(t) {
			dst = appendFolded(dst, start, t.Data)
		}
	}
	if n := len(dst); n > start && dst[n-1] == ' ' {
		dst = dst[:n-1]
	}
	return dst
}

// BlockLen is the number of characters of b that are not white space.
func (p *Page) BlockLen(b BlockID) int {
	n := 0
	for i := p.Blocks[b].TextStart; i < p.Blocks[b].TextEnd; i++ {
		if t := &p.Texts[i]; t.Block == b {
			n += Ink(t.Data)
		}
	}
	return n
}

// Inner returns the range of e between its tags; e must have a place.
func (p *Page) Inner(e ElementID) Span {
	el := &p.Elements[e]
	s := Span{el.StartTag.End, el.Outer.End}
	if el.EndTag > 0 {
		s.End = el.EndTag
	}
	return s
}

// TextIn returns all text in e.
func (p *Page) TextIn(e ElementID) string {
	texts := p.Texts[p.Elements[e].TextStart:p.Elements[e].TextEnd]
	if len(texts) == 1 {
		return texts[0].Data
	}
	var b strings.Builder
	for i := range texts {
		b.WriteString(texts[i].Data)
	}
	return b.String()
}
