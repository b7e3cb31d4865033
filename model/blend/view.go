package blend

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// view is what the detector computes about one page before it looks at the host: sizes, hashes, names. It is made once
// per call and read-only afterwards.
type view struct {
	p      *page.Page
	hash   model.Hasher
	reader *reader
	texts  []blockText
	blocks []blockView
	// elems is indexed by page.ElementID.
	elems []elemView
	links []linkMeasures
	total size
	prose reach
	// title is that of the title element, titleBlock the block that shows it, if there is one.
	title      title
	titleBlock page.BlockID
	at         address
	// unseen marks the elements that a browser would not show.
	unseen []bool
	// sections are the headings with the blocks under them. sectionOf is the innermost section of each block, or -1.
	sections  []section
	sectionOf []int32
	// kins are the groups of blocks at one place, kinOf the group of each block.
	kins  []kin
	kinOf []int32
	// lists are groups of similar siblings. listed is the list that each element is an entry of, or -1.
	lists  []entries
	listed []int32
	// homes are the ancestors of each block from its home up, owners those from its element up.
	homes, owners []ancestry
	// main is the container of most running text, or None.
	main page.ElementID
	// headings is the number of headings by tag, hidden the number of hidden blocks.
	headings, hidden int32
}

// size sums up text below an element or in a block.
type size struct {
	chars, linkChars, words, links, blocks int32
	// prose is the number of words in blocks that read like running text.
	prose int32
}

func (s *size) add(o size) {
	s.chars += o.chars
	s.linkChars += o.linkChars
	s.words += o.words
	s.links += o.links
	s.blocks += o.blocks
	s.prose += o.prose
}

// linkDensity is the share of characters inside links.
func (s size) linkDensity() float64 {
	if s.chars == 0 {
		return 0
	}
	return float64(s.linkChars) / float64(s.chars)
}

// blockView is what is known about a block by itself.
type blockView struct {
	measures
	// link is the hash of the target of the block's first link (0 without a link), place the hash of the path to the
	// block.
	link, place uint64
	// inTitle is the share of the words that are also in the title.
	inTitle float32
	// twins is the number of blocks on the page with the same text, maskedTwins of those with the same text but for
	// digits, labelTwins of those with the same label (0 without a label).
	twins, maskedTwins, labelTwins int32
	// before is the number of characters of the page before the block.
	before int32
	// home is the innermost block-level element around the block.
	home page.ElementID
	// target is the hash of the path on this host that the block's first link leads to, or 0. linkKind is the kind of
	// that link, linkTwins the number of blocks that have it.
	target    uint64
	linkKind  linkKind
	linkTwins int32
	label     labelled
	// fellows is the number of labelled blocks among this one and its neighbours.
	fellows int32
	hidden  bool
}

// elemView is what is known about an element from the page alone.
type elemView struct {
	size
	elemMeasures
	// place is the hash of the path of tags, classes and ids from body, subtree that of all text and tags below, or 0 if
	// there is no block.
	place, subtree uint64
	// link is the index of the link of an A in view.links, plus 1, or 0.
	link int32
	// index is the position among the siblings with the same tag, alike their number.
	index, alike int32
	images       int32
	// level are the values of the element in levelRow.
	level [7]float32
}

// view reads a page that was fetched from url, which may be empty.
func (r *reader) view(p *page.Page, h model.Hasher, url string) *view {
	return r.viewOf(p, h, model.Visit{URL: url})
}

// viewOf reads a page of a visit.
func (r *reader) viewOf(p *page.Page, h model.Hasher, visit model.Visit) *view {
	v := &view{p: p, hash: h, reader: r, blocks: make([]blockView, len(p.Blocks)), elems: make([]elemView, len(p.Elements)),
		at: parseAddress(visit.URL), unseen: p.Unseen()}
	v.title = newTitle(titleText(p))
	m := r.measurer(h, visit.Salt)
	defer m.release()
	v.readElements(m)
	v.readBlocks(m)
	v.sumUp()
	v.measureLevels()
	v.findTitle()
	v.findSections()
	v.findKin(m)
	v.findLists(m)
	v.countFellows()
	v.main = v.mainByProse()
	return v
}

// words returns the number of words of each block.
func (v *view) words() []int32 {
	words := make([]int32, len(v.blocks))
	for i := range words {
		words[i] = v.blocks[i].words
	}
	return words
}

// titleText returns the text of the page's first title element.
func titleText(p *page.Page) string {
	for i := range p.Elements {
		if e := &p.Elements[i]; e.Tag == atom.Title {
			text := ""
			for _, t := range p.Texts[e.TextStart:e.TextEnd] {
				text += t.Data
			}
			return text
		}
	}
	return ""
}

// readElements fills in names, links, places and ranks, top down.
func (v *view) readElements(m *measurer) {
	links := m.linksOf(v.at)
	for i := range v.p.Elements {
		e, el := page.ElementID(i), &v.p.Elements[i]
		ev := &v.elems[i]
		ev.elemMeasures = m.element(v.p, e)
		if el.Tag == atom.A {
			if href, ok := v.p.Attr(e, "href"); ok {
				v.links = append(v.links, links.link(href))
				ev.link = int32(len(v.links))
			}
		}
		up := uint64(0)
		if el.Parent != page.None && i > int(v.p.Body) {
			up = v.elems[el.Parent].place
		}
		ev.place = mix(up, ev.own)
	}
	v.rankSiblings(m)
}

// linkOf returns the link that e is, or nil.
func (v *view) linkOf(e page.ElementID) *linkMeasures {
	if at := v.elems[e].link; at > 0 {
		return &v.links[at-1]
	}
	return nil
}

// rankSiblings counts, for each element but the first, the siblings with its tag.
func (v *view) rankSiblings(m *measurer) {
	counts := m.counter(0, len(v.elems))
	for i := 1; i < len(v.elems); i++ {
		n := counts.of(m.siblings(&v.p.Elements[i]))
		v.elems[i].index = *n
		*n++
	}
	for i := 1; i < len(v.elems); i++ {
		v.elems[i].alike = *counts.of(m.siblings(&v.p.Elements[i]))
	}
}

// siblings returns a key for an element and its siblings with the same tag.
func (m *measurer) siblings(el *page.Element) uint64 {
	tag := m.salt + uint64(el.Tag)
	if el.Tag == 0 {
		tag = uint64(m.elems.Key(el.Name, m.salt))
	}
	return mix(tag, uint64(el.Parent))
}

// readBlocks fills in what follows from each block's text.
func (v *view) readBlocks(m *measurer) {
	n := len(v.blocks)
	seen, links, masked, labels := m.counter(0, n), m.counter(1, n), m.counter(2, n), m.counter(3, n)
	v.texts = textsOf(v.p)
	for i := range v.blocks {
		b := &v.blocks[i]
		b.measures = m.text(&v.texts[i])
		b.inTitle = v.title.share(&v.texts[i], &b.measures)
		v.readLinks(b, i)
		if b.isProse() {
			b.prose = b.words
		}
		b.home = v.homeOf(v.p.Blocks[i].Element)
		b.place = mix(v.elems[v.p.Blocks[i].Element].place, uint64(v.brRank(i)))
		b.label = v.readLabel(i)
		if b.hidden = v.unseen[b.home]; b.hidden {
			v.hidden++
		}
		*seen.of(b.text)++
		*masked.of(b.masked)++
		if b.link != 0 {
			*links.of(b.link)++
		}
		if b.label.kind != 0 {
			*labels.of(b.label.label)++
		}
	}
	before := int32(0)
	for i := range v.blocks {
		b := &v.blocks[i]
		b.twins, b.maskedTwins = *seen.of(b.text), *masked.of(b.masked)
		if b.link != 0 {
			b.linkTwins = *links.of(b.link)
		}
		if b.label.kind != 0 {
			b.labelTwins = *labels.of(b.label.label)
		}
		b.before = before
		before += b.chars
	}
	v.prose = reachOf(len(v.blocks), func(i int) bool { return v.blocks[i].isProse() })
}

// brRank numbers the blocks directly in one element, so that the lines of an address are different places. From the
// fourth on, all are one place, because they are a list.
func (v *view) brRank(i int) int {
	rank := 0
	for j := i - 1; j >= 0 && rank < 3 && v.p.Blocks[j].Element == v.p.Blocks[i].Element; j-- {
		rank++
	}
	return rank
}

// isProse reports whether the block reads like running text: long, few links.
func (b *blockView) isProse() bool { return b.words >= 15 && b.linkChars*3 < b.chars }

// readLinks measures how much of the block is links.
func (v *view) readLinks(b *blockView, i int) {
	bl := v.p.Blocks[i]
	last := page.ElementID(page.None)
	for _, t := range v.p.Texts[bl.TextStart:bl.TextEnd] {
		a := v.anchorOf(t.Parent)
		// A script inside a block is no text of it.
		if a == page.None || t.Block != page.BlockID(i) || v.isWrapper(a) {
			continue
		}
		l := v.linkOf(a)
		if l == nil {
			continue // it names a part of the page
		}
		b.linkChars += int32(page.Ink(t.Data))
		if a != last {
			b.links++
			last = a
			if b.link == 0 {
				b.link, b.linkKind, b.target = l.link, l.kind, l.path
			}
		}
	}
}

// linkedBlocks is the most blocks that one link has as its text. A link around more is a wrapper: a whole article that
// leads to its video, or a link that nobody has closed.
const linkedBlocks = 6

// isWrapper reports whether link a is around a part of the page rather than around a text.
func (v *view) isWrapper(a page.ElementID) bool {
	return v.p.Elements[a].BlockEnd-v.p.Elements[a].BlockStart > linkedBlocks
}

// anchorOf returns the link around e, None if there is none.
func (v *view) anchorOf(e page.ElementID) page.ElementID {
	for range 8 {
		if e == page.None {
			break
		}
		if v.p.Elements[e].Tag == atom.A {
			return e
		}
		e = v.p.Elements[e].Parent
	}
	return page.None
}

func (v *view) homeOf(e page.ElementID) page.ElementID {
	for v.p.Elements[e].Parent != page.None && page.IsInline(v.p.Elements[e].Tag) {
		e = v.p.Elements[e].Parent
	}
	return e
}

// sumUp adds sizes and hashes bottom up.
func (v *view) sumUp() {
	for i := range v.blocks {
		e := v.p.Blocks[i].Element
		v.elems[e].add(v.blocks[i].size)
		v.elems[e].subtree = mix(v.elems[e].subtree, v.blocks[i].text)
	}
	for e := len(v.elems) - 1; e > 0; e-- {
		el, ev := &v.p.Elements[e], &v.elems[e]
		if el.Tag == atom.Img {
			ev.images++
		}
		up := &v.elems[el.Parent]
		up.add(ev.size)
		up.images += ev.images
		if ev.blocks > 0 {
			// Children arrive last to first, which is an order too.
			up.subtree = mix(up.subtree, mix(ev.subtree, uint64(el.Tag)))
		}
	}
	if len(v.elems) > 0 {
		v.total = v.elems[0].size
	}
	for i := range v.p.Elements {
		switch v.p.Elements[i].Tag {
		case atom.H1, atom.H2, atom.H3, atom.H4:
			v.headings++
		}
	}
}

// mix joins two hashes into one. The inputs are keyed already, so the mixing need not be.
func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 ^ b
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>29
}
