package taught

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// level says how closely a lesson describes its elements. The widest comes first.
type level uint8

const (
	// named: the element's tag, id and classes, in any position.
	named level = iota + 1
	// pathed: also the tags and ids of the elements around it.
	pathed
	// exact: also their classes, like the path in a style tree.
	exact
	// counted: also the number of each of them among its siblings of the same name.
	counted
	// worded: exact, and the element's text.
	worded
)

// String names a level for people.
func (l level) String() string {
	switch l {
	case named:
		return "named"
	case pathed:
		return "pathed"
	case exact:
		return "exact"
	case counted:
		return "counted"
	case worded:
		return "worded"
	}
	return "nothing"
}

// most is the length in bytes of the longest text that a worded key is computed from.
const most = 64 << 10

// places computes the keys of a page's elements. A key is a keyed hash. It is 0 where an element has no key at that
// level.
type places struct {
	p    *page.Page
	hash model.Hasher
	// name is the hash of each element's own tag, id and classes. bare says that it has only a tag. The others are
	// indexed like name.
	name                   []uint64
	bare                   []bool
	path, exact, countedTo []uint64
	body                   page.ElementID
}

func placesOf(p *page.Page, h model.Hasher) *places {
	n := len(p.Elements)
	hashes := make([]uint64, 4*n)
	s := &places{p: p, hash: h, name: hashes[:n], path: hashes[n : 2*n], exact: hashes[2*n : 3*n], countedTo: hashes[3*n:],
		bare: make([]bool, n), body: max(p.Body, 0)}
	for e := range p.Elements {
		s.names(page.ElementID(e))
	}
	for e := range p.Elements {
		s.children(page.ElementID(e))
	}
	return s
}

// names fills in the name and the path of e.
func (s *places) names(e page.ElementID) {
	el := &s.p.Elements[e]
	id, classes := "", []string(nil)
	if e > s.body { // names on html and body distinguish pages, not parts
		id, _ = s.p.Attr(e, "id")
		class, _ := s.p.Attr(e, "class")
		classes = slices.DeleteFunc(strings.Fields(class), func(c string) bool { return !isSteady(c) })
		slices.Sort(classes)
		if !isSteady(id) {
			id = ""
		}
	}
	tagged := el.Name + "#" + id
	s.name[e] = s.hash.String("taught name " + tagged + "." + strings.Join(classes, "."))
	s.bare[e] = id == "" && len(classes) == 0
	up := uint64(0)
	if el.Parent != page.None {
		up = s.path[el.Parent]
	}
	s.path[e] = s.hash.Combine(up, s.hash.String(tagged))
}

// children fills in the exact and counted keys of the children of e.
func (s *places) children(e page.ElementID) {
	count := map[uint64]uint64{}
	for c := range s.p.Children(e) {
		count[s.name[c]]++
		s.exact[c] = s.hash.Combine(s.exact[e], s.name[c])
		s.countedTo[c] = s.hash.Combine(s.countedTo[e], s.name[c], count[s.name[c]])
	}
}

// at returns the key of e at a level, or 0 where it has none. An element without id and class has no key by its name.
// If it is part of the text (a paragraph, an item), it has a key only by its words; the title of a page also has one in
// its place, because there is one on each page.
func (s *places) at(l level, e page.ElementID) uint64 {
	frame := isFrame(s.p.Elements[e].Tag)
	title := l == exact && s.p.Elements[e].Tag == atom.H1
	if e <= s.body || s.bare[e] && (l == named || l < worded && !frame && !title) {
		return 0
	}
	switch l {
	case named:
		return s.hash.Combine(uint64(l), s.name[e])
	case pathed:
		return s.hash.Combine(uint64(l), s.path[s.p.Elements[e].Parent], s.name[e])
	case exact:
		return s.hash.Combine(uint64(l), s.exact[e])
	case counted:
		if frame {
			return s.hash.Combine(uint64(l), s.countedTo[e])
		}
	case worded:
		if text := s.text(e); text != "" {
			return s.hash.Combine(uint64(l), s.exact[e], s.hash.String(text))
		}
	}
	return 0
}

// text returns the letters of e in lower case. It is empty where there are none or too many.
func (s *places) text(e page.ElementID) string {
	el := &s.p.Elements[e]
	var b strings.Builder
	for _, t := range s.p.Texts[el.TextStart:el.TextEnd] {
		if t.Block == page.None {
			continue
		}
		if b.Len()+len(t.Data) > most {
			return ""
		}
		for _, r := range t.Data {
			if unicode.IsLetter(r) {
				b.WriteRune(unicode.ToLower(r))
			}
		}
	}
	return b.String()
}

// isFrame reports whether elements of a tag lay out a page, so that their position tells what they are. The positions
// of paragraphs, rows and items only follow from the amount of text.
func isFrame(tag atom.Atom) bool {
	switch tag {
	case atom.Td, atom.Th, atom.Div, atom.Table, atom.Section, atom.Nav, atom.Header, atom.Footer, atom.Aside, atom.Form:
		return true
	}
	return false
}

// isSteady reports whether an id or a class may name the same part on several pages. Names with digits number pages and
// entries, and some names tell the state of a part.
func isSteady(name string) bool {
	switch strings.ToLower(name) {
	case "active", "current", "selected", "open", "opened", "closed", "hidden", "visible", "first", "last", "odd", "even", "alt":
		return false
	}
	return !strings.ContainsFunc(name, unicode.IsDigit)
}
