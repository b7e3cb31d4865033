package evaluate

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// GoldElements says for each element of a page whether it is content: it is in a match of a content selector, in no
// match of an exclude selector and in no element that is never shown (script, hidden and the like). The elements are in
// document order of the x/net/html tree, so the index is a page.ElementID. Fitting takes its labels from here.
func (s *Site) GoldElements(src []byte, contentType string) ([]bool, error) {
	return s.gold.elements(src, contentType)
}

func (s selectors) elements(src []byte, contentType string) ([]bool, error) {
	doc, err := html.Parse(bytes.NewReader(toUTF8(src, contentType)))
	if err != nil {
		return nil, fmt.Errorf("parse page: %w", err)
	}
	var in []bool
	s.walk(doc, goldState{}, func(_ *html.Node, st goldState) { in = append(in, st.inside && !st.dead) })
	return in, nil
}

// text is the visible text of the outermost content elements in document order, without excluded parts.
func (s selectors) text(doc *html.Node) string {
	excluded := map[*html.Node]bool{}
	var tops []*html.Node
	s.walk(doc, goldState{}, func(n *html.Node, st goldState) {
		if st.excluded {
			excluded[n] = true
		}
		if st.top && !st.dead {
			tops = append(tops, n)
		}
	})
	var b strings.Builder
	for _, n := range tops {
		appendVisible(&b, n, excluded)
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
}

// walk calls visit with every element below n in document order.
func (s selectors) walk(n *html.Node, above goldState, visit func(*html.Node, goldState)) {
	st := above
	if n.Type == html.ElementNode {
		st.excluded = matchAny(s.exclude, n)
		st.dead = above.dead || st.excluded || neverShown(n)
		st.top = !above.inside && matchAny(s.content, n)
		st.inside = above.inside || st.top
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
