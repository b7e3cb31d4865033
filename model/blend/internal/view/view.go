// Package view reads what one page shows, before anything is asked of its host: sizes, hashes, names, links, labels,
// lists and sections of its blocks and elements. It is read-only afterwards.
package view

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/visibility"
	"golang.org/x/net/html/atom"
)

// Page is what the detector computes about one page before it looks at the host: sizes, hashes, names. It is made once
// per call and read-only afterwards.
type Page struct {
	Doc    *page.Page
	Hash   model.Hasher
	Reader *Reader
	Texts  []blockText
	Blocks []Block
	// Elements is indexed by page.ElementID.
	Elements []Element
	links    []LinkMeasures
	Total    Size
	Prose    Reach
	// Title is that of the title element, titleBlock the block that shows it, if there is one.
	Title      title
	TitleBlock page.BlockID
	At         address
	// pattern is the hash of the pattern of its path.
	pattern uint64
	// declaration is what the page declares about itself, nil until it is needed: see Declared.
	declaration *Declaration
	// Unseen marks the elements that a browser would not show.
	Unseen []bool
	// Sections are the headings with the blocks under them. SectionOf is the innermost section of each block, or -1.
	Sections  []section
	SectionOf []int32
	// Places are the groups of blocks at one place, kinOf the group of each block.
	Places  []Place
	PlaceOf []int32
	// Lists are groups of similar siblings. Listed is the list that each element is an entry of, or -1.
	Lists  []List
	Listed []int32
	// Homes are the ancestors of each block from its home up, owners those from its element up. Ancestors are both.
	Homes, Owners, ancestors []ancestry
	// Main is the container of most running text, or None.
	Main page.ElementID
	// Headings is the number of headings by tag, hidden the number of hidden blocks.
	Headings, Hidden int32
	// Floats and Ints are working memory for what is computed about the page.
	Floats arena[float32]
	Ints   arena[int32]
}

// Size sums up text below an element or in a block.
type Size struct {
	Chars, LinkChars, Words, Links, Blocks int32
	// Prose is the number of words in blocks that read like running text.
	Prose int32
}

// Add adds another size.
func (s *Size) Add(o Size) {
	s.Chars += o.Chars
	s.LinkChars += o.LinkChars
	s.Words += o.Words
	s.Links += o.Links
	s.Blocks += o.Blocks
	s.Prose += o.Prose
}

// LinkDensity is the share of characters inside links.
func (s Size) LinkDensity() float64 {
	if s.Chars == 0 {
		return 0
	}
	return float64(s.LinkChars) / float64(s.Chars)
}

// Block is what is known about a block by itself.
type Block struct {
	measures
	// Link is the hash of the target of the block's first link (0 without a link), place the hash of the path to the
	// block.
	Link, Place uint64
	// InTitle is the share of the words that are also in the title.
	InTitle float32
	// SameText is the number of blocks on the page with the same text, maskedTwins of those with the same text but for
	// digits, labelTwins of those with the same label (0 without a label).
	SameText, SameMasked, SameLabel int32
	// Before is the number of characters of the page before the block.
	Before int32
	// Home is the innermost block-level element around the block.
	Home page.ElementID
	// Target is the hash of the path on this host that the block's first link leads to, or 0. LinkKind is the kind of
	// that link, linkTwins the number of blocks that have it.
	Target   uint64
	LinkKind linkKind
	SameLink int32
	// Like says whether that link leads to a page of the page's own kind.
	Like  Likeness
	Label Label
	// LabelsNear is the number of labelled blocks among this one and its neighbours.
	LabelsNear int32
	Hidden     bool
	// textEnd is where its text ends in that of the page: see readTexts.
	textEnd int32
}

// Element is what is known about an element from the page alone.
type Element struct {
	Size
	elemMeasures
	// Place is the hash of the path of tags, classes and ids from body, subtree that of all text and tags below, or 0 if
	// there is no block.
	Place, Subtree uint64
	// link is the index of the link of an A in view.links, plus 1, or 0.
	link int32
	// Rank is the position among the siblings with the same tag, alike their number.
	Rank, Alike int32
	Images      int32
	// Likes are the blocks below.
	Likes Likes
	// Level are the values of the element in levelRow.
	Level [7]float32
}

// Read reads a page of a visit, whose address may be empty.
func (r *Reader) Read(p *page.Page, h model.Hasher, visit model.Visit) *Page {
	v := r.page(p)
	v.Hash, v.At, v.Unseen = h, parseAddress(visit.URL), visibility.Unseen(p)
	if v.At.host != "" {
		v.At.alias = ownHost(p)
	}
	v.pattern = h.String(pattern(v.At.Path))
	v.Title = newTitle(titleText(p))
	m := r.Measurer(h, visit.Salt)
	defer m.Release()
	v.readElements(m)
	v.readBlocks(m)
	v.sumUp()
	v.measureLevels()
	v.findTitle()
	v.findSections()
	v.findPlaces(m)
	v.findLists(m)
	v.countLikes()
	v.countLabelsNear()
	v.Main = v.mainByProse()
	return v
}

// readElements fills in names, links, places and ranks, top down.
func (v *Page) readElements(m *Measurer) {
	links := m.linksOf(v.At)
	for i := range v.Doc.Elements {
		e, el := page.ElementID(i), &v.Doc.Elements[i]
		ev := &v.Elements[i]
		ev.elemMeasures = m.element(v.Doc, e)
		if el.Tag == atom.A {
			if href, ok := v.Doc.Attr(e, "href"); ok {
				v.links = append(v.links, links.link(href))
				ev.link = int32(len(v.links))
			}
		}
		up := uint64(0)
		if el.Parent != page.None && i > int(v.Doc.Body) {
			up = v.Elements[el.Parent].Place
		}
		ev.Place = hashes.Mix(up, ev.own)
	}
	v.rankSiblings(m)
}

// LinkOf returns the link that e is, or nil.
func (v *Page) LinkOf(e page.ElementID) *LinkMeasures {
	if at := v.Elements[e].link; at > 0 {
		return &v.links[at-1]
	}
	return nil
}

// rankSiblings counts, for each element but the first, the siblings with its tag.
func (v *Page) rankSiblings(m *Measurer) {
	counts := m.Counter(0, len(v.Elements))
	for i := 1; i < len(v.Elements); i++ {
		n := counts.Of(m.siblings(&v.Doc.Elements[i]))
		v.Elements[i].Rank = *n
		*n++
	}
	for i := 1; i < len(v.Elements); i++ {
		v.Elements[i].Alike = *counts.Of(m.siblings(&v.Doc.Elements[i]))
	}
}

// siblings returns a key for an element and its siblings with the same tag.
func (m *Measurer) siblings(el *page.Element) uint64 {
	tag := m.salt + uint64(el.Tag)
	if el.Tag == 0 {
		tag = uint64(m.elems.Key(el.Name, m.salt))
	}
	return hashes.Mix(tag, uint64(el.Parent))
}

// readBlocks fills in what follows from each block's text.
func (v *Page) readBlocks(m *Measurer) {
	n := len(v.Blocks)
	seen, links, masked, labels := m.Counter(0, n), m.Counter(1, n), m.Counter(2, n), m.Counter(3, n)
	v.readTexts(m)
	for i := range v.Blocks {
		b := &v.Blocks[i]
		b.measures = m.text(&v.Texts[i])
		b.InTitle = v.Title.share(&v.Texts[i], &b.measures)
		v.readLinks(b, i)
		if b.IsProse() {
			b.Prose = b.Words
		}
		b.Home = v.homeOf(v.Doc.Blocks[i].Element)
		b.Place = hashes.Mix(v.Elements[v.Doc.Blocks[i].Element].Place, uint64(v.brRank(i)))
		b.Label = v.readLabel(i)
		if b.Hidden = v.Unseen[b.Home]; b.Hidden {
			v.Hidden++
		}
		*seen.Of(b.Text)++
		*masked.Of(b.Masked)++
		if b.Link != 0 {
			*links.Of(b.Link)++
		}
		if b.Label.Kind != 0 {
			*labels.Of(b.Label.Key)++
		}
	}
	before := int32(0)
	for i := range v.Blocks {
		b := &v.Blocks[i]
		b.SameText, b.SameMasked = *seen.Of(b.Text), *masked.Of(b.Masked)
		if b.Link != 0 {
			b.SameLink = *links.Of(b.Link)
		}
		if b.Label.Kind != 0 {
			b.SameLabel = *labels.Of(b.Label.Key)
		}
		b.Before = before
		before += b.Chars
	}
	v.Prose = ReachOf(len(v.Blocks), func(i int) bool { return v.Blocks[i].IsProse() })
}

// brRank numbers the blocks directly in one element, so that the lines of an address are different places. From the
// fourth on, all are one place, because they are a list.
func (v *Page) brRank(i int) int {
	rank := 0
	for j := i - 1; j >= 0 && rank < 3 && v.Doc.Blocks[j].Element == v.Doc.Blocks[i].Element; j-- {
		rank++
	}
	return rank
}

// IsProse reports whether the block reads like running text: long, few links.
func (b *Block) IsProse() bool { return b.Words >= 15 && b.LinkChars*3 < b.Chars }

// readLinks measures how much of the block is links.
func (v *Page) readLinks(b *Block, i int) {
	bl := v.Doc.Blocks[i]
	last := page.ElementID(page.None)
	b.Like = NoLink
	for _, t := range v.Doc.Texts[bl.TextStart:bl.TextEnd] {
		a := v.AnchorOf(t.Parent)
		// A script inside a block is no text of it.
		if a == page.None || t.Block != page.BlockID(i) || v.isWrapper(a) {
			continue
		}
		l := v.LinkOf(a)
		if l == nil {
			continue // it names a part of the page
		}
		b.LinkChars += int32(page.Ink(t.Data))
		if a != last {
			b.Links++
			last = a
			if b.Link == 0 {
				b.Link, b.LinkKind, b.Target, b.Like = l.link, l.kind, l.path, v.likenessOf(l)
			}
		}
	}
}

// linkedBlocks is the most blocks that one link has as its text. A link around more is a wrapper: a whole article that
// leads to its video, or a link that nobody has closed.
const linkedBlocks = 6

// isWrapper reports whether link a is around a part of the page rather than around a text.
func (v *Page) isWrapper(a page.ElementID) bool {
	return v.Doc.Elements[a].BlockEnd-v.Doc.Elements[a].BlockStart > linkedBlocks
}

// AnchorOf returns the link around e, None if there is none.
func (v *Page) AnchorOf(e page.ElementID) page.ElementID {
	for range 8 {
		if e == page.None {
			break
		}
		if v.Doc.Elements[e].Tag == atom.A {
			return e
		}
		e = v.Doc.Elements[e].Parent
	}
	return page.None
}

func (v *Page) homeOf(e page.ElementID) page.ElementID {
	for v.Doc.Elements[e].Parent != page.None && page.IsInline(v.Doc.Elements[e].Tag) {
		e = v.Doc.Elements[e].Parent
	}
	return e
}

// sumUp adds sizes and hashes bottom up.
func (v *Page) sumUp() {
	for i := range v.Blocks {
		e := v.Doc.Blocks[i].Element
		v.Elements[e].Add(v.Blocks[i].Size)
		v.Elements[e].Subtree = hashes.Mix(v.Elements[e].Subtree, v.Blocks[i].Text)
	}
	for e := len(v.Elements) - 1; e > 0; e-- {
		el, ev := &v.Doc.Elements[e], &v.Elements[e]
		if el.Tag == atom.Img {
			ev.Images++
		}
		up := &v.Elements[el.Parent]
		up.Add(ev.Size)
		up.Images += ev.Images
		if ev.Blocks > 0 {
			// Children arrive last to first, which is an order too.
			up.Subtree = hashes.Mix(up.Subtree, hashes.Mix(ev.Subtree, uint64(el.Tag)))
		}
	}
	if len(v.Elements) > 0 {
		v.Total = v.Elements[0].Size
	}
	for i := range v.Doc.Elements {
		switch v.Doc.Elements[i].Tag {
		case atom.H1, atom.H2, atom.H3, atom.H4:
			v.Headings++
		}
	}
}
