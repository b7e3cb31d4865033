package htmltree

import "golang.org/x/net/html/atom"

// scope is how far up the stack of open elements a rule looks (HTML §13.2.4.2).
type scope uint8

const (
	defaultScope scope = iota
	listScope
	buttonScope
	tableScope
)

// stops reports whether an element bounds the scope.
func (s scope) stops(n *Node) bool {
	if s == tableScope {
		return n.Namespace == HTML && (n.Tag == atom.Html || n.Tag == atom.Table || n.Tag == atom.Template)
	}
	switch {
	case n.props&scopeStop != 0:
		return true
	case n.Namespace != HTML:
		return false
	case s == listScope:
		return n.Tag == atom.Ol || n.Tag == atom.Ul
	}
	return s == buttonScope && n.Tag == atom.Button
}

// indexIn returns the index of the innermost open element of a tag in a scope, -1 where there is none.
func (b *builder) indexIn(s scope, tag atom.Atom) int {
	for i := len(b.open) - 1; i >= 0; i-- {
		n := b.node(b.open[i])
		if n.Tag == tag && n.Namespace == HTML {
			return i
		}
		if s.stops(n) {
			return -1
		}
	}
	return -1
}

// indexWhere returns the index of the innermost open element in a scope whose tag is one of those wanted, or -1.
func (b *builder) indexWhere(s scope, wanted func(atom.Atom) bool) int {
	for i := len(b.open) - 1; i >= 0; i-- {
		n := b.node(b.open[i])
		if n.Namespace == HTML && wanted(n.Tag) {
			return i
		}
		if s.stops(n) {
			return -1
		}
	}
	return -1
}

func (b *builder) inScope(s scope, tag atom.Atom) bool { return b.indexIn(s, tag) >= 0 }

// popIn ends the innermost element of a tag in a scope and all in it, and reports whether there was one.
func (b *builder) popIn(s scope, tag atom.Atom) bool {
	i := b.indexIn(s, tag)
	if i >= 0 {
		b.popTo(i)
	}
	return i >= 0
}

// popWhere is popIn for several tags.
func (b *builder) popWhere(s scope, wanted func(atom.Atom) bool) bool {
	i := b.indexWhere(s, wanted)
	if i >= 0 {
		b.popTo(i)
	}
	return i >= 0
}

// closeP ends an open paragraph.
func (b *builder) closeP() {
	if b.paragraphs > 0 {
		b.popIn(buttonScope, atom.P)
	}
}

// endImplied ends the open elements that need no end tag, except those of one tag (§13.2.6.3).
func (b *builder) endImplied(but atom.Atom) {
	i := len(b.open)
	for i > 0 && b.node(b.open[i-1]).props&impliedEnd != 0 && (but == 0 || b.node(b.open[i-1]).Tag != but) {
		i--
	}
	b.popTo(i)
}

// clearTo ends open elements up to one of the given tags, html or template (§13.2.6.4.9, "clear the stack back to a
// table context" and the like).
func (b *builder) clearTo(isContext func(atom.Atom) bool) {
	for i := len(b.open) - 1; i >= 0; i-- {
		if tag := b.node(b.open[i]).Tag; tag == atom.Html || tag == atom.Template || isContext(tag) {
			b.popTo(i + 1)
			return
		}
	}
}

func isHeading(tag atom.Atom) bool {
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

func isTable(tag atom.Atom) bool { return tag == atom.Table }

func isRow(tag atom.Atom) bool { return tag == atom.Tr }

func isCell(tag atom.Atom) bool { return tag == atom.Td || tag == atom.Th }

func isTableBody(tag atom.Atom) bool {
	return tag == atom.Tbody || tag == atom.Thead || tag == atom.Tfoot
}
