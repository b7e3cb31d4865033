package htmltree

import (
	"strings"

	"golang.org/x/net/html/atom"
)

const space = " \t\r\n\f"

// spaceLen returns the length of the white space that s starts with.
func spaceLen(s string) int {
	for i := range len(s) {
		if !isSpace(s[i]) {
			return i
		}
	}
	return len(s)
}

// isBlank reports whether s has nothing but white space and zero bytes.
func isBlank(s string) bool {
	for i := range len(s) {
		if !isSpace(s[i]) && s[i] != 0 {
			return false
		}
	}
	return true
}

// skip removes n bytes from the start of the current text.
func (b *builder) skip(n int) {
	b.tok.data = b.tok.data[n:]
	if b.tok.at >= 0 {
		b.tok.at += int32(n)
	}
}

// skipNewline removes the newline that a pre or a textarea may start with.
func (b *builder) skipNewline() {
	b.skip(len(b.tok.data) - len(strings.TrimPrefix(strings.TrimPrefix(b.tok.data, "\r"), "\n")))
}

// replaceNUL replaces the zero bytes in the current text.
func (b *builder) replaceNUL(by string) {
	if strings.IndexByte(b.tok.data, 0) >= 0 {
		b.tok.data, b.tok.at = strings.ReplaceAll(b.tok.data, "\x00", by), -1
	}
}

// initial is the mode before the doctype (HTML §13.2.6.4.1).
func (b *builder) initial() bool {
	switch b.tok.kind {
	case text:
		if b.skipSpace() {
			return true
		}
	case comment:
		return true
	case doctype:
		b.quirks = isQuirky(b.scan.src[b.tok.start:b.tok.end])
		b.mode = (*builder).beforeHTML
		return true
	}
	b.quirks = true
	b.mode = (*builder).beforeHTML
	return false
}

// skipSpace removes white space from the start of the current text, and reports whether nothing is left.
func (b *builder) skipSpace() bool {
	b.skip(spaceLen(b.tok.data))
	return b.tok.data == ""
}

// addSpace adds the white space at the start of the current text, and reports whether nothing is left.
func (b *builder) addSpace() bool {
	n := spaceLen(b.tok.data)
	b.addText(b.tok.data[:n], b.tok.at)
	b.skip(n)
	return b.tok.data == ""
}

// beforeHTML is the mode before the html element (§13.2.6.4.2).
func (b *builder) beforeHTML() bool {
	switch b.tok.kind {
	case doctype, comment:
		return true
	case text:
		if b.skipSpace() {
			return true
		}
	case startTag:
		if b.tok.name.tag == atom.Html {
			b.addElement()
			b.mode = (*builder).beforeHead
			return true
		}
	case endTag:
		if !endsHead(b.tok.name.tag) {
			return true
		}
	}
	b.imply(startTag, atom.Html)
	return false
}

// endsHead reports whether an end tag of this kind begins the page where it has not begun.
func endsHead(tag atom.Atom) bool {
	return tag == atom.Head || tag == atom.Body || tag == atom.Html || tag == atom.Br
}

// beforeHead is the mode before the head element (§13.2.6.4.3).
func (b *builder) beforeHead() bool {
	switch b.tok.kind {
	case text:
		if b.skipSpace() {
			return true
		}
	case startTag:
		switch b.tok.name.tag {
		case atom.Head:
			b.addElement()
			b.head = b.open[len(b.open)-1]
			b.mode = (*builder).inHead
			return true
		case atom.Html:
			return b.inBody()
		}
	case endTag:
		if !endsHead(b.tok.name.tag) {
			return true
		}
	case comment:
		b.addComment()
		return true
	case doctype:
		return true
	}
	b.imply(startTag, atom.Head)
	return false
}

// inHead is the mode in the head element (§13.2.6.4.4).
func (b *builder) inHead() bool {
	switch b.tok.kind {
	case text:
		if b.addSpace() {
			return true
		}
	case startTag:
		if done, is := b.headStart(); is {
			return done
		}
	case endTag:
		switch b.tok.name.tag {
		case atom.Head:
			b.pop()
			b.mode = (*builder).afterHead
			return true
		case atom.Body, atom.Html, atom.Br:
		case atom.Template:
			if b.inOpenTemplate() {
				b.endTemplate()
			}
			return true
		default:
			return true
		}
	case comment:
		b.addComment()
		return true
	case doctype:
		return true
	}
	b.imply(endTag, atom.Head)
	return false
}

// headStart handles a start tag that belongs into the head, and reports whether it is one.
func (b *builder) headStart() (done, is bool) {
	switch b.tok.name.tag {
	case atom.Html:
		return b.inBody(), true
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta:
		b.addVoid()
	case atom.Noscript, atom.Script, atom.Title, atom.Noframes, atom.Style:
		b.addRawText()
	case atom.Head:
	case atom.Template:
		b.startTemplate()
	default:
		return false, false
	}
	return true, true
}

// addRawText opens an element whose content is not markup.
func (b *builder) addRawText() {
	b.addElement()
	b.afterText = b.mode
	b.mode = (*builder).inText
}

// inText is the mode in raw text (§13.2.6.4.8).
func (b *builder) inText() bool {
	switch b.tok.kind {
	case endOfPage:
		b.tree.Fragile |= RawTextUnclosed
		b.pop()
	case text:
		switch n := b.top(); {
		case n.Tag == atom.Textarea && n.First == None:
			b.skipNewline()
		case n.Tag == atom.Noscript:
			b.noteNoscript()
		}
		b.addText(b.tok.data, b.tok.at)
		return true
	case endTag:
		b.pop()
	}
	b.mode = b.afterText
	return b.tok.kind == endTag
}

// startTemplate opens a template (§13.2.6.4.4). In svg and math x/net/html drops the rest of the page.
func (b *builder) startTemplate() {
	for _, n := range b.open {
		if b.node(n).Namespace != HTML {
			b.mode = (*builder).ignore
			b.tree.Fragile |= TemplateForeign
			return
		}
	}
	b.addElement()
	b.addMarker()
	b.framesetOK = false
	b.mode = (*builder).inTemplate
	b.templates = append(b.templates, (*builder).inTemplate)
}

func (b *builder) ignore() bool { return true }

// endTemplate ends the innermost template.
func (b *builder) endTemplate() {
	b.endImplied(0)
	if b.topTag() != atom.Template {
		b.tree.Fragile |= TemplateUnclosed
	}
	for i := len(b.open) - 1; i >= 0; i-- {
		if n := b.node(b.open[i]); n.Namespace == HTML && n.Tag == atom.Template {
			b.popTo(i)
			break
		}
	}
	b.clearActive()
	if n := len(b.templates); n > 0 {
		b.templates = b.templates[:n-1]
	}
	b.resetMode()
}

// afterHead is the mode between head and body (§13.2.6.4.6).
func (b *builder) afterHead() bool {
	switch b.tok.kind {
	case text:
		if b.addSpace() {
			return true
		}
	case startTag:
		switch b.tok.name.class {
		case classHTML:
			return b.inBody()
		case classBody:
			b.addElement()
			b.framesetOK = false
			b.mode = (*builder).inBody
			return true
		case classFrameset:
			b.addElement()
			b.mode = (*builder).inFrameset
			return true
		case classHead:
			b.push(b.head)
			done := b.inHead()
			b.removeHead()
			return done
		}
		if b.tok.name.tag == atom.Head {
			return true
		}
	case endTag:
		switch b.tok.name.tag {
		case atom.Body, atom.Html, atom.Br:
		case atom.Template:
			return b.inHead()
		default:
			return true
		}
	case comment:
		b.addComment()
		return true
	case doctype:
		return true
	}
	b.imply(startTag, atom.Body)
	b.framesetOK = true
	return b.tok.kind == endOfPage
}

// removeHead removes the head, which was reopened for one element, from the stack of open elements.
func (b *builder) removeHead() {
	b.tree.Moved = true
	b.removeOpen(b.head)
}

// inTemplate is the mode in a template (§13.2.6.4.18).
func (b *builder) inTemplate() bool {
	switch b.tok.kind {
	case startTag:
		next := (*builder).inBody
		switch b.tok.name.tag {
		case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta, atom.Noframes, atom.Script, atom.Style,
			atom.Template, atom.Title:
			return b.inHead()
		case atom.Caption, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead:
			next = (*builder).inTable
		case atom.Col:
			next = (*builder).inColumns
		case atom.Tr:
			next = (*builder).inTableBody
		case atom.Td, atom.Th:
			next = (*builder).inRow
		}
		b.templates[len(b.templates)-1] = next
		b.mode = next
		return false
	case endTag:
		if b.tok.name.tag == atom.Template {
			return b.inHead()
		}
		return true
	case endOfPage:
		if !b.inOpenTemplate() {
			return true
		}
		b.endTemplate()
		return false
	}
	return b.inBody()
}

// resetMode finds the mode that the open elements require (§13.2.4.1).
func (b *builder) resetMode() {
	for i := len(b.open) - 1; i >= 0; i-- {
		n := b.node(b.open[i])
		if m := modeIn(n); m != nil {
			b.mode = m
			return
		}
		switch {
		case n.Tag == atom.Template && n.Namespace == HTML:
			if len(b.templates) > 0 {
				b.mode = b.templates[len(b.templates)-1]
			}
			return
		case n.Tag == atom.Html && b.head == None:
			b.mode = (*builder).beforeHead
			return
		case n.Tag == atom.Html:
			b.mode = (*builder).afterHead
			return
		}
	}
	b.mode = (*builder).inBody
}

// modeIn returns the mode that an element requires, or nil if it is the same as outside of it.
func modeIn(n *Node) mode {
	switch n.Tag {
	case atom.Td, atom.Th:
		return (*builder).inCell
	case atom.Tr:
		return (*builder).inRow
	case atom.Tbody, atom.Thead, atom.Tfoot:
		return (*builder).inTableBody
	case atom.Caption:
		return (*builder).inCaption
	case atom.Colgroup:
		return (*builder).inColumns
	case atom.Table:
		return (*builder).inTable
	case atom.Head:
		return (*builder).inHead
	case atom.Body:
		return (*builder).inBody
	case atom.Frameset:
		return (*builder).inFrameset
	}
	return nil
}
