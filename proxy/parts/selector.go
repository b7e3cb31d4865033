package parts

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/winnow-proxy/winnow/model/page"
)

// Selector returns a CSS selector of an element that is likely to match the same part on the site's other pages: by its
// id or classes where an author has named them, else by where it stands in the nearest element that has such a name.
func Selector(p *page.Page, e page.ElementID) string {
	var steps []string
	for ; e != page.None && len(steps) < deepestSelector; e = p.Elements[e].Parent {
		step, named := stepOf(p, e)
		steps = append(steps, step)
		if named {
			break
		}
	}
	slices.Reverse(steps)
	return strings.Join(steps, " > ")
}

// deepestSelector bounds the elements in a selector, maxClasses the classes of one.
const (
	deepestSelector = 8
	maxClasses      = 3
)

// stepOf selects an element among its siblings. named says that its name is enough.
func stepOf(p *page.Page, e page.ElementID) (step string, named bool) {
	el := &p.Elements[e]
	if id, _ := p.Attr(e, "id"); stable(id) {
		return "#" + id, true
	}
	step = el.Name
	if !plain(step) {
		step = "*"
	}
	if el.Name == "body" || el.Name == "html" || el.Name == "main" {
		return step, true
	}
	class, _ := p.Attr(e, "class")
	n := 0
	for _, name := range strings.Fields(class) {
		if stable(name) && n < maxClasses {
			step += "." + name
			n++
		}
	}
	if n > 0 {
		return step, true
	}
	if nth, more := nthOfType(p, e); more && step != "*" {
		step += ":nth-of-type(" + nth + ")"
	}
	return step, false
}

// nthOfType returns which of the siblings of its name an element is, and whether there are several.
func nthOfType(p *page.Page, e page.ElementID) (nth string, more bool) {
	up := p.Elements[e].Parent
	if up == page.None {
		return "1", false
	}
	count, at := 0, 0
	for c := range p.Children(up) {
		if p.Elements[c].Name == p.Elements[e].Name {
			count++
		}
		if c == e {
			at = count
		}
	}
	return strconv.Itoa(at), count > 1
}

// plain reports whether an element's name stands for itself in a selector.
func plain(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && name[0] >= 'a'
}

// stable reports whether a name looks like one that an author has given, rather than one that a program numbers or
// hashes anew, and needs no escapes in a selector.
func stable(name string) bool {
	digits := 0
	for i, c := range name {
		switch {
		case c >= '0' && c <= '9':
			digits++
			if i == 0 {
				return false
			}
		case c == '-' || c == '_':
		case c > unicode.MaxASCII || !unicode.IsLetter(c):
			return false
		}
	}
	return len(name) > 1 && len(name) <= 40 && digits < 2 && name[0] != '-'
}
