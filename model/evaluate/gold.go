package evaluate

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// Truth is what people say of a part of a page.
type Truth uint8

// Readers differ on optional parts, which are judged neither way.
const (
	Noise Truth = iota
	Content
	Optional
)

// GoldElements says for each element of a page what it is. Content is what is in a match of a content selector, in no
// match of an exclude selector, and in no element that is never shown (script, hidden and the like). What is in an
// optional part is Optional. The elements are in document order of the x/net/html tree, so the index is a
// page.ElementID. Fitting takes its labels from here.
func (s *Site) GoldElements(src []byte, contentType string) ([]Truth, error) {
	doc, err := html.Parse(bytes.NewReader(toUTF8(src, contentType)))
	if err != nil {
		return nil, fmt.Errorf("parse page: %w", err)
	}
	var truths []Truth
	s.gold.walk(doc, goldState{}, func(_ *html.Node, st goldState) { truths = append(truths, st.truth()) })
	return truths, nil
}

// text is the visible text of the outermost content elements in document order, without excluded and optional parts.
func (s selectors) text(doc *html.Node) string {
	drop := map[*html.Node]bool{}
	var tops []*html.Node
	s.walk(doc, goldState{}, func(n *html.Node, st goldState) {
		if st.excluded || st.optional {
			drop[n] = true
		}
		if st.top && !st.dead && !st.optional {
			tops = append(tops, n)
		}
	})
	var b strings.Builder
	for _, n := range tops {
		appendVisible(&b, n, drop)
		b.WriteByte('\n')
	}
	return b.String()
}

// goldState is what the selectors say about an element on the path to it.
type goldState struct {
	inside   bool // the element or one above it matches a content selector
	dead     bool // the element or one above it is excluded or never shown
	top      bool // the element is the outermost match of a content selector
	excluded bool // the element itself matches an exclude selector
	optional bool // the element or one above it is optional
}

func (st goldState) truth() Truth {
	switch {
	case st.optional:
		return Optional
	case st.inside && !st.dead:
		return Content
	}
	return Noise
}

// walk calls visit with every element below n in document order.
func (s selectors) walk(n *html.Node, above goldState, visit func(*html.Node, goldState)) {
	st := above
	if n.Type == html.ElementNode {
		st.excluded = matchAny(s.exclude, n)
		st.dead = above.dead || st.excluded || neverShown(n)
		st.top = !above.inside && matchAny(s.content, n)
		st.inside = above.inside || st.top
		st.optional = above.optional || s.optionalOf(n) != notOptional
		visit(n, st)
	}
	for c := range n.ChildNodes() {
		s.walk(c, st, visit)
	}
}

func matchAny(sels []cascadia.Sel, n *html.Node) bool {
	for _, s := range sels {
		if s.Match(n) {
			return true
		}
	}
	return false
}
