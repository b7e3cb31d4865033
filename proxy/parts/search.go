package parts

import (
	"net/url"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
)

// Search is a form of a page that searches its site.
type Search struct {
	// Action is the absolute address that it asks, Field the name of what people write.
	Action, Field string
	Hidden        []Field
}

// Field is a field that a form sends as it is.
type Field struct{ Name, Value string }

// maxSearches is the most forms of a page.
const maxSearches = 2

// Searches lists the search forms in what was removed, with absolute addresses. A form that sends its fields in a body,
// or has more than one to write in, is none.
func Searches(p *page.Page, m *page.Marking, base string) (found []Search) {
	from, err := url.Parse(base)
	if err != nil {
		return nil
	}
	for _, mark := range m.Marks {
		if mark.Element == page.None {
			continue
		}
		for e := mark.Element; e < p.Elements[mark.Element].Sub && len(found) < maxSearches; e++ {
			if s, ok := searchOf(p, e, from); ok {
				found = append(found, s)
			}
		}
	}
	return found
}

func searchOf(p *page.Page, form page.ElementID, from *url.URL) (s Search, ok bool) {
	method, _ := p.Attr(form, "method")
	if p.Elements[form].Name != "form" || method != "" && !strings.EqualFold(method, "get") {
		return s, false
	}
	action, _ := p.Attr(form, "action")
	to, err := from.Parse(strings.TrimSpace(action))
	if err != nil || to.Scheme != "http" && to.Scheme != "https" {
		return s, false
	}
	to.RawQuery, to.Fragment = "", ""
	s.Action = to.String()
	for e := form + 1; e < p.Elements[form].Sub; e++ {
		if p.Elements[e].Name != "input" {
			continue
		}
		name, _ := p.Attr(e, "name")
		kind, _ := p.Attr(e, "type")
		switch strings.ToLower(kind) {
		case "hidden":
			value, _ := p.Attr(e, "value")
			s.Hidden = append(s.Hidden, Field{name, value})
		case "", "text", "search":
			if s.Field != "" || name == "" {
				return s, false
			}
			s.Field = name
		case "password", "email", "file":
			return s, false
		}
	}
	return s, s.Field != ""
}
