package source

import (
	"fmt"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/active"
	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// The names of winnow's attributes begin with labelPrefix. To rename an origin's attribute of such a name, renaming is
// inserted after "data-".
const (
	labelPrefix = "data-winnow"
	renaming    = "origin-"
)

// foreignLabels returns the insertions that rename the origin's own data-winnow attributes, because clients would take
// these for ours. Nothing is cut: the text after an attribute could be read as its value, or as the end of its tag. It
// fails if one has no place in the source, like those of a second body tag.
func foreignLabels(p *page.Page) ([]insertion, error) {
	isLabel := func(a page.Attr) bool { return strings.HasPrefix(a.Key, labelPrefix) }
	if !p.AnyAttr(isLabel) {
		return nil, nil
	}
	var adds []insertion
	known := map[*page.Attr]bool{} // a clone shares the attributes of its original
	for e := range p.Elements {
		if el := &p.Elements[e]; el.StartTag.Known() && labels(p, page.ElementID(e)) > 0 {
			keys := map[string]bool{}
			htmltree.Keys(string(p.Source[el.StartTag.Start:el.StartTag.End]), func(key string, at int) {
				if strings.HasPrefix(key, labelPrefix) {
					keys[key] = true
					adds = append(adds, insertion{el.StartTag.Start + int32(at+len("data-")), renaming})
				}
			})
			known[&p.Attrs(page.ElementID(e))[0]] = len(keys) >= labels(p, page.ElementID(e))
		}
	}
	for e := range p.Elements {
		if labels(p, page.ElementID(e)) > 0 && !known[&p.Attrs(page.ElementID(e))[0]] {
			return nil, fmt.Errorf("%w: an attribute of the origin's is named like those of winnow", active.ErrUnsafe)
		}
	}
	return adds, nil
}

// labels counts the attributes of e with a name like winnow's own.
func labels(p *page.Page, e page.ElementID) (n int) {
	for _, a := range p.Attrs(e) {
		if strings.HasPrefix(a.Key, labelPrefix) {
			n++
		}
	}
	return n
}
