package htmltree

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// inForeign reports whether the rules for svg and math apply to the token (HTML §13.2.6).
func (b *builder) inForeign() bool {
	if len(b.open) == 0 || b.top().Namespace == HTML || b.tok.kind == endOfPage {
		return false
	}
	n, tag := b.top(), b.tok.name.tag
	starts, says := b.tok.kind == startTag, b.tok.kind == text
	switch {
	case b.isMathText(n) && (says || starts && tag != atom.Mglyph && tag != atom.Malignmark):
		return false
	case n.Namespace == MathML && n.Tag == atom.AnnotationXml && starts && tag == atom.Svg:
		return false
	}
	return !(starts || says) || !b.holdsHTML(n)
}

// isMathText reports whether an element of math may contain text of HTML.
func (b *builder) isMathText(n *Node) bool {
	if n.Namespace != MathML {
		return false
	}
	switch b.data(n) {
	case "mi", "mo", "mn", "ms", "mtext":
		return true
	}
	return false
}

// holdsHTML reports whether an element of svg or math may contain elements of HTML.
func (b *builder) holdsHTML(n *Node) bool {
	switch {
	case n.Namespace == SVG:
		data := b.data(n)
		return data == "desc" || data == "foreignObject" || data == "title"
	case n.Namespace == MathML && n.Tag == atom.AnnotationXml:
		for _, a := range b.tree.Attrs[n.AttrStart:n.AttrEnd] {
			if a.Key == "encoding" && (strings.EqualFold(a.Val, "text/html") || strings.EqualFold(a.Val, "application/xhtml+xml")) {
				return true
			}
		}
	}
	return false
}

// foreign handles a token in svg or math (§13.2.6.5).
func (b *builder) foreign() bool {
	switch b.tok.kind {
	case text:
		b.framesetOK = b.framesetOK && isBlank(b.tok.data)
		b.replaceNUL("\uFFFD")
		b.addText(b.tok.data, b.tok.at)
	case comment:
		b.addComment()
	case startTag:
		if b.breaksOut() {
			b.leaveForeign()
			return b.mode(b)
		}
		b.addForeign(b.top().Namespace)
		b.scan.raw = ""
	case endTag:
		return b.endForeign()
	}
	return true
}

// breaksOut reports whether the start tag ends svg and math.
func (b *builder) breaksOut() bool {
	if b.tok.name.tag == atom.Font {
		for _, a := range b.scan.attrs {
			switch lowerName(b.scan.src[a.keyStart:a.keyEnd]) {
			case "color", "face", "size":
				return true
			}
		}
	}
	return b.tok.name.props&breakout != 0
}

// leaveForeign ends open elements up to one that may hold HTML.
func (b *builder) leaveForeign() {
	for i := len(b.open) - 1; i >= 0; i-- {
		if n := b.node(b.open[i]); n.Namespace == HTML || b.holdsHTML(n) || b.isMathText(n) {
			b.popTo(i + 1)
			return
		}
	}
}

// addForeign opens an element of svg or math. If its tag closes itself, it only adds the element.
func (b *builder) addForeign(ns Namespace) {
	n := b.newElement(ns)
	node, adjusted := b.node(n), known.svgAttrs
	if ns == MathML {
		adjusted = known.mathAttrs
	}
	attrs := b.attrs(n)
	for i := range attrs {
		if key, ok := adjusted[attrs[i].Key]; ok {
			attrs[i].Key = key
		}
	}
	if data, ok := known.svgTags[b.data(node)]; ok && ns == SVG {
		svg := b.scan.names.add(data)
		node.name, node.Tag = svg.id, svg.tag
	}
	node.props &^= special | scopeStop
	if b.isMathText(node) || ns == MathML && node.Tag == atom.AnnotationXml || ns == SVG && b.holdsHTML(node) {
		node.props |= special | scopeStop
	}
	b.add(n)
	if b.tok.selfClosing {
		b.pop()
	}
}

// endForeign handles an end tag in svg or math.
func (b *builder) endForeign() bool {
	name := b.scan.names.text(b.tok.name.id)
	for i := len(b.open) - 1; i >= 0; i-- {
		if strings.EqualFold(b.data(b.node(b.open[i])), name) {
			b.popTo(i)
			return true
		}
		if i > 0 && b.node(b.open[i-1]).Namespace == HTML {
			break
		}
	}
	return b.mode(b)
}
