package htmltree

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// Fragility is a set of reasons why parts of a document depend on others for being inert. Parsers differ in such
// places, too: this one follows x/net/html, browsers follow the standard as it was when they were made.
type Fragility uint8

// The reasons.
const (
	// FramesetSeen: a frameset takes the place of a body that has nothing in it yet, and is dropped elsewhere.
	FramesetSeen Fragility = 1 << iota
	// ForeignUnclosed: svg or math ends without its end tag.
	ForeignUnclosed
	// TemplateUnclosed: a template ends without its end tag, or while elements in it are open.
	TemplateUnclosed
	// RawTextUnclosed: a script, style, title or the like reaches to the end of the page.
	RawTextUnclosed
	// ScriptEscaped: a script's text has a comment with markup in it, so that its end depends on the comment's.
	ScriptEscaped
	// SelectMixed: a select holds elements that browsers used to drop.
	SelectMixed
	// TemplateForeign: a template stands in svg or math.
	TemplateForeign
	// NoscriptLeaks: to those who read without scripting, what a noscript holds decides how what follows it is read.
	NoscriptLeaks
)

// String names the reasons.
func (f Fragility) String() string {
	var names []string
	for i, name := range []string{"frameset", "unclosed svg or math", "unclosed template", "unclosed raw text", "escaped script",
		"mixed select", "template in svg or math", "leaking noscript"} {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// noteStart notes what the start tag of a new element makes fragile.
func (b *builder) noteStart(tag atom.Atom) {
	switch tag {
	case atom.Frameset:
		b.tree.Fragile |= FramesetSeen
	case atom.Plaintext:
		b.tree.Fragile |= RawTextUnclosed
	case atom.Option, atom.Optgroup, atom.Hr, atom.Script, atom.Template:
	case atom.Select:
		b.selects++
	default:
		if b.selects > 0 {
			b.tree.Fragile |= SelectMixed
		}
	}
}

// noteEnd notes what the end of an element makes fragile.
func (b *builder) noteEnd(n *Node) {
	switch {
	case n.Namespace != HTML:
		if root := n.Parent == None || b.node(n.Parent).Namespace == HTML; root && n.EndTag == 0 && n.Close != n.End {
			b.tree.Fragile |= ForeignUnclosed
		}
	case n.Tag == atom.Select:
		b.selects--
	case n.Tag == atom.Template && n.EndTag == 0:
		b.tree.Fragile |= TemplateUnclosed
	}
}

// noteNoscript notes what the text of a noscript, which is the current token, makes fragile.
func (b *builder) noteNoscript() {
	if b.tree.Fragile&NoscriptLeaks == 0 && !standsAlone(b.scan.src[b.tok.start:], int(b.tok.end-b.tok.start)) {
		b.tree.Fragile |= NoscriptLeaks
	}
}

// standsAlone reports whether the first n bytes of src are tags and texts that leave a parser as it was, as far as what
// comes next is cut into tokens. What decides that in the tree, beside its tokens (svg and math, and what browsers used
// to drop in a select), counts as doubtful.
func standsAlone(src string, n int) bool {
	s, t := scanner{src: src}, token{}
	templates, selects := 0, 0
	for s.next(&t); int(t.start) < n; s.next(&t) {
		switch tag := t.name.tag; {
		case t.kind == startTag && (tag == atom.Svg || tag == atom.Math || tag == atom.Frameset):
			return false
		case t.kind == startTag && selects > 0 && tag != atom.Option && tag != atom.Optgroup && tag != atom.Hr:
			return false
		case tag == atom.Noscript:
			s.raw = "" // in one another too they hold markup
		case tag == atom.Template:
			templates += step(t.kind)
		case tag == atom.Select:
			selects += step(t.kind)
		}
		if templates < 0 || selects < 0 {
			return false
		}
	}
	return t.kind == endTag && int(t.start) == n && templates == 0 && selects == 0
}

// step is 1 for a start tag, -1 for an end tag.
func step(k kind) int {
	if k == startTag {
		return 1
	}
	return -1
}
