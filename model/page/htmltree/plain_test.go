package htmltree

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// part is an element with what [Plain] says about it.
type part struct {
	name, text string
	attrs      []Attr
}

// plainParts returns the tags of a page, and whether it is plain.
func plainParts(src string) (tags []part, plain bool) {
	plain = Plain(src, func(t *StartTag) bool {
		tags = append(tags, part{t.Name, t.Text, t.Attrs(nil, func(string, string) bool { return true })})
		return true
	})
	return tags, plain
}

// plainAgrees fails if a page that Plain takes for plain has a fragility, or an element that is none of its tags.
func plainAgrees(t *testing.T, src string) {
	t.Helper()
	tags, plain := plainParts(src)
	if !plain {
		return
	}
	err := Parse(src, nil, func(tree *Tree) error {
		if tree.Fragile != 0 {
			t.Errorf("%q is said to be plain, and has %v", src, tree.Fragile)
		}
		for i := range tree.Nodes {
			n := &tree.Nodes[i]
			if n.Kind != Element || n.Namespace != HTML || n.AttrStart == n.AttrEnd && n.End == 0 {
				continue
			}
			attrs := tree.Attrs[n.AttrStart:n.AttrEnd]
			if !slices.ContainsFunc(tags, func(p part) bool { return p.holds(tree, n, attrs) }) {
				t.Errorf("%q is said to be plain, and has <%s %v>", src, tree.Data(n), attrs)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrTooDeep) && !errors.Is(err, ErrTooMany) {
		t.Error(err)
	}
}

// holds reports whether the element n is that of a tag. The attributes of html and body may come from several tags, and
// those of a link may be in another order.
func (p part) holds(tree *Tree, n *Node, attrs []Attr) bool {
	name := tree.Data(n)
	if p.name != name && !(p.name == "image" && name == "img") {
		return false
	}
	if name == "script" && n.First != None && tree.Data(&tree.Nodes[n.First]) != p.text {
		return false
	}
	return name == "html" || name == "body" || len(attrs) == len(p.attrs) && !slices.ContainsFunc(attrs, func(a Attr) bool {
		return !slices.Contains(p.attrs, a)
	})
}

func TestPlain(t *testing.T) {
	for _, c := range []struct {
		src   string
		plain bool
	}{
		{"<!DOCTYPE html><p>a<li>b</b><table><tr><td>c", true},
		{"<svg viewBox=x><title>a</title><g><path d=x /></g><style>b{}</style></svg>", true},
		{"<svg/><p>a", true},
		{"<svg><g></svg>", false},
		{"<svg><p></p></svg>", false},
		{"<svg><title><b></title></svg>", false},
		{"<svg><desc></desc></svg>", false},
		{"<svg><style/></svg>", false},
		{"<math></math>", false},
		{"<select><option>a<option>b</select>", true},
		{"<select><b></b></select>", false},
		{"<select><select></select>", false},
		{"<select></p></select>", false},
		{"<template><div><a>b</a></div><style>c</style></template>", true},
		{"<template><div></template>", false},
		{"<template><a><a></a></a></template>", false},
		{"<template><p></p></template>", false},
		{"<svg><template></template></svg>", false},
		{"<template>", false},
		{"<script>a</script>", true},
		{"<script>a", false},
		{"<script>a</script x", false},
		{"<script>", false},
		{"<script><!--<script></script>--></script>", true},
		{"<noscript><img src=x></noscript>", true},
		{"<noscript><!--</noscript>-->", false},
		{"<plaintext>", false},
		{"<frameset>", false},
	} {
		if _, plain := plainParts(c.src); plain != c.plain {
			t.Errorf("%q: plain is %t, want %t", c.src, plain, c.plain)
		}
		plainAgrees(t, c.src)
	}
	for _, doc := range conformanceTests(t) {
		plainAgrees(t, doc)
	}
}

// The doctypes that need no second parser are read as by x/net/html.
func TestKnownDoctypes(t *testing.T) {
	for _, kind := range []string{"Transitional", "Strict", "Frameset"} {
		for _, between := range []string{" ", "", "\n\t", "x"} {
			doctype := `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 ` + kind + `//EN"` + between + `"http://www.w3.org/TR/xhtml1/DTD/xhtml1-` +
				strings.ToLower(kind) + `.dtd">`
			sameTree(t, doctype+"<p>a<table>b")
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, doc := range conformanceTests(f) {
		f.Add(doc)
	}
	f.Fuzz(plainAgrees)
}
