package htmltree

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// mode is an insertion mode (HTML §13.2.4.1). It reports whether it has handled the token. Otherwise the token goes to
// the mode that the builder is in afterwards.
type mode func(*builder) bool

// marker separates the active formatting elements of cells, captions and objects from those outside (§13.2.4.3).
const marker ID = -2

// builder is the state of tree construction (§13.2.6).
type builder struct {
	scan scanner
	tok  token
	tree Tree
	// open is the stack of open elements, active the list of active formatting elements.
	open, active []ID
	mode         mode
	// afterText is the mode to go back to after raw text.
	afterText mode
	// templates are the modes of the open templates.
	templates []mode
	// head and form are the elements of that name, None before them.
	head, form ID
	// framesetOK says that a frameset may still replace the body.
	framesetOK bool
	// fostering says that contents of a table move before it.
	fostering bool
	quirks    bool
	// tokens and merges bound the work.
	tokens, merges int
	// selects and paragraphs are the numbers of open elements of these kinds.
	selects, paragraphs int
	err                 error
}

// build builds the tree of src.
func (b *builder) build(src string, canceled func() error) error {
	b.scan.reset(src)
	b.tree = Tree{Nodes: b.tree.Nodes[:0], Attrs: b.tree.Attrs[:0], Root: None, src: src, decoded: b.tree.decoded[:0]}
	*b = builder{scan: b.scan, tree: b.tree, open: b.open[:0], active: b.active[:0], templates: b.templates[:0],
		mode: (*builder).initial, head: None, form: None, framesetOK: true}
	b.tree.names = &b.scan.names
	const often = 1 << 12
	for b.err == nil {
		b.scan.cdata = len(b.open) > 0 && b.top().Namespace != HTML
		b.scan.next(&b.tok)
		b.process()
		if b.tok.kind == endOfPage {
			break
		}
		if b.tokens++; b.tokens > MaxTokens {
			return ErrTooMany
		}
		if canceled != nil && b.tokens%often == 0 && b.err == nil {
			b.err = canceled()
		}
	}
	for len(b.open) > 0 && b.err == nil {
		b.pop()
	}
	if b.scan.escaped {
		b.tree.Fragile |= ScriptEscaped
	}
	return b.err
}

// clear drops the page.
func (b *builder) clear() {
	clear(b.tree.decoded)
	clear(b.tree.Attrs)
	b.tree = Tree{Nodes: b.tree.Nodes[:0], Attrs: b.tree.Attrs[:0], decoded: b.tree.decoded[:0]}
	b.scan.reset("")
	b.tok, b.err = token{}, nil
}

// maxRounds bounds how many modes may pass a token on: in some tables in math and svg they do so without end, in
// x/net/html too.
const maxRounds = 1000

// process passes the token to the rules until one has handled it.
func (b *builder) process() {
	for done, rounds := false, 0; !done && b.err == nil; rounds++ {
		if b.inForeign() {
			done = b.foreign()
		} else {
			done = b.mode(b)
		}
		if rounds > maxRounds {
			b.err = ErrTooMany
		}
	}
}

// imply handles a tag that the source does not have.
func (b *builder) imply(k kind, tag atom.Atom) {
	before := b.tok
	b.tok = token{kind: k, name: b.scan.names.lookup(tag.String()), start: before.start, end: before.start, implied: true}
	b.process()
	b.tok = before
}

func (b *builder) node(n ID) *Node { return &b.tree.Nodes[n] }

// data returns the name of an element.
func (b *builder) data(n *Node) string { return b.tree.names.text(n.name) }

// top returns the current node; there must be one.
func (b *builder) top() *Node { return b.node(b.open[len(b.open)-1]) }

func (b *builder) topTag() atom.Atom {
	if len(b.open) == 0 {
		return 0
	}
	return b.top().Tag
}

// newNode makes a node that has no parent yet.
func (b *builder) newNode(n Node) ID {
	n.Parent, n.First, n.Last, n.Prev, n.Next = None, None, None, None, None
	b.tree.Nodes = append(b.tree.Nodes, n)
	return ID(len(b.tree.Nodes) - 1)
}

// newElement makes an element of the current tag.
func (b *builder) newElement(ns Namespace) ID {
	n := Node{Kind: Element, name: b.tok.name.id, Tag: b.tok.name.tag, Namespace: ns, props: b.tok.name.props}
	n.AttrStart = int32(len(b.tree.Attrs))
	if !b.tok.implied {
		n.Start, n.End = b.tok.start, b.tok.end
		b.addAttrs()
	}
	n.AttrEnd = int32(len(b.tree.Attrs))
	b.noteStart(n.Tag)
	return b.count(b.newNode(n))
}

// count counts one more element.
func (b *builder) count(n ID) ID {
	if b.tree.Elements++; b.tree.Elements > MaxElements || len(b.tree.Attrs) > MaxAttrs || len(b.scan.names.texts) > maxNames {
		b.err = ErrTooMany
	}
	return n
}

// addAttrs appends the attributes of the current tag.
func (b *builder) addAttrs() {
	s := &b.scan
	for _, a := range s.attrs {
		b.tree.Attrs = append(b.tree.Attrs, s.attr(a))
	}
}

// clone makes an element like n.
func (b *builder) clone(n ID) ID {
	o := b.node(n)
	return b.count(b.newNode(Node{Kind: Element, name: o.name, Tag: o.Tag, props: o.props, AttrStart: o.AttrStart, AttrEnd: o.AttrEnd}))
}

// attrs returns the attributes of an element.
func (b *builder) attrs(n ID) []Attr {
	return b.tree.Attrs[b.node(n).AttrStart:b.node(n).AttrEnd]
}

// add makes a node a child of the current node, or fosters it before the table, and opens it if it is an element.
func (b *builder) add(n ID) {
	switch {
	case b.shouldFoster():
		b.foster(n)
	case len(b.open) > 0:
		b.tree.append(b.open[len(b.open)-1], n)
	case b.tree.Root == None && b.node(n).Kind == Element:
		b.tree.Root = n
	}
	if b.node(n).Kind == Element {
		b.push(n)
	}
}

func (b *builder) push(n ID) {
	if b.node(n).Tag == atom.P {
		b.paragraphs++
	}
	if b.open = append(b.open, n); len(b.open) > MaxOpen {
		b.err = ErrTooDeep
	}
}

// addElement opens an element of the current tag.
func (b *builder) addElement() {
	b.add(b.newElement(HTML))
}

// addVoid adds an element of the current tag that has no content.
func (b *builder) addVoid() {
	b.addElement()
	b.pop()
}

// addComment adds a comment to the current node.
func (b *builder) addComment() {
	b.add(b.newNode(Node{Kind: Comment}))
}

// addText adds data, which is the current text or a part of it. at is its offset in the source, or -1.
func (b *builder) addText(data string, at int32) {
	if data == "" {
		return
	}
	n := Node{Kind: Text, at: at, size: int32(len(data))}
	if at < 0 {
		n.size = int32(len(b.tree.decoded))
		b.tree.decoded = append(b.tree.decoded, data)
	}
	if !b.tok.unmarked && !isBlank(data) {
		n.Start, n.End = b.tok.start, b.tok.end
	}
	id := b.newNode(n)
	b.tree.Texts++
	if b.shouldFoster() {
		b.foster(id)
		return
	}
	b.tree.append(b.open[len(b.open)-1], id)
	b.join(id)
}

// join records whether a text continues the one before it.
func (b *builder) join(n ID) {
	prev := b.node(n).Prev
	b.node(n).Joined = prev != None && b.node(prev).Kind == Text
}

func (b *builder) shouldFoster() bool {
	return b.fostering && len(b.open) > 0 && b.top().props&tablePart != 0
}

// foster adds a node before the innermost table (§13.2.6.1).
func (b *builder) foster(n ID) {
	b.tree.Moved = true
	table, template := b.lastOpen(atom.Table), b.lastOpen(atom.Template)
	if template >= 0 && template > table {
		b.tree.append(b.open[template], n)
		return
	}
	parent, before := b.open[0], None
	if table >= 0 {
		before = b.open[table]
		if parent = b.node(before).Parent; parent == None {
			parent, before = b.open[table-1], None
		}
	}
	b.tree.insert(parent, n, before)
	if b.node(n).Kind == Text {
		b.join(n)
	}
}

// lastOpen returns the index of the innermost open element of a tag, -1 where none is open.
func (b *builder) lastOpen(tag atom.Atom) int {
	for i := len(b.open) - 1; i >= 0; i-- {
		if b.node(b.open[i]).Tag == tag {
			return i
		}
	}
	return -1
}

// inOpenTemplate reports whether a template is open.
func (b *builder) inOpenTemplate() bool {
	return slices.ContainsFunc(b.open, func(n ID) bool { return b.node(n).Tag == atom.Template && b.node(n).Namespace == HTML })
}

// pop ends the current node.
func (b *builder) pop() { b.popTo(len(b.open) - 1) }

// popTo ends the open elements from index i on.
func (b *builder) popTo(i int) {
	for j := len(b.open) - 1; j >= i; j-- {
		b.end(b.open[j], j == i)
		if b.node(b.open[j]).Tag == atom.P {
			b.paragraphs--
		}
	}
	b.open = b.open[:i]
}

// end records where an element ends. last says that it is the outermost that the current token ends.
func (b *builder) end(n ID, last bool) {
	node := b.node(n)
	if node.After != 0 {
		return // it has ended already, but later contents are still put into it
	}
	node.Close, node.After = b.tok.start, ID(len(b.tree.Nodes))
	switch {
	case last && b.tok.kind == endTag && b.isNamed(node, b.tok.name):
		if node.Close = b.tok.end; !b.tok.implied {
			node.EndTag = b.tok.start
		}
	case last && b.tok.kind == endTag && b.tok.name.class == classHeading && isHeading(node.Tag):
		node.Close = b.tok.end
	case node.After == n+1 && node.End > node.Close:
		node.Close = node.End // it ends with its own start tag
	}
	b.noteEnd(node)
}

// isNamed reports whether an element has a name, that of svg in another case.
func (b *builder) isNamed(n *Node, k name) bool {
	return n.name == k.id || n.Namespace != HTML && strings.EqualFold(b.data(n), b.scan.names.text(k.id))
}

// endBody records that the body ends here, even if more contents follow.
func (b *builder) endBody() {
	for i := len(b.open) - 1; i >= 1; i-- {
		b.end(b.open[i], i == 1)
	}
}

// removeOpen removes an element from any position of the stack of open elements.
func (b *builder) removeOpen(n ID) {
	i := slices.Index(b.open, n)
	if i < 0 {
		return
	}
	if i < len(b.open)-1 {
		b.tree.Moved = true
	}
	b.end(n, true)
	if b.node(n).Tag == atom.P {
		b.paragraphs--
	}
	b.open = slices.Delete(b.open, i, i+1)
}
