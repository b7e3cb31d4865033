package cascade

import (
	"iter"
	"slices"
	"strings"
)

// Tree is a page as the cascade sees it: its elements in document order, each after its parent.
type Tree interface {
	// Len is the number of elements. The first is the root.
	Len() int
	// Name is the name of an element in lower case, Parent its parent, -1 for the root.
	Name(e int) string
	Parent(e int) int
	// Attr is an attribute of an element, by its name in lower case, Attrs their number.
	Attr(e int, key string) (string, bool)
	Attrs(e int) int
	// Text is the text directly in an element.
	Text(e int) string
	// Quirks says that browsers read the page like those before 2000: ids and classes in any case, lengths without a
	// unit.
	Quirks() bool
}

// matcher matches selectors with elements. It counts steps, and matches nothing more when none are left.
type matcher struct {
	tree  Tree
	steps *int
	// doubts says what is taken for true that is not decided here, such as :valid.
	doubts bool
	quirks bool
	// before is the sibling before each element, after the one after it, first the first child, or none.
	before, after, first []int32
	// elements has what most selectors ask for.
	elements []element
	// ranks are made when they are first needed.
	ranks []rank
	// anchor and within are the elements that :has and @scope stand on.
	anchor, within int
}

// element is an element with what most selectors ask for.
type element struct {
	name, id, class string
	up              int32
	// above are the names of the elements around.
	above names
	// inside are those around its children, attrs the number of its attributes.
	inside names
	attrs  int
}

// names is a set of tags, ids and classes that tells of most names that it does not have them (a Bloom filter).
type names [4]uint64

// add adds the tag and the id of an element, where it has them.
func (n *names) add(tag, id string) {
	if tag != "" {
		n.set(tag, 0)
	}
	if id != "" {
		n.set(id, '#')
	}
}

func (n *names) addClass(class string) { n.set(class, '.') }

func (n *names) set(name string, kind uint32) {
	h := 2166136261 ^ kind // FNV-1a
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	h ^= h >> 15
	n[h>>6&3] |= 1 << (h & 63)
}

// mayHave reports whether all of the other names may be in the set.
func (n *names) mayHave(o *names) bool {
	return o[0]&^n[0]|o[1]&^n[1]|o[2]&^n[2]|o[3]&^n[3] == 0
}

// readElements reads what selectors ask for of each element.
func readElements(t Tree) []element {
	all := make([]element, t.Len())
	for e := range all {
		el := &all[e]
		el.name, el.up = t.Name(e), int32(t.Parent(e))
		el.id, _ = t.Attr(e, "id")
		el.class, _ = t.Attr(e, "class")
		el.attrs = t.Attrs(e)
		if el.up >= 0 {
			el.above = all[el.up].inside
		}
		el.inside = el.above
		el.inside.add(el.name, el.id)
		for class := range classes(el.class) {
			el.inside.addClass(class)
		}
	}
	return all
}

// classes yields the words of a class attribute. Only ASCII white space is between them (DOM §4.9).
func classes(list string) iter.Seq[string] {
	return strings.FieldsFuncSeq(list, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\f' })
}

const none = -1

func newMatcher(t Tree, steps *int) *matcher {
	n := t.Len()
	links := make([]int32, 4*n)
	for i := range links {
		links[i] = none
	}
	m := &matcher{tree: t, steps: steps, elements: readElements(t), quirks: t.Quirks(), before: links[:n], after: links[n : 2*n], first: links[2*n : 3*n], anchor: none, within: none}
	last := links[3*n:]
	for e := range n {
		up := t.Parent(e)
		if up < 0 {
			continue
		}
		if prev := last[up]; prev == none {
			m.first[up] = int32(e)
		} else {
			m.before[e], m.after[prev] = prev, int32(e)
		}
		last[up] = int32(e)
	}
	return m
}

// matchesAny reports whether one of the selectors selects e.
func (m *matcher) matchesAny(list []*selector, e int) bool {
	for _, s := range list {
		if m.matches(s, e) {
			return true
		}
	}
	return false
}

func (m *matcher) matches(s *selector, e int) bool {
	if !m.quirks && !m.elements[e].above.mayHave(&s.above) {
		*m.steps--
		return false
	}
	return m.from(s, len(s.compounds)-1, e)
}

// from matches the compounds up to i, the last of them with e.
func (m *matcher) from(s *selector, i, e int) bool {
	if !m.compound(&s.compounds[i], e) {
		return false
	}
	if i == 0 {
		return true
	}
	switch s.combinators[i-1] {
	case '>':
		up := int(m.elements[e].up)
		return up >= 0 && m.from(s, i-1, up)
	case '+':
		prev := int(m.before[e])
		return prev >= 0 && m.from(s, i-1, prev)
	case '~':
		for prev := int(m.before[e]); prev >= 0 && *m.steps >= 0; prev = int(m.before[prev]) {
			if m.from(s, i-1, prev) {
				return true
			}
		}
	default:
		for up := int(m.elements[e].up); up >= 0 && *m.steps >= 0; up = int(m.elements[up].up) {
			if m.from(s, i-1, up) {
				return true
			}
		}
	}
	return false
}

func (m *matcher) compound(c *compound, e int) bool {
	if *m.steps--; *m.steps < 0 {
		return false
	}
	el := &m.elements[e]
	if c.tag != "" && c.tag != el.name || c.id != "" && !m.same(el.id, c.id) {
		return false
	}
	for _, want := range c.classes {
		if !m.hasWord(el.class, want) {
			return false
		}
	}
	for i := range c.attrs {
		if !m.attr(&c.attrs[i], e) {
			return false
		}
	}
	for i := range c.pseudos {
		if !m.pseudo(&c.pseudos[i], e) {
			return false
		}
	}
	return true
}

func (m *matcher) same(a, b string) bool { return a == b || m.quirks && strings.EqualFold(a, b) }

func (m *matcher) hasWord(list, word string) bool {
	*m.steps -= len(list) / 256
	if !m.quirks && !strings.Contains(list, word) { // which most lists don't
		return false
	}
	for len(list) >= len(word) {
		i := strings.IndexAny(list, " \t\n\r\f")
		if i < 0 {
			return m.same(list, word)
		}
		if m.same(list[:i], word) {
			return true
		}
		list = list[i+1:]
	}
	return false
}

func (m *matcher) attr(a *attrTest, e int) bool {
	have, ok := m.tree.Attr(e, a.key)
	want := a.value
	*m.steps -= m.elements[e].attrs / 16
	if !ok || a.op == 0 {
		return ok
	}
	if *m.steps -= len(have) / 64; a.fold {
		have, want = strings.ToLower(have), strings.ToLower(want)
	}
	switch a.op {
	case '=':
		return have == want
	case '~':
		return want != "" && slices.Contains(strings.Fields(have), want)
	case '|':
		return have == want || strings.HasPrefix(have, want+"-")
	case '^':
		return want != "" && strings.HasPrefix(have, want)
	case '$':
		return want != "" && strings.HasSuffix(have, want)
	}
	return want != "" && strings.Contains(have, want)
}

func (m *matcher) pseudo(ps *pseudo, e int) bool {
	switch ps.name {
	case "is", "where", "&":
		return m.matchesAny(ps.args, e)
	case "not":
		return !m.matchesAny(ps.args, e)
	case "has":
		return m.hasInside(ps.args, e)
	case "anchor":
		return e == m.anchor
	case "scope":
		return e == m.within || m.within < 0 && e == 0
	case "root":
		return e == 0
	case "maybe":
		return m.doubts
	case "empty":
		return m.first[e] < 0 && m.tree.Text(e) == ""
	case "link", "any-link":
		_, ok := m.tree.Attr(e, "href")
		return ok && (m.tree.Name(e) == "a" || m.tree.Name(e) == "area")
	case "lang", "dir":
		return m.inherited(ps, e)
	case "checked":
		return m.has(e, "checked") || m.has(e, "selected")
	case "open":
		return m.has(e, "open")
	case "disabled":
		return m.isControl(e) && m.has(e, "disabled")
	case "enabled":
		return m.isControl(e) && !m.has(e, "disabled")
	case "never":
		return false
	}
	return m.position(ps, e)
}

func (m *matcher) has(e int, key string) bool {
	_, ok := m.tree.Attr(e, key)
	return ok
}

func (m *matcher) isControl(e int) bool {
	switch m.tree.Name(e) {
	case "button", "input", "select", "textarea", "option", "optgroup", "fieldset":
		return true
	}
	return false
}

// inherited matches :lang and :dir, which the nearest element with the attribute decides.
func (m *matcher) inherited(ps *pseudo, e int) bool {
	for ; e >= 0; e = m.tree.Parent(e) {
		if *m.steps--; *m.steps < 0 {
			return false
		}
		if v, ok := m.tree.Attr(e, ps.name); ok {
			v = strings.ToLower(v)
			return v == ps.word || ps.name == "lang" && strings.HasPrefix(v, ps.word+"-")
		}
	}
	return ps.name == "dir" && ps.word == "ltr"
}

// position matches the pseudo-classes that count siblings.
func (m *matcher) position(ps *pseudo, e int) bool {
	switch ps.name {
	case "first-child":
		return m.before[e] < 0
	case "last-child":
		return m.after[e] < 0
	case "only-child":
		return m.before[e] < 0 && m.after[e] < 0
	case "first-of-type":
		return m.rankOf(e).ofType == 1
	case "last-of-type":
		return m.rankOf(e).ofTypeBack == 1
	case "only-of-type":
		return m.rankOf(e).ofType == 1 && m.rankOf(e).ofTypeBack == 1
	}
	var n int
	switch {
	case len(ps.args) > 0:
		if n = m.count(ps, e); n == 0 {
			return false
		}
	case ps.name == "nth-child":
		n = int(m.rankOf(e).any)
	case ps.name == "nth-last-child":
		n = int(m.rankOf(e).anyBack)
	case ps.name == "nth-of-type":
		n = int(m.rankOf(e).ofType)
	default:
		n = int(m.rankOf(e).ofTypeBack)
	}
	if n -= ps.b; ps.a == 0 {
		return n == 0
	}
	return n%ps.a == 0 && n/ps.a >= 0
}

// rank is the place of an element among its siblings, and among those with its name, from both ends.
type rank struct{ any, anyBack, ofType, ofTypeBack int32 }

func (m *matcher) rankOf(e int) rank {
	if m.ranks == nil {
		m.rankAll()
	}
	return m.ranks[e]
}

func (m *matcher) rankAll() {
	type kind struct {
		up   int32
		name string
	}
	m.ranks = make([]rank, len(m.elements))
	counts := map[kind]int32{}
	for e := range m.ranks {
		el, r := &m.elements[e], &m.ranks[e]
		of := kind{el.up, el.name}
		counts[of]++
		if r.any, r.ofType = 1, counts[of]; m.before[e] >= 0 {
			r.any = m.ranks[m.before[e]].any + 1
		}
	}
	for e := len(m.ranks) - 1; e >= 0; e-- {
		el, r := &m.elements[e], &m.ranks[e]
		if r.anyBack, r.ofTypeBack = 1, counts[kind{el.up, el.name}]-r.ofType+1; m.after[e] >= 0 {
			r.anyBack = m.ranks[m.after[e]].anyBack + 1
		}
	}
}

// count is the place of e among the siblings that the selectors in :nth-child(an+b of …) select, 0 if it is none.
func (m *matcher) count(ps *pseudo, e int) int {
	if !m.matchesAny(ps.args, e) {
		return 0
	}
	links, n := m.before, 1
	if ps.name == "nth-last-child" {
		links = m.after
	}
	for s := links[e]; s >= 0 && *m.steps >= 0; s = links[s] {
		if m.matchesAny(ps.args, int(s)) {
			n++
		}
	}
	return n
}

// hasInside matches :has: its selectors begin with the element itself.
func (m *matcher) hasInside(list []*selector, e int) bool {
	defer func(was int) { m.anchor = was }(m.anchor)
	m.anchor = e
	for _, s := range list {
		from := int(m.first[e])
		for c := range s.combinators {
			if s.combinators[c] == '+' || s.combinators[c] == '~' {
				from = int(m.after[e]) // only what comes later can stand beside it
			}
			break
		}
		for d := from; d >= 0 && *m.steps >= 0; d = m.following(d, from) {
			if m.matches(s, d) {
				return true
			}
		}
	}
	return false
}

// following returns the element after d in document order, below the siblings from the first on.
func (m *matcher) following(d, first int) int {
	if c := m.first[d]; c >= 0 {
		return int(c)
	}
	top := m.tree.Parent(first)
	for d >= 0 && m.tree.Parent(d) != top && m.after[d] < 0 {
		d = m.tree.Parent(d)
	}
	if d < 0 {
		return none
	}
	return int(m.after[d])
}
