package cascade

import (
	"slices"
	"strings"
)

// computer computes the styles of a page's elements, each after its parent's.
type computer struct {
	sheet *sheet
	m     *matcher
	index *index
	view  View
	// around are the styles of the open elements, by depth.
	around []style
	// turn counts the elements whose rules were looked for.
	turn   int
	found  []match
	won    winners
	custom []*declaration
	sort   []ranked
	// list are those of c.sort that are applied, buf the values of a style attribute.
	list []ranked
	buf  []token
	// partial are what rules for the first line or letter of the element set.
	partial []setting
}

func newComputer(s *sheet, m *matcher, v View) *computer {
	return &computer{sheet: s, m: m, index: newIndex(s.rules, m.quirks), view: v}
}

// winner is the value of a longhand that won, and where it is from.
type winner struct {
	value []token
	set   bool
	// narrow says that it depends on the screen.
	narrow bool
}

type winners [properties]winner

// ranked is a declaration in the order of the cascade.
type ranked struct {
	*declaration
	layer        int
	narrow, part bool
}

// run computes all elements. What is hidden stays hidden in a second run.
func (c *computer) run() {
	c.around = c.around[:0]
	t := c.m.tree
	depth := make([]int32, t.Len())
	for e := range t.Len() {
		if *c.m.steps--; *c.m.steps < 0 {
			return
		}
		parent := initialStyle()
		if up := t.Parent(e); up >= 0 {
			depth[e] = depth[up] + 1
			parent = c.around[depth[up]]
		}
		s := c.element(e, &parent)
		box, text, by := s.box, s.text, s.by
		if by == Nothing && max(box, text) == Hidden {
			by = Looks
		}
		if c.m.doubts { // what hides only then is not certain
			box, text = min(box, Unresolved), min(text, Unresolved)
		}
		c.view.Box[e], c.view.Text[e], c.view.By[e] = max(c.view.Box[e], box), max(c.view.Text[e], text), max(c.view.By[e], by)
		c.around = append(c.around[:depth[e]], s)
	}
}

// element computes the style of e.
func (c *computer) element(e int, parent *style) style {
	c.won = winners{}
	c.hints(e)
	inline := c.inline(e)
	c.sort = c.sort[:0]
	for _, r := range c.matched(e) {
		if c.charge(len(r.rule.decls) / 4); *c.m.steps < 0 {
			break
		}
		for i := range r.rule.decls {
			c.sort = append(c.sort, ranked{&r.rule.decls[i], r.rule.layer.rank, r.rule.narrow, r.part})
		}
	}
	const unlayered = 1 << 30
	for i := range inline {
		c.sort = append(c.sort, ranked{&inline[i], unlayered, false, false})
	}
	env := c.environment(parent.env)
	c.partial = c.partial[:0]
	c.apply(env, false)
	c.apply(env, true)
	c.animate(env)
	s := parent.child()
	s.env, s.box = env, Seen
	s.compute(&c.won, c.m, e, parent)
	s.judge(&c.won, parent, c.sheet.external)
	if len(c.partial) > 0 {
		c.judgePart(e, &s, parent)
	}
	c.structure(e, &s, parent)
	return s
}

// charge counts work that is done for an element, in steps.
func (c *computer) charge(steps int) { *c.m.steps -= steps }

// chargeValue counts the work of reading a value, which is cut into its parts again and again if it is a long list.
func (c *computer) chargeValue(value []token) {
	const long = 32
	if c.charge(1 + len(value)/4); len(value) > long {
		c.charge(8 * len(value))
	}
}

// judgePart judges the first line or letter by its own rules.
func (c *computer) judgePart(e int, s, parent *style) {
	won := c.won
	for _, set := range c.partial {
		won[set.id] = winner{value: set.value, set: true}
	}
	part := parent.child()
	part.compute(&won, c.m, e, parent)
	if part.judge(&won, parent, c.sheet.external); part.box > Seen || part.text > Seen {
		s.text = max(s.text, Unresolved)
	}
}

// inline returns the declarations of the style attribute.
func (c *computer) inline(e int) (decls []declaration) {
	text, ok := c.m.tree.Attr(e, "style")
	if !ok || text == "" {
		return nil
	}
	r := reader{sheet: c.sheet, z: newTokenizer(text), buf: c.buf}
	for {
		r.buf = r.buf[:0]
		t, ok := r.next()
		if !ok {
			c.buf = r.buf
			return decls
		}
		values, _ := r.until(t, ";")
		decls = appendDeclaration(decls, values)
	}
}

// environment returns the custom properties of the element whose declarations are sorted.
func (c *computer) environment(up *environment) *environment {
	c.custom = c.custom[:0]
	var key keyBuilder
	for _, important := range []bool{false, true} {
		for i := range c.sort {
			if d := &c.sort[i]; d.custom && d.important == important {
				c.custom = append(c.custom, d.declaration)
			}
		}
	}
	if len(c.custom) == 0 {
		return up
	}
	for _, d := range c.custom {
		key.WriteString(d.name)
		key.WriteByte(0)
		for _, t := range d.value {
			key.WriteString(t.text)
			key.add(int(t.kind), int(t.num))
		}
	}
	c.charge(key.Len() / 16)
	next, work := up.with(c.custom, key.String())
	c.charge(work)
	return next
}

// apply lets the declarations win in the order of the cascade. Those that are important win in the other order of
// layers (CSS Cascade §6.4.4).
func (c *computer) apply(env *environment, important bool) {
	list := c.list[:0]
	c.charge(len(c.sort) / 8)
	for _, r := range c.sort {
		if !r.custom && r.important == important {
			list = append(list, r)
		}
	}
	if c.list = list; len(list) == 0 {
		return
	}
	if important {
		slices.SortStableFunc(list, func(a, b ranked) int {
			const unlayered = 1 << 30
			if a.layer == unlayered || b.layer == unlayered { // the style attribute
				return a.layer - b.layer
			}
			return b.layer - a.layer
		})
	}
	below, at := c.won, 0
	for i, r := range list {
		if i > 0 && r.layer != at {
			below = c.won
		}
		at = r.layer
		for _, set := range c.resolved(env, r.declaration) {
			c.chargeValue(set.value)
			w := winner{value: set.value, set: true, narrow: r.narrow}
			if len(set.value) == 1 && set.value[0].isWord("revert-layer") {
				w = below[set.id]
			}
			if r.part {
				c.partial = append(c.partial, set)
			} else {
				c.won[set.id] = w
			}
		}
	}
}

// resolved returns the longhands that a declaration sets.
func (c *computer) resolved(env *environment, d *declaration) []setting {
	if d.value == nil {
		return d.set
	}
	left := maxSubstituted
	value, ok := env.substitute(nil, d.value, nil, &left)
	if c.charge(maxSubstituted - left); left < 0 {
		c.charge(beyondBounds)
	}
	if value = trimmed(value); ok && len(value) > 0 {
		if set, _ := expand(d.name, value); len(set) > 0 {
			return set
		}
	}
	// It is not valid at computed-value time, and so as if unset (CSS Variables §3.1).
	set, _ := expand(d.name, word("unset"))
	return set
}

// animate lets the last moment of an animation win that lasts, and of others a moment that hides.
func (c *computer) animate(env *environment) {
	w := c.won[animationName]
	if !w.set || len(c.sheet.frames) == 0 {
		return
	}
	var lists [properties][][]token
	for _, id := range [...]property{animationFill, animationCount, animationDuration, animationDelay, animationState} {
		lists[id] = split(c.won[id].value, ",")
	}
	get := func(id property, i int) token {
		list := lists[id]
		if one := trimmed(list[i%len(list)]); len(one) > 0 {
			return one[0]
		}
		return token{}
	}
	for i, one := range split(w.value, ",") {
		if one = trimmed(one); len(one) != 1 {
			continue
		}
		if *c.m.steps < 0 {
			return
		}
		frames := c.sheet.frames[one[0].text]
		fill, count := get(animationFill, i), get(animationCount, i)
		long := seconds(get(animationDuration, i))+seconds(get(animationDelay, i)) > longAnimation
		last := (fill.isWord("forwards") || fill.isWord("both")) && !count.isWord("infinite")
		uneasy := get(animationState, i).isWord("paused") || count.isWord("infinite") || long
		for _, f := range frames {
			for d := range f.decls {
				if c.charge(1); !last && !uneasy || last && !long && f.at < 100 {
					continue
				}
				for _, set := range c.resolved(env, &f.decls[d]) {
					if last && !uneasy || f.at == 0 || f.at == 100 {
						c.won[set.id] = winner{value: set.value, set: true, narrow: uneasy}
					}
				}
			}
		}
	}
}

// longAnimation is longer, in seconds, than people wait for an animation.
const longAnimation = 10

func seconds(t token) float64 {
	if strings.EqualFold(t.text, "ms") {
		return t.num / 1000
	}
	return t.num
}
