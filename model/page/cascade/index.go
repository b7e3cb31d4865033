package cascade

import (
	"slices"
	"strings"
)

// index finds the rules that may select an element by what their last compound asks for.
type index struct {
	byID, byClass, byTag, byAttr map[string][]entry
	all                          []entry
	quirks                       bool
}

// entry is one selector of a rule.
type entry struct {
	rule     *rule
	selector *selector
}

func newIndex(rules []*rule, quirks bool) *index {
	x := &index{byID: map[string][]entry{}, byClass: map[string][]entry{}, byTag: map[string][]entry{}, byAttr: map[string][]entry{}, quirks: quirks}
	for _, r := range rules {
		for _, s := range r.selectors {
			x.add(entry{r, s}, &s.compounds[len(s.compounds)-1], 0)
		}
	}
	return x
}

func (x *index) key(s string) string {
	if x.quirks {
		return strings.ToLower(s)
	}
	return s
}

// add puts an entry where elements that its last compound c selects look for it. It goes into alternatives such as
// those of :is(), if there are few.
func (x *index) add(en entry, c *compound, depth int) {
	switch {
	case c.id != "":
		put(x.byID, x.key(c.id), en)
	case len(c.classes) > 0:
		put(x.byClass, x.key(c.classes[0]), en)
	case len(c.attrs) > 0 && c.tag == "":
		put(x.byAttr, c.attrs[0].key, en)
	case c.tag != "":
		put(x.byTag, c.tag, en)
	default:
		const maxAlternatives = 64
		for _, ps := range c.pseudos {
			if (ps.name == "is" || ps.name == "where" || ps.name == "&") && len(ps.args) <= maxAlternatives && depth < 3 {
				for _, s := range ps.args {
					x.add(en, &s.compounds[len(s.compounds)-1], depth+1)
				}
				return
			}
		}
		x.all = append(x.all, en)
	}
}

func put(m map[string][]entry, key string, en entry) {
	if list := m[key]; len(list) == 0 || list[len(list)-1] != en {
		m[key] = append(list, en)
	}
}

// candidates calls try for the lists of entries that may select e, which may have an entry in common.
func (x *index) candidates(m *matcher, e int, try func([]entry)) {
	t, el := m.tree, &m.elements[e]
	try(x.all)
	try(x.byTag[el.name])
	if len(x.byID) > 0 && el.id != "" {
		try(x.byID[x.key(el.id)])
	}
	if len(x.byClass) > 0 {
		for c := range classes(el.class) {
			try(x.byClass[x.key(c)])
		}
	}
	if el.attrs == 0 {
		return
	}
	*m.steps -= len(x.byAttr) * (4 + el.attrs) / 8
	for key, list := range x.byAttr {
		if *m.steps < 0 {
			return
		}
		if _, ok := t.Attr(e, key); ok {
			try(list)
		}
	}
}

// match is a rule that selects an element.
type match struct {
	rule        *rule
	specificity specificity
	part        bool
}

// matched returns the rules that select e, those that yield first.
func (c *computer) matched(e int) []match {
	c.found = c.found[:0]
	c.turn++
	c.index.candidates(c.m, e, func(list []entry) {
		for _, en := range list {
			if *c.m.steps < 0 {
				return
			}
			if en.selector.tried == c.turn {
				*c.m.steps--
				continue
			}
			en.selector.tried = c.turn
			if en.rule.doubtful && !c.m.doubts || !c.inScope(en.rule.scope, en.selector, e) {
				continue
			}
			c.found = append(c.found, match{en.rule, en.selector.specificity, en.selector.part})
		}
	})
	slices.SortStableFunc(c.found, func(a, b match) int {
		switch {
		case a.rule.layer.rank != b.rule.layer.rank:
			return a.rule.layer.rank - b.rule.layer.rank
		case a.specificity != b.specificity:
			return int(a.specificity) - int(b.specificity)
		}
		return a.rule.order - b.rule.order
	})
	return c.found
}

// inScope reports whether a selector selects e within a scope.
func (c *computer) inScope(sc *scope, s *selector, e int) bool {
	if sc == nil {
		return c.m.matches(s, e)
	}
	defer func(was int) { c.m.within = was }(c.m.within)
	for root := e; root >= 0 && *c.m.steps >= 0; root = c.m.tree.Parent(root) {
		c.m.within = root
		if len(sc.root) > 0 && !c.m.matchesAny(sc.root, root) || len(sc.root) == 0 && root != 0 {
			if len(sc.limit) > 0 && c.m.matchesAny(sc.limit, root) {
				return false // it is beyond the end of every scope around
			}
			continue
		}
		if c.m.matches(s, e) {
			return true
		}
	}
	return false
}
