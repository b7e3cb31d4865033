// Package htmltree builds the tree of an HTML document by the standard's rules (HTML §13.2) and records the place of
// each tag and text in the source.
//
// The trees are those of golang.org/x/net/html with scripting on, including its differences from the standard. The
// tests compare both packages. This package adds what the other lacks: byte ranges, nodes in one slice instead of one
// allocation each, and bounds on the cost of a page.
package htmltree

import (
	"errors"
	"sync"

	"golang.org/x/net/html/atom"
)

// The bounds on a page. Ordinary pages stay far below them.
const (
	// MaxOpen is how many elements may be open at once (golang/go#76279).
	MaxOpen = 512
	// MaxElements bounds the elements, including clones that the rules make, MaxTokens all tags, texts and comments,
	// MaxAttrs the attributes.
	MaxElements = 150_000
	MaxTokens   = 4 * MaxElements
	MaxAttrs    = 2 * MaxElements
)

var (
	// ErrTooDeep says that more than [MaxOpen] elements are open at once.
	ErrTooDeep = errors.New("more than 512 elements are open at once")
	// ErrTooMany says that a page has more than [MaxElements], [MaxTokens] or [MaxAttrs].
	ErrTooMany = errors.New("too many elements, tags or attributes")
)

// ID is the index of a node in [Tree.Nodes].
type ID int32

// None stands for "no node".
const None ID = -1

// Kind is the kind of a node.
type Kind uint8

// The kinds of nodes. Comments have no data.
const (
	Element Kind = iota
	Text
	Comment
)

// Namespace is the namespace of an element.
type Namespace uint8

// The namespaces.
const (
	HTML Namespace = iota
	SVG
	MathML
)

// Node is one element, text or comment.
type Node struct {
	// name is the name of an element. A text stands at src[at:at+size], or for at < 0 in decoded[size].
	name     nameID
	at, size int32
	// Tag is the atom of an element's name, 0 where it has none.
	Tag atom.Atom
	// Parent, First, Last, Prev and Next link the tree.
	Parent, First, Last, Prev, Next ID
	// Start and End are the range of the start tag or text in the source. Both are 0 for nodes without a range of their
	// own: elements that the rules made up, white space, raw text.
	Start, End int32
	// Close is where an element ends: after its end tag, or before the tag that ended it. It is valid if Tree.Moved is
	// false, or if the nodes up to After are those of the element's subtree.
	Close int32
	// EndTag is the start of the end tag that ends at Close, or 0 if the element has no end tag of its own.
	EndTag int32
	// After is the number of nodes at the time when the element ended.
	After ID
	// AttrStart and AttrEnd delimit an element's attributes in Tree.Attrs.
	AttrStart, AttrEnd int32
	Kind               Kind
	Namespace          Namespace
	// Joined says that a text continues its previous sibling: both are one text.
	Joined bool

	props props
}

// Attr is an attribute. Its key is in lower case (except for names of svg and math that are not), and its value has
// character references resolved.
type Attr struct {
	Key, Val string
}

// Tree is the tree of a document. Nodes are in the order of their creation, which is that of the source.
type Tree struct {
	Nodes []Node
	Attrs []Attr // valid as long as the tree
	// Root is the html element.
	Root ID
	// Elements and Texts count what the tree has.
	Elements, Texts int
	src             string
	decoded         []string
	names           *pageNames
	// Fragile says why a change in one place of the source may turn inert parts of another into markup, or the other
	// way round. It is 0 if there is no reason.
	Fragile Fragility
	// Moved says that document order is not the order of Nodes, or that a subtree is not one range of them.
	Moved bool
}

// Data returns the name of an element, or the data of a text.
func (t *Tree) Data(n *Node) string {
	switch {
	case n.Kind == Element:
		return t.names.text(n.name)
	case n.at < 0:
		return t.decoded[n.size]
	}
	return t.src[n.at : n.at+n.size]
}

//nolint:gochecknoglobals // room for the next tree, of which nothing can be seen
var builders = sync.Pool{New: func() any { return new(builder) }}

// poolNodes is how many nodes, and how many attributes, a tree may have had for its room to be kept.
const poolNodes = 1 << 15

// Parse builds the tree of a document and passes it to use. The tree is invalid when use returns. canceled, if not nil,
// is called now and then, and its error ends the work. The error is [ErrTooDeep], [ErrTooMany], or that of canceled or
// of use.
func Parse(src string, canceled func() error, use func(*Tree) error) error {
	b := builders.Get().(*builder)
	defer func() {
		if cap(b.tree.Nodes) <= poolNodes && cap(b.tree.Attrs) <= poolNodes {
			b.clear()
			builders.Put(b)
		}
	}()
	if err := b.build(src, canceled); err != nil {
		return err
	}
	return use(&b.tree)
}

// append makes a node the last child of parent.
func (t *Tree) append(parent, n ID) {
	t.insert(parent, n, None)
}

// insert makes a node a child of parent, before one of its children or, if before is None, as the last.
func (t *Tree) insert(parent, n, before ID) {
	p, node := &t.Nodes[parent], &t.Nodes[n]
	prev := p.Last
	if before != None {
		prev = t.Nodes[before].Prev
		t.Nodes[before].Prev = n
	} else {
		p.Last = n
	}
	if prev != None {
		t.Nodes[prev].Next = n
	} else {
		p.First = n
	}
	node.Parent, node.Prev, node.Next = parent, prev, before
}

// detach removes a node from its parent, if it has one.
func (t *Tree) detach(n ID) {
	node := &t.Nodes[n]
	if node.Parent == None {
		return
	}
	if p := &t.Nodes[node.Parent]; true {
		if p.First == n {
			p.First = node.Next
		}
		if p.Last == n {
			p.Last = node.Prev
		}
	}
	if node.Next != None {
		t.Nodes[node.Next].Prev = node.Prev
	}
	if node.Prev != None {
		t.Nodes[node.Prev].Next = node.Next
	}
	node.Parent, node.Prev, node.Next = None, None, None
	t.Moved = true
}
