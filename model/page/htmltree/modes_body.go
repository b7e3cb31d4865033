package htmltree

import (
	"slices"

	"golang.org/x/net/html/atom"
)

// inBody is the mode in the body (HTML §13.2.6.4.7).
func (b *builder) inBody() bool {
	switch b.tok.kind {
	case text:
		b.bodyText()
	case startTag:
		return b.bodyStart()
	case endTag:
		return b.bodyEnd()
	case comment:
		b.addComment()
	case endOfPage:
		if len(b.templates) > 0 {
			b.mode = (*builder).inTemplate
			return false
		}
	}
	return true
}

func (b *builder) bodyText() {
	if n := b.top(); (n.Tag == atom.Pre || n.Tag == atom.Listing) && n.First == None {
		b.skipNewline()
	}
	if b.scan.hasNUL {
		b.replaceNUL("")
	}
	if b.tok.data == "" {
		return
	}
	b.reopen()
	b.addText(b.tok.data, b.tok.at)
	if b.framesetOK && spaceLen(b.tok.data) < len(b.tok.data) {
		b.framesetOK = false
	}
}

// bodyStart handles a start tag by its class.
func (b *builder) bodyStart() bool {
	switch b.tok.name.class {
	case classOther:
		b.reopen()
		b.addElement()
	case classHead:
		return b.inHead()
	case classBlock, classP, classPlaintext:
		b.closeP()
		b.addElement()
	case classA:
		b.startA()
	case classFormat:
		b.reopen()
		b.addFormatting()
	case classLi:
		b.startItem(func(tag atom.Atom) bool { return tag == atom.Li })
	case classDd:
		b.startItem(func(tag atom.Atom) bool { return tag == atom.Dd || tag == atom.Dt })
	case classHeading:
		b.closeP()
		if isHeading(b.topTag()) {
			b.pop()
		}
		b.addElement()
	case classVoid:
		b.reopen()
		b.addVoid()
		b.framesetOK = false
	case classTable:
		if !b.quirks {
			b.closeP()
		}
		b.addElement()
		b.framesetOK = false
		b.mode = (*builder).inTable
	case classForeign:
		b.reopen()
		ns := SVG
		if b.tok.name.tag == atom.Math {
			ns = MathML
		}
		b.addForeign(ns)
	case classStray:
	case classHTML, classBody, classFrameset:
		b.startAgain()
	case classImage:
		b.tok.name = b.scan.names.lookup("img")
		return false
	case classRb, classRt, classOption, classOptgroup, classSelect, classInput, classButton, classTextarea:
		return b.controlStart()
	default:
		b.startRare()
	}
	return true
}

// startRare handles the start tags of elements that few pages have.
func (b *builder) startRare() {
	switch b.tok.name.class {
	case classPre:
		b.closeP()
		b.addElement()
		b.framesetOK = false
	case classForm:
		b.startForm()
	case classNobr:
		b.reopen()
		if b.inScope(defaultScope, atom.Nobr) {
			b.endFormatting(atom.Nobr)
			b.reopen()
		}
		b.addFormatting()
	case classObject:
		b.reopen()
		b.addElement()
		b.addMarker()
		b.framesetOK = false
	case classParam:
		b.addVoid()
	case classHr:
		if b.inScope(buttonScope, atom.P) {
			b.endImplied(atom.P)
			b.popIn(defaultScope, atom.P)
		}
		if b.inScope(defaultScope, atom.Select) {
			b.endImplied(0)
		}
		b.addVoid()
		b.framesetOK = false
	case classXmp:
		b.closeP()
		b.reopen()
		b.framesetOK = false
		b.addRawText()
	case classIframe:
		b.framesetOK = false
		b.addRawText()
	case classRaw:
		b.addRawText()
	}
}

// controlStart handles the start tags of controls and of ruby.
func (b *builder) controlStart() bool {
	switch b.tok.name.class {
	case classTextarea:
		b.framesetOK = false
		b.addRawText()
		return true
	case classButton:
		if b.inScope(defaultScope, atom.Button) {
			b.endImplied(0)
			b.popIn(defaultScope, atom.Button)
		}
		b.reopen()
		b.addElement()
		b.framesetOK = false
		return true
	case classInput:
		b.popIn(defaultScope, atom.Select)
		b.reopen()
		b.addVoid()
		b.framesetOK = b.framesetOK && b.isHiddenInput()
		return true
	case classSelect:
		if i := b.indexIn(defaultScope, atom.Select); i >= 0 {
			n := b.open[i]
			b.popTo(i)
			b.node(n).Close = b.tok.end // the tag is no more than an end
			return true
		}
		b.reopen()
		b.framesetOK = false
	case classOption:
		b.endOption(atom.Optgroup)
	case classOptgroup:
		b.endOption(0)
	case classRb:
		if b.inScope(defaultScope, atom.Ruby) {
			b.endImplied(0)
		}
	case classRt:
		if b.inScope(defaultScope, atom.Ruby) {
			b.endImplied(atom.Rtc)
		}
	}
	b.addElement()
	return true
}

// endOption ends the elements that an option or optgroup ends, except, in a select, an element of one tag.
func (b *builder) endOption(but atom.Atom) {
	if b.inScope(defaultScope, atom.Select) {
		b.endImplied(but)
	} else if b.topTag() == atom.Option {
		b.pop()
	}
	b.reopen()
}

// startItem opens an item of a list, which ends the one before it.
func (b *builder) startItem(isItem func(atom.Atom) bool) {
	b.framesetOK = false
	for i := len(b.open) - 1; i >= 0; i-- {
		n := b.node(b.open[i])
		if isItem(n.Tag) {
			b.popTo(i)
			break
		}
		if n.props&special != 0 && n.Tag != atom.Address && n.Tag != atom.Div && n.Tag != atom.P {
			break
		}
	}
	b.closeP()
	b.addElement()
}

// startA opens a link, which ends one that is open.
func (b *builder) startA() {
	if n := b.activeOf(atom.A); n != None {
		b.endFormatting(atom.A)
		b.removeOpen(n)
		b.dropActive(n)
	}
	b.reopen()
	b.addFormatting()
}

func (b *builder) startForm() {
	inTemplate := b.inOpenTemplate()
	if b.form != None && !inTemplate {
		return
	}
	b.closeP()
	b.addElement()
	if !inTemplate {
		b.form = b.open[len(b.open)-1]
	}
}

// startAgain handles a second html, body or frameset tag.
func (b *builder) startAgain() {
	switch b.tok.name.class {
	case classFrameset:
		b.startFrameset()
	case classHTML:
		if !b.inOpenTemplate() {
			b.mergeAttrs(b.open[0])
		}
	case classBody:
		if !b.inOpenTemplate() && len(b.open) >= 2 && b.node(b.open[1]).Tag == atom.Body {
			b.framesetOK = false
			b.mergeAttrs(b.open[1])
		}
	}
}

// mergeAttrs adds the attributes of the current tag to an element that does not have them. An element that the rules
// made up gets the tag for its own.
func (b *builder) mergeAttrs(n ID) {
	own := slices.Clone(b.attrs(n))
	if b.merges += len(own) + len(b.scan.attrs); b.merges > MaxAttrs {
		b.err = ErrTooMany
		return
	}
	start := len(b.tree.Attrs)
	b.tree.Attrs = append(b.tree.Attrs, own...)
	has := make(map[string]bool, len(own))
	for _, a := range own {
		has[a.Key] = true
	}
	from := len(b.tree.Attrs)
	b.addAttrs()
	b.tree.Attrs = append(b.tree.Attrs[:from], slices.DeleteFunc(b.tree.Attrs[from:], func(a Attr) bool { return has[a.Key] })...)
	node := b.node(n)
	node.AttrStart, node.AttrEnd = int32(start), int32(len(b.tree.Attrs))
	if node.End == 0 {
		node.Start, node.End, node.Close = b.tok.start, b.tok.end, max(node.Close, b.tok.end)
		b.tree.Moved = true
	}
}

// bodyEnd handles an end tag by its class.
func (b *builder) bodyEnd() bool {
	tag := b.tok.name.tag
	switch b.tok.name.class {
	case classBody:
		if b.inScope(defaultScope, atom.Body) {
			b.endBody()
			b.mode = (*builder).afterBody
		}
	case classHTML:
		if b.inScope(defaultScope, atom.Body) {
			b.imply(endTag, atom.Body)
			return false
		}
	case classBlock, classButton, classPre, classSelect:
		if b.inScope(defaultScope, tag) {
			b.endImplied(0)
			b.popIn(defaultScope, tag)
		}
	case classForm:
		b.endForm()
	case classP:
		if !b.inScope(buttonScope, atom.P) {
			b.imply(startTag, atom.P)
		}
		b.closeP()
	case classLi:
		b.popIn(listScope, atom.Li)
	case classDd:
		b.popIn(defaultScope, tag)
	case classHeading:
		b.popWhere(defaultScope, isHeading)
	case classA, classFormat, classNobr:
		b.endFormatting(tag)
	case classObject:
		if b.popIn(defaultScope, tag) {
			b.clearActive()
		}
	case classVoid:
		if tag == atom.Br {
			b.tok.kind, b.tok.implied = startTag, true
			return false
		}
		b.endOther(tag, b.tok.name.id)
	case classHead:
		if tag == atom.Template {
			return b.inHead()
		}
		b.endOther(tag, b.tok.name.id)
	default:
		b.endOther(tag, b.tok.name.id)
	}
	return true
}

// endForm ends the form, at any position of the stack of open elements.
func (b *builder) endForm() {
	i := b.indexIn(defaultScope, atom.Form)
	if b.inOpenTemplate() {
		if i < 0 {
			return
		}
		b.endImplied(0)
		if i < len(b.open) && b.node(b.open[i]).Tag == atom.Form {
			b.popIn(defaultScope, atom.Form)
		}
		return
	}
	form := b.form
	b.form = None
	if form == None || i < 0 || b.open[i] != form {
		return
	}
	b.endImplied(0)
	for j := len(b.open) - 1; j > i; j-- {
		b.end(b.open[j], false) // in the source it ends here, though it stays open
	}
	b.removeOpen(form)
}
