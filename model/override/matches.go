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
func (m Matcher) Count(selector string) (n int, err error) {
	group, err := cascadia.ParseGroup(selector)
	if err != nil {
		return 0, fmt.Errorf("selector %q: %w", selector, err)
	}
	for _, node := range m.tree {
		if group.Match(node) {
			n++
		}
	}
	return n, nil
}
