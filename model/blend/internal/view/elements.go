package view

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/facts"
	"golang.org/x/net/html/atom"
)

// elemMeasures are what follows from the tag, class, id and other names of an element alone. Almost all of them recur
// on the page, and on the pages after it.
type elemMeasures struct {
	// Names are the word groups found in class, id, role, itemprop and tag.
	Names vocab.NameSet
	Facts vocab.NameFacts
	// About is what the names say to the finder of facts.
	About facts.Names
	// NameOdds is the mean log-odds of noise of the names.
	NameOdds float32
	// own is the hash of the element's tag, id and classes. Spot is the same, but 0 without id and class.
	own, Spot uint64
}

// keptElems is the most kinds of elements whose measures are kept, in about 1 MB.
const keptElems = 1 << 14

// bareElement is an element without attributes, whose tag has the measures. There are many of few tags.
type bareElement struct {
	tag      atom.Atom
	measures elemMeasures
}

// bare returns the place that an element without attributes shares with few others.
func (m *Measurer) bare(tag atom.Atom) *bareElement {
	return &m.bares[uint32(tag)*0x9e3779b1>>(32-bareBits)]
}

const bareBits = 6

// element returns the measures of an element.
func (m *Measurer) element(p *page.Page, e page.ElementID) elemMeasures {
	tag := p.Elements[e].Tag
	if tag == 0 || len(p.Attrs(e)) > 0 {
		return m.namedElement(p, e)
	}
	bare := m.bare(tag)
	if bare.tag != tag {
		*bare = bareElement{tag, m.namedElement(p, e)}
	}
	return bare.measures
}

// namedElement returns the measures of an element with names.
func (m *Measurer) namedElement(p *page.Page, e page.ElementID) elemMeasures {
	m.buf = append(m.buf[:0], p.Elements[e].Name...)
	for _, a := range p.Attrs(e) {
		if a.Key == "class" || a.Key == "id" || vocab.IsNaming(a.Key) {
			m.buf = append(append(append(append(m.buf, 0), a.Key...), 0), a.Val...)
		}
	}
	key := m.elems.BytesKey(m.buf, m.salt)
	got, ok := m.elems.Get(key)
	if !ok {
		got = m.newElement(p, e)
		m.elems.Put(key, got)
	}
	return got
}

func (m *Measurer) newElement(p *page.Page, e page.ElementID) elemMeasures {
	id, _ := p.Attr(e, "id")
	class, _ := p.Attr(e, "class")
	r := m.ElementNames(p, e, id, class)
	got := elemMeasures{Names: r.Set, Facts: r.Facts, About: facts.NamesOf(p, e)}
	if r.Count > 0 {
		got.NameOdds = r.Leaning / float32(r.Count)
	}
	m.buf = append(append(m.buf[:0], p.Elements[e].Name...), '#')
	m.buf = append(vocab.AppendMasked(m.buf, id), '.')
	m.buf = vocab.AppendMasked(m.buf, class)
	got.own = m.hash.Bytes(m.buf)
	if id != "" || class != "" {
		got.Spot = got.own
	}
	return got
}
