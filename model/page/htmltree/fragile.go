package htmltree

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// Fragility is a set of reasons why parts of a document depend on others for being inert. Parsers differ in such places,
// too: this one follows x/net/html, browsers follow the standard as it was when they were made.
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
)

// String names the reasons.
func (f Fragility) String() string {
	var names []string
	for i, name := range []string{"frameset", "unclosed svg or math", "unclosed template", "unclosed raw text", "escaped script",
		"mixed select", "template in svg or math"} {
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
