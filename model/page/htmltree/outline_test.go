package htmltree

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// outline renders a tree of x/net/html: elements with namespaces and attributes, each text by itself, comments.
func outline(doc *html.Node) string {
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch n.Type {
		case html.ElementNode:
			b.WriteString("<" + n.Namespace + " " + n.Data + "/" + n.DataAtom.String())
			for _, a := range n.Attr {
				b.WriteString(" " + strings.TrimPrefix(a.Namespace+":"+a.Key, ":") + "=" + a.Val)
			}
			b.WriteString(">")
		case html.TextNode:
			b.WriteString("{" + n.Data + "}")
		case html.CommentNode:
			b.WriteString("<!>")
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		if n.Type == html.ElementNode {
			b.WriteString("</>")
		}
	}
	for c := doc.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			walk(c)
		}
	}
	return b.String()
}

// treeOutline renders a tree of this package in the same way.
func treeOutline(t *Tree) string {
	if t.Root == None {
		return ""
	}
	var b strings.Builder
	var walk func(id ID)
	walk = func(id ID) {
		n := &t.Nodes[id]
		switch n.Kind {
		case Element:
			b.WriteString("<" + [...]string{"", "svg", "math"}[n.Namespace] + " " + t.Data(n) + "/" + n.Tag.String())
			for _, a := range t.Attrs[n.AttrStart:n.AttrEnd] {
				b.WriteString(" " + a.Key + "=" + a.Val)
			}
			b.WriteString(">")
		case Text:
			if !n.Joined {
				b.WriteString("{")
			}
			b.WriteString(t.Data(n))
			if n.Next == None || !t.Nodes[n.Next].Joined {
				b.WriteString("}")
			}
		case Comment:
			b.WriteString("<!>")
		}
		for c := n.First; c != None; c = t.Nodes[c].Next {
			walk(c)
		}
		if n.Kind == Element {
			b.WriteString("</>")
		}
	}
	walk(t.Root)
	return b.String()
}

// sameTree fails unless the tree of src is that of x/net/html. If x/net/html fails, Parse must fail too, except for a
// state that x/net/html calls bad.
func sameTree(t testing.TB, src string) {
	t.Helper()
	var got string
	err := Parse(src, nil, func(tree *Tree) error {
		got = treeOutline(tree)
		checkRanges(t, tree, src)
		return nil
	})
	if errors.Is(err, ErrTooMany) {
		return // x/net/html may not come to an end
	}
	doc, parserErr := html.Parse(strings.NewReader(src))
	switch {
	case parserErr != nil && strings.Contains(parserErr.Error(), "exceeds 512"):
		if err == nil {
			t.Fatalf("%.300q: no error, want one like %v", src, parserErr)
		}
		return
	case parserErr != nil:
		return
	case err != nil:
		t.Fatalf("%.300q: %v", src, err)
	}
	if want := outline(doc); got != want {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		t.Fatalf("tree of %.300q differs\n got %.200q\nwant %.200q", src, got[max(0, i-60):], want[max(0, i-60):])
	}
}

// checkRanges fails if a range of the source does not have what the node says.
func checkRanges(t testing.TB, tree *Tree, src string) {
	t.Helper()
	for id := range tree.Nodes {
		n := &tree.Nodes[id]
		switch {
		case n.Kind == Element && n.End > 0:
			tag := src[n.Start:n.End]
			if !strings.HasPrefix(tag, "<") || !strings.HasSuffix(tag, ">") || tree.Data(n) != "img" && !equalFold(tag[1:1+nameLen(tag[1:])], lowerASCII(tree.Data(n))) &&
				!strings.ContainsRune(tree.Data(n), '\uFFFD') {
				t.Errorf("start tag of %s is %q", tree.Data(n), tag)
			}
			if n.Close < n.End {
				t.Errorf("%s at [%d,%d) ends at %d", tree.Data(n), n.Start, n.End, n.Close)
			}
		case n.Kind == Text && n.End > 0 && n.End <= n.Start:
			t.Errorf("text %q at [%d,%d)", tree.Data(n), n.Start, n.End)
		}
	}
}
