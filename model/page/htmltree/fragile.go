package htmltree

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// Fragility is a set of reasons why parts of a document are inert only because of other parts. Parsers also differ in
// such cases: this one follows x/net/html, and browsers follow the standard as it was at their time.
type Fragility uint8

// The reasons.
const (
	// FramesetSeen: a frameset replaces a body without contents, and is dropped elsewhere.
	FramesetSeen Fragility = 1 << iota
	// ForeignUnclosed: svg or math ends without its end tag.
	ForeignUnclosed
	// TemplateUnclosed: a template ends without its end tag, or while elements in it are open.
	TemplateUnclosed
	// RawTextUnclosed: a script, style, title or the like continues to the end of the page.
	RawTextUnclosed
	// ScriptEscaped: a script's text has a comment with markup in it, and parsers differ in where the script ends.
	ScriptEscaped
	// SelectMixed: a select has elements that browsers used to drop, and that decide how their text is read.
	SelectMixed
	// TemplateForeign: a template is in svg or math.
	TemplateForeign
	// NoscriptLeaks: without scripting, the contents of a noscript decide how the rest is parsed.
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

// noteStart records the fragility from the start tag of a new element.
func (b *builder) noteStart(tag atom.Atom) {
	switch tag {
	case atom.Frameset:
		b.tree.Fragile |= FramesetSeen
	case atom.Plaintext:
		b.tree.Fragile |= RawTextUnclosed
	case atom.Select:
		b.selects++
	default:
		if b.selects > 0 && switches(tag) {
			b.tree.Fragile |= SelectMixed
		}
	}
}

// switches reports whether an element decides how the source after its tag is cut into tokens, or is dropped in places
// where another parser would keep it. Scripts and templates are read alike in a select and outside.
func switches(tag atom.Atom) bool {
	switch tag {
	case atom.Title, atom.Textarea, atom.Style, atom.Xmp, atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript, atom.Plaintext,
		atom.Svg, atom.Math, atom.Frameset, atom.Input, atom.Keygen, atom.Table, atom.Form, atom.Select,
		atom.Object, atom.Applet, atom.Marquee: // the last three bound the scope of the end of the select
		return true
	}
	return false
}

// noteEnd records the fragility from the end of an element.
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

// noteNoscript records the fragility from the text of a noscript, which is the current token.
func (b *builder) noteNoscript() {
	if b.tree.Fragile&NoscriptLeaks == 0 && !standsAlone(b.scan.src[b.tok.start:], int(b.tok.end-b.tok.start)) {
		b.tree.Fragile |= NoscriptLeaks
	}
}

// standsAlone reports whether the first n bytes of src are tags and texts that do not change how a parser cuts the rest
// into tokens. Elements whose effect depends on the tree (math, svg but for drawings, and what decides about text in a
// select) count as doubtful.
func standsAlone(src string, n int) bool {
	s, t := scanner{src: src, tagsOnly: true}, token{}
	templates, selects, drawings := 0, 0, 0
	for s.next(&t); int(t.start) < n; s.next(&t) {
		switch tag := t.name.tag; {
		case t.kind == startTag && (tag == atom.Math || tag == atom.Frameset):
			return false
		case t.kind == startTag && selects > 0 && switches(tag):
			return false
		case tag == atom.Svg && (t.kind == startTag || drawings > 0):
			if !t.selfClosing {
				drawings += step(t.kind)
			}
		case drawings > 0 && tag == atom.Title && (t.kind == endTag || isPlainTitle(src[t.end:])):
		case drawings > 0 && t.kind != text && (t.kind > endTag || !draws(t.name)):
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
	return !s.escaped && t.kind == endTag && int(t.start) == n && templates == 0 && selects == 0 && drawings == 0
}

// draws reports whether an element is one of svg that contains only such elements or text (HTML §13.2.6.5).
func draws(n name) bool {
	return int(n.id) >= len(known.list) && n.tag != atom.Desc && n.tag != atom.Foreignobject
}

// isPlainTitle reports whether a title's text, which begins src, ends at its end tag however it is read.
func isPlainTitle(src string) bool {
	lt := strings.IndexByte(src, '<')
	return lt >= 0 && endsRaw(src[lt+1:], "title")
}

// step is 1 for a start tag, -1 for an end tag.
func step(k kind) int {
	if k == startTag {
		return 1
	}
	return -1
}
