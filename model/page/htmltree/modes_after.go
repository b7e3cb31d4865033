package htmltree

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// afterBody is the mode after the body's end tag (HTML §13.2.6.4.19).
func (b *builder) afterBody() bool {
	switch b.tok.kind {
	case endOfPage:
		return true
	case text:
		if spaceLen(b.tok.data) == len(b.tok.data) {
			return b.spaceAfterBody()
		}
	case startTag:
		if b.tok.name.tag == atom.Html {
			return b.inBody()
		}
	case endTag:
		if b.tok.name.tag == atom.Html {
			b.endHTML()
			b.mode = (*builder).afterAfterBody
			return true
		}
	case comment:
		b.tree.append(b.open[0], b.newNode(Node{Kind: Comment}))
		return true
	}
	b.backToBody()
	return false
}

// spaceAfterBody adds white space to the body, behind its end tag. A comment in between belongs to the html element, so
// that the body goes on behind it.
func (b *builder) spaceAfterBody() bool {
	if last := b.tree.Nodes[b.open[0]].Last; last != None && b.tree.Nodes[last].Kind == Comment {
		b.tree.Moved = true
	}
	return b.inBody()
}

// endHTML records that the html element ends here.
func (b *builder) endHTML() {
	b.end(b.open[0], true)
}

// backToBody continues the body after its end tag.
func (b *builder) backToBody() {
	b.tree.Moved = true
	b.mode = (*builder).inBody
}

// afterAfterBody is the mode after the html element's end tag (§13.2.6.4.22).
func (b *builder) afterAfterBody() bool {
	switch b.tok.kind {
	case endOfPage, comment:
		return true
	case text:
		if spaceLen(b.tok.data) == len(b.tok.data) {
			return b.spaceAfterBody()
		}
	case startTag:
		if b.tok.name.tag == atom.Html {
			return b.inBody()
		}
	case doctype:
		return b.inBody()
	}
	b.backToBody()
	return false
}

// startFrameset replaces a body without contents by a frameset.
func (b *builder) startFrameset() {
	b.tree.Fragile |= FramesetSeen
	if !b.framesetOK || len(b.open) < 2 || b.node(b.open[1]).Tag != atom.Body {
		return
	}
	b.tree.detach(b.open[1])
	b.popTo(1)
	b.addElement()
	b.mode = (*builder).inFrameset
}

// inFrameset is the mode in a frameset (§13.2.6.4.20).
func (b *builder) inFrameset() bool {
	switch b.tok.kind {
	case comment:
		b.addComment()
	case text:
		b.addText(onlySpace(b.tok.data), -1)
	case startTag:
		switch b.tok.name.tag {
		case atom.Html:
			return b.inBody()
		case atom.Frameset:
			b.addElement()
		case atom.Frame:
			b.addVoid()
		case atom.Noframes:
			return b.inHead()
		}
	case endTag:
		if b.tok.name.tag == atom.Frameset && b.topTag() != atom.Html {
			b.pop()
			if b.topTag() != atom.Frameset {
				b.mode = (*builder).afterFrameset
			}
		}
	}
	return true
}

// onlySpace returns the white space in a text.
func onlySpace(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(space, r) {
			return r
		}
		return -1
	}, s)
}

// afterFrameset is the mode after a frameset (§13.2.6.4.21).
func (b *builder) afterFrameset() bool {
	switch b.tok.kind {
	case comment:
		b.addComment()
	case text:
		b.addText(onlySpace(b.tok.data), -1)
	case startTag:
		switch b.tok.name.tag {
		case atom.Html:
			return b.inBody()
		case atom.Noframes:
			return b.inHead()
		}
	case endTag:
		if b.tok.name.tag == atom.Html {
			b.mode = (*builder).afterAfterFrameset
		}
	}
	return true
}

// afterAfterFrameset is the mode after the end tag that follows a frameset (§13.2.6.4.23).
func (b *builder) afterAfterFrameset() bool {
	switch b.tok.kind {
	case text:
		if s := onlySpace(b.tok.data); s != "" {
			b.tok.data, b.tok.at = s, -1
			return b.inBody()
		}
	case startTag:
		switch b.tok.name.tag {
		case atom.Html:
			return b.inBody()
		case atom.Noframes:
			return b.inHead()
		}
	case doctype:
		return b.inBody()
	}
	return true
}
