package cssrules

import (
	"fmt"
	"strings"
)

// Selector selects elements by what is stable about them. It uses only the part of CSS that every reader and blocker
// understands, also those that translate CSS to XPath: names, ids, classes, values of attributes, the position among
// siblings of one name, descendants and children.
type Selector []step

// step is one element on the way to what a selector selects.
type step struct {
	// child says that the element is a child of the one before it; otherwise it is a descendant.
	child bool
	// tag is the element's name, empty for any.
	tag string
	// id, classes and attrs are what the element has. At least one of them or tag is set.
	id      string
	classes []string
	attrs   []attr
	// nth is the position among the siblings of that tag, from 1, and 0 for any.
	nth int
}

// attr is an attribute with a value.
type attr struct{ key, val string }

// String returns the selector in CSS.
func (s Selector) String() string {
	var b strings.Builder
	for i, st := range s {
		switch {
		case i == 0:
		case st.child:
			b.WriteString(" > ")
		default:
			b.WriteByte(' ')
		}
		b.WriteString(st.css())
	}
	return b.String()
}

func (st step) css() string {
	var b strings.Builder
	b.WriteString(st.tag)
	if st.id != "" {
		b.WriteString("#" + st.id)
	}
	for _, c := range st.classes {
		b.WriteString("." + c)
	}
	for _, a := range st.attrs {
		fmt.Fprintf(&b, `[%s="%s"]`, a.key, a.val)
	}
	if st.nth > 0 {
		fmt.Fprintf(&b, ":nth-of-type(%d)", st.nth)
	}
	return b.String()
}

// XPath returns the selector in XPath 1.0.
func (s Selector) XPath() string {
	var b strings.Builder
	for i, st := range s {
		if st.child && i > 0 {
			b.WriteByte('/')
		} else {
			b.WriteString("//")
		}
		b.WriteString(st.xpath())
	}
	return b.String()
}

func (st step) xpath() string {
	var b strings.Builder
	if b.WriteString(st.tag); st.tag == "" {
		b.WriteByte('*')
	}
	if st.nth > 0 {
		fmt.Fprintf(&b, "[%d]", st.nth) // before the others, because it counts the siblings of that name
	}
	if st.id != "" {
		fmt.Fprintf(&b, "[@id='%s']", st.id)
	}
	for _, c := range st.classes {
		fmt.Fprintf(&b, "[contains(concat(' ', normalize-space(@class), ' '), ' %s ')]", c)
	}
	for _, a := range st.attrs {
		fmt.Fprintf(&b, "[@%s='%s']", a.key, a.val)
	}
	return b.String()
}

// isPlain reports whether the names of all elements can stand in CSS and XPath as they are. In pages they can have any
// character, as in <o:p>.
func (s Selector) isPlain() bool {
	for _, st := range s {
		for i := range len(st.tag) {
			if c := st.tag[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
				return false
			}
		}
	}
	return true
}

// cost is how much a selector must hide or hold to be worth its place: long ones and those by position break first.
func (s Selector) cost() float64 {
	c := 1 + float64(len(s))*.25
	for _, st := range s {
		c += .25 * float64(max(0, len(st.classes)+len(st.attrs)-1))
		if st.nth > 0 {
			c++
		}
	}
	return c
}
