package override

import (
	"golang.org/x/net/html" //nolint:depguard // cascadia matches nothing else; these nodes are made here and stay here

	"github.com/winnow-proxy/winnow/model/page"
)

// selectorTree is the page in the form that selectors need, indexed by page.ElementID. It is built from the flat page,
// not from the parser's tree.
type selectorTree []*html.Node

func selectorTreeOf(p *page.Page) selectorTree {
	s := make(selectorTree, len(p.Elements))
	document := &html.Node{Type: html.DocumentNode}
	for e := range p.Elements {
		el := &p.Elements[e]
		n := &html.Node{Type: html.ElementNode, Data: el.Name, DataAtom: el.Tag}
		for _, a := range p.Attrs(page.ElementID(e)) {
			n.Attr = append(n.Attr, html.Attribute{Key: a.Key, Val: a.Val})
		}
		s[e] = n
		if el.Parent == page.None {
			document.AppendChild(n)
		}
	}
	for e := range p.Elements {
		s.fill(p, page.ElementID(e))
	}
	return s
}

// fill gives e its children and texts in order.
func (s selectorTree) fill(p *page.Page, e page.ElementID) {
	texts := func(from, to int32) {
		for _, t := range p.Texts[from:to] {
			s[e].AppendChild(&html.Node{Type: html.TextNode, Data: t.Data})
		}
	}
	p.Walk(e, texts, func(c page.ElementID) { s[e].AppendChild(s[c]) })
}
