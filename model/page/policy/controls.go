package policy

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// handles are the controls of a page that act on parts of it, which they open, filter or copy: buttons, tabs, labels
// and the like. A control lives as long as anything that it acts on.
type handles struct {
	p *page.Page
	m *page.Marking
	// found are the controls, in document order. isControl has them by element.
	found     []handle
	isControl []bool
	// keeps marks the controls that live, and the closed dialogs that they open.
	keeps []bool
	ids   map[string]page.ElementID
	// gone marks the elements that a mark removes, content counts the blocks of content before each block, and controlled
	// those that controls consist of.
	gone                []bool
	content, controlled []int32
	// frames counts, before each element, the parts of the page's frame: its headers, menus and footers.
	frames []int32
}

// handle is an element that acts on targets. Without any named, it acts on what is next to it.
type handle struct {
	element page.ElementID
	targets []target
}

// target is what a control acts on: an element, or the blocks of a part of one.
type target struct {
	element    page.ElementID
	start, end page.BlockID
}

// findHandles returns nil for a page without any.
func findHandles(p *page.Page, m *page.Marking) *handles {
	c := &handles{p: p, m: m}
	for e := max(p.Body, 0); int(e) < len(p.Elements); e++ {
		if c.mayControl(e) {
			c.found = append(c.found, handle{element: e})
		}
	}
	if len(c.found) == 0 {
		return nil
	}
	c.count()
	c.keeps = make([]bool, len(p.Elements))
	for i := range c.found {
		h := &c.found[i]
		h.targets = c.targetsOf(h.element)
		if !c.lives(h) {
			continue
		}
		c.keeps[h.element] = true
		for _, t := range h.targets {
			if markup.OpensByScript(p, t.element) {
				c.keeps[t.element] = true
			}
		}
	}
	c.keepTabs()
	return c
}

// keepTabs keeps the tabs in the content, with all that they show: what stands beside them says that they belong to it,
// whatever the few words on each look like.
func (c *handles) keepTabs() {
	const levels = 4
	p := c.p
	for i := range p.Elements {
		list := page.ElementID(i)
		if role, _ := p.Attr(list, "role"); !markup.IsOneOf(role, "tablist") {
			continue
		}
		widget := list
		for range levels {
			if widget = p.Elements[widget].Parent; widget == page.None || widget <= p.Body || c.holdsPanel(widget) {
				break
			}
		}
		if widget != page.None && widget > p.Body && c.holdsPanel(widget) && c.actsNearby(widget) {
			c.keeps[widget] = true
		}
	}
}

// holdsPanel reports whether e has what a tab shows.
func (c *handles) holdsPanel(e page.ElementID) bool {
	for d := e + 1; d < c.p.Elements[e].Sub; d++ {
		if role, _ := c.p.Attr(d, "role"); markup.IsOneOf(role, "tabpanel") {
			return true
		}
	}
	return false
}

// mayControl reports whether e can be a control that stays on its page. Buttons that send a form belong to it.
func (c *handles) mayControl(e page.ElementID) bool {
	p := c.p
	switch p.Elements[e].Tag {
	case atom.Summary, atom.Label, atom.Select:
		return true
	case atom.Button:
		kind, _ := p.Attr(e, "type")
		return !markup.IsOneOf(kind, "submit", "reset") && (kind != "" || !isIn(p, e, atom.Form))
	case atom.Input:
		kind, _ := p.Attr(e, "type")
		return markup.IsOneOf(kind, "button")
	}
	for _, a := range p.Attrs(e) {
		switch a.Key {
		case "aria-controls", "aria-expanded", "data-toggle", "data-bs-toggle", "data-target", "data-bs-target", "data-clipboard-target":
			return true
		case "role":
			return markup.IsOneOf(a.Val, "tab", "button")
		case "href":
			if strings.HasPrefix(a.Val, "#") && len(a.Val) > 1 {
				return c.isTab(e)
			}
			return a.Val == "#" && p.Elements[e].Tag == atom.A
		}
	}
	return false
}

// isTab reports whether e, a link to a part of the page, shows it instead of leading there: its own name or that of its
// list says so.
func (c *handles) isTab(e page.ElementID) bool {
	const lists = 3
	for range lists {
		if e == page.None || e <= c.p.Body {
			return false
		}
		for _, a := range c.p.Attrs(e) {
			if a.Key == "class" && (markup.NamesWidget(a.Val) || namesTab(a.Val)) || a.Key == "role" && strings.EqualFold(a.Val, "tablist") {
				return true
			}
		}
		e = c.p.Elements[e].Parent
	}
	return false
}

// namesTab reports whether a class is that of tabs.
func namesTab(class string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(class), func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), func(word string) bool {
		return markup.IsOneOf(word, "tab", "tabs", "tablist", "pill", "pills", "wp-tab")
	})
}

// isIn reports whether e is below an element with a tag.
func isIn(p *page.Page, e page.ElementID, tag atom.Atom) bool {
	for up := p.Elements[e].Parent; up != page.None; up = p.Elements[up].Parent {
		if p.Elements[up].Tag == tag {
			return true
		}
	}
	return false
}

func (c *handles) count() {
	p := c.p
	c.ids, c.gone, c.isControl = map[string]page.ElementID{}, make([]bool, len(p.Elements)), make([]bool, len(p.Elements))
	c.frames = make([]int32, len(p.Elements)+1)
	for i := range p.Elements {
		e := page.ElementID(i)
		if id, _ := p.Attr(e, "id"); id != "" {
			if _, twice := c.ids[id]; !twice {
				c.ids[id] = e
			}
		}
		c.frames[i+1] = c.frames[i]
		if c.isFrame(e) {
			c.frames[i+1]++
		}
	}
	for _, m := range c.m.Marks {
		for e := m.Element; e != page.None && e < p.Elements[m.Element].Sub; e++ {
			c.gone[e] = true
		}
	}
	for i := range c.found {
		c.isControl[c.found[i].element] = true
	}
	own := c.blocksOfControls()
	c.content, c.controlled = make([]int32, len(own)+1), make([]int32, len(own)+1)
	for b := range own {
		c.content[b+1], c.controlled[b+1] = c.content[b], c.controlled[b]
		switch {
		case own[b]:
			c.controlled[b+1]++
		case !c.m.Verdicts[b].Noise:
			c.content[b+1]++
		}
	}
}

// blocksOfControls marks the blocks that have only text of controls.
func (c *handles) blocksOfControls() []bool {
	p := c.p
	controlled := make([]bool, len(p.Texts))
	for i := range c.found {
		el := &p.Elements[c.found[i].element]
		for t := el.TextStart; t < el.TextEnd; t++ {
			controlled[t] = true
		}
	}
	own := make([]bool, len(p.Blocks))
	for b := range own {
		own[b] = true
	}
	for i := range p.Texts {
		if t := &p.Texts[i]; t.Block != page.None && !controlled[i] && !page.IsBlank(t.Data) {
			own[t.Block] = false
		}
	}
	return own
}

// isFrame reports whether e is a part of the frame around the content, by its markup.
func (c *handles) isFrame(e page.ElementID) bool {
	if tag := c.p.Elements[e].Tag; tag == atom.Main || isAside(tag) {
		return !isIn(c.p, e, atom.Article) && !isIn(c.p, e, atom.Main)
	}
	role, _ := c.p.Attr(e, "role")
	return markup.IsOneOf(role, "navigation", "banner", "contentinfo", "main", "complementary")
}

// isAside reports whether an element with this tag is beside the text around it.
func isAside(tag atom.Atom) bool {
	return tag == atom.Nav || tag == atom.Header || tag == atom.Footer || tag == atom.Aside
}

// targetsOf returns what e names as its targets, by its attributes or by its place.
func (c *handles) targetsOf(e page.ElementID) (targets []target) {
	p := c.p
	add := func(d page.ElementID) {
		if d != page.None {
			targets = append(targets, target{d, p.Elements[d].BlockStart, p.Elements[d].BlockEnd})
		}
	}
	for _, a := range p.Attrs(e) {
		switch a.Key {
		case "aria-controls", "commandfor", "popovertarget", "data-target", "data-bs-target", "data-clipboard-target", "data-parent-target", "href", "for":
			for name := range strings.FieldsSeq(a.Val) {
				if d := c.find(name, a.Key == "href"); d != page.None {
					add(d)
				}
			}
		}
	}
	expands, _ := p.Attr(e, "aria-expanded")
	switch up := p.Elements[e].Parent; {
	case p.Elements[e].Tag == atom.Label && len(targets) > 0:
		return c.toggled(targets[0])
	case p.Elements[e].Tag == atom.Summary && up != page.None:
		return append(targets, target{up, p.Elements[e].BlockEnd, p.Elements[up].BlockEnd})
	case len(targets) > 0:
	case c.copies(e):
		add(c.code(e))
	case expands != "" || c.isHead(e):
		add(c.after(e))
	}
	return targets
}

// find returns the element that a reference names: an id, or a selector that is one.
func (c *handles) find(reference string, address bool) page.ElementID {
	id, selects := strings.CutPrefix(reference, "#")
	if d, ok := c.ids[id]; ok && id != "" && (selects || !address) {
		return d
	}
	return page.None
}

// toggled returns the target of a label: its field or, for the box of a switch that works by style alone, what follows
// the box.
func (c *handles) toggled(field target) []target {
	p := c.p
	kind, _ := p.Attr(field.element, "type")
	if !markup.IsOneOf(kind, "checkbox", "radio") || isIn(p, field.element, atom.Form) {
		return []target{field}
	}
	for d := range c.followers(field.element) {
		if el := &p.Elements[d]; el.BlockStart < el.BlockEnd && c.othersIn(el.BlockStart, el.BlockEnd) > 0 {
			return []target{{d, el.BlockStart, el.BlockEnd}}
		}
	}
	return nil
}

// followers yields the siblings after e.
func (c *handles) followers(e page.ElementID) func(yield func(page.ElementID) bool) {
	return func(yield func(page.ElementID) bool) {
		up := c.p.Elements[e].Parent
		if up == page.None {
			return
		}
		for d := c.p.Elements[e].Sub; d < c.p.Elements[up].Sub; d = c.p.Elements[d].Sub {
			if !yield(d) {
				return
			}
		}
	}
}

// othersIn counts the blocks that are no part of a control.
func (c *handles) othersIn(from, to page.BlockID) int32 {
	return int32(to-from) - (c.controlled[to] - c.controlled[from])
}

// copies reports whether e copies something.
func (c *handles) copies(e page.ElementID) bool {
	return markup.Named(c.p, e, "copy", "clipboard") || isCopying(label(markup.Label(c.p, e)))
}

// code returns what a copy button beside or in a piece of code copies.
func (c *handles) code(e page.ElementID) page.ElementID {
	const levels = 3
	up := c.p.Elements[e].Parent
	for range levels {
		if up == page.None || up <= c.p.Body {
			break
		}
		for d := up; d < c.p.Elements[up].Sub; d++ {
			if tag := c.p.Elements[d].Tag; tag == atom.Pre || tag == atom.Code || tag == atom.Textarea {
				return d
			}
		}
		up = c.p.Elements[up].Parent
	}
	return page.None
}

// isHead reports whether e is all of a heading, or of a term that is explained.
func (c *handles) isHead(e page.ElementID) bool {
	up := c.p.Elements[e].Parent
	if up == page.None || c.p.Elements[up].TextEnd-c.p.Elements[up].TextStart > c.p.Elements[e].TextEnd-c.p.Elements[e].TextStart+2 {
		return false
	}
	switch c.p.Elements[up].Tag {
	case atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Dt:
		return true
	}
	return false
}

// after returns what follows e, or the heading or box that has nothing but e.
func (c *handles) after(e page.ElementID) page.ElementID {
	const levels = 3
	for range levels {
		up := c.p.Elements[e].Parent
		if up == page.None || up <= c.p.Body {
			break
		}
		for d := range c.followers(e) {
			if !c.isControl[d] && !page.IsInline(c.p.Elements[d].Tag) && !c.p.IsInvisible(d) {
				return d
			}
		}
		if c.othersIn(c.p.Elements[up].BlockStart, c.p.Elements[up].BlockEnd) > 0 {
			break
		}
		e = up
	}
	return page.None
}

// stays reports whether something that is not removed is left of a target.
func (c *handles) stays(t target) bool {
	if c.othersIn(t.start, t.end) == 0 {
		return !c.gone[t.element]
	}
	return slices.ContainsFunc(c.m.Verdicts[t.start:t.end], func(v page.Verdict) bool { return !v.Noise })
}

// lives reports whether something that a control acts on stays. A closed dialog is next to nothing, so that the place
// of its opener counts.
func (c *handles) lives(h *handle) bool {
	opens := func(t target) bool { return markup.OpensByScript(c.p, t.element) }
	if len(h.targets) > 0 && !slices.ContainsFunc(h.targets, opens) {
		return slices.ContainsFunc(h.targets, c.stays)
	}
	if !c.gone[h.element] && !c.isNoise(h.element) {
		return true
	}
	switch c.p.Elements[h.element].Tag {
	case atom.Summary:
		return false
	case atom.Label:
		if !c.switches(h.element) {
			return false
		}
	case atom.Select:
		if !markup.Named(c.p, h.element, "sort", "order", "filter", "variant", "option", "view") {
			return false
		}
	}
	return c.actsNearby(h.element)
}

// switches reports whether a label is that of a radio button outside of forms, which shows one of several things.
func (c *handles) switches(label page.ElementID) bool {
	id, _ := c.p.Attr(label, "for")
	field, ok := c.ids[id]
	if !ok {
		return false
	}
	kind, _ := c.p.Attr(field, "type")
	return markup.IsOneOf(kind, "radio") && !isIn(c.p, field, atom.Form)
}

// keep reports whether e is a control that lives, or what one opens.
func (c *handles) keep(e page.ElementID) bool { return c != nil && c.keeps[e] }

// isDead reports whether a control acts on nothing that stays, and says so itself.
func (c *handles) isDead(h *handle) bool {
	tag := c.p.Elements[h.element].Tag
	return len(h.targets) > 0 && !c.keeps[h.element] && tag != atom.Summary && tag != atom.Label && !c.isNoise(h.element)
}

// isNoise reports whether all text of e is noise.
func (c *handles) isNoise(e page.ElementID) bool {
	el := &c.p.Elements[e]
	return c.m.IsNoise(page.Extent{BlockStart: el.BlockStart, BlockEnd: el.BlockEnd})
}

// actsNearby reports whether the nearest thing beside e that is no control is content. The frame of the page is near
// to nothing.
func (c *handles) actsNearby(e page.ElementID) bool {
	p := c.p
	for up := p.Elements[e].Parent; up != page.None && up > p.Body && !isAside(p.Elements[up].Tag); up = p.Elements[up].Parent {
		el := &p.Elements[up]
		if c.frames[el.Sub] > c.frames[up+1] {
			return false
		}
		if c.othersIn(el.BlockStart, el.BlockEnd) > 0 {
			return c.content[el.BlockEnd] > c.content[el.BlockStart]
		}
	}
	return false
}
