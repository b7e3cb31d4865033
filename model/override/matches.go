package override

import (
	"fmt"

	"github.com/andybalholm/cascadia"

	"github.com/winnow-proxy/winnow/model/page"
)

// Matcher tries selectors on a page. It is safe for concurrent use.
type Matcher struct{ tree selectorTree }

// NewMatcher returns a matcher for a page.
func NewMatcher(p *page.Page) Matcher { return Matcher{selectorTreeOf(p)} }

// Count returns how many elements of the page a selector matches.
func (m Matcher) Count(selector string) (int, error) {
	found, err := m.Elements(selector)
	return len(found), err
}

// Elements returns the elements of the page that a selector matches, in document order.
func (m Matcher) Elements(selector string) (found []page.ElementID, err error) {
	group, err := cascadia.ParseGroup(selector)
	if err != nil {
		return nil, fmt.Errorf("selector %q: %w", selector, err)
	}
	for e, node := range m.tree {
		if group.Match(node) {
			found = append(found, page.ElementID(e))
		}
	}
	return found, nil
}
