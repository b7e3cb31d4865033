package cascade

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// hints lets win what browsers show without a style sheet, and what attributes of HTML say about it (HTML §15).
func (c *computer) hints(e int) {
	t := c.m.tree
	name := t.Name(e)
	set := func(id property, value []token) { c.won[id] = winner{value: value, set: true} }
	switch name {
	case "datalist", "dialog", "noscript", "template", "noembed", "noframes", "param", "rp", "title", "area":
		if name != "dialog" || !c.m.has(e, "open") {
			set(display, word("none"))
		}
	case "col":
		set(display, word("table-column"))
	case "colgroup":
		set(display, word("table-column-group"))
	case "a":
		if c.m.has(e, "href") {
			set(textColor, []token{{kind: css.HashToken, text: "0000ee"}})
		}
	case "mark":
		set(backgroundColor, word("yellow"))
		set(textColor, word("black"))
	case "button", "input":
		set(backgroundColor, []token{{kind: css.HashToken, text: "efefef"}})
		set(textColor, word("black"))
	case "textarea", "select", "option":
		set(backgroundColor, word("canvas"))
		set(textColor, word("canvastext"))
	}
	if hidden, ok := t.Attr(e, "hidden"); ok && name != "embed" {
		if strings.EqualFold(hidden, "until-found") {
			set(contentVisibility, word("hidden"))
		} else {
			set(display, word("none"))
		}
	}
	if c.m.has(e, "popover") {
		set(display, word("none"))
	}
	if bg, ok := t.Attr(e, "bgcolor"); ok && isColored(name) {
		set(backgroundColor, legacyColor(bg))
	}
	if picture, ok := t.Attr(e, "background"); ok && isColored(name) && picture != "" {
		set(backgroundImage, []token{{kind: css.URLToken, text: picture}})
	}
	switch ink, ok := t.Attr(e, "color"); {
	case ok && name == "font":
		set(textColor, legacyColor(ink))
	case name == "body":
		if text, ok := t.Attr(e, "text"); ok {
			set(textColor, legacyColor(text))
		}
	}
}

// isColored reports whether attributes set the background of elements with this name.
func isColored(name string) bool {
	switch name {
	case "body", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "marquee":
		return true
	}
	return false
}

// legacyColor reads a colour in an attribute, which needs no # (HTML §2.3.6).
func legacyColor(s string) []token {
	s = strings.TrimSpace(s)
	if _, ok := namedColor(strings.ToLower(s), false); ok {
		return word(s)
	}
	s = strings.TrimPrefix(s, "#")
	if _, ok := hexColor(s); ok && (len(s) == 3 || len(s) == 6) {
		return []token{{kind: css.HashToken, text: s}}
	}
	return word("black")
}

// structure hides what HTML itself hides: what is closed, and what stands in for something that is shown.
func (c *computer) structure(e int, s *style, parent *style) {
	t := c.m.tree
	name, up := t.Name(e), t.Parent(e)
	over := ""
	if up >= 0 {
		over = t.Name(up)
	}
	_, open := t.Attr(e, "open")
	switch name {
	case "details":
		s.closed = !open
		if !open {
			s.text = max(s.text, Unresolved)
		}
	case "canvas", "video", "audio", "iframe", "object", "meter", "progress":
		s.text = Hidden // what they have in them is for browsers that do not know them
		s.closed = true
	case "annotation", "annotation-xml", "mphantom":
		s.box = Hidden
	case "select":
		s.closed = !c.m.has(e, "multiple") && !c.m.has(e, "size")
	case "option":
		if c.inClosedSelect(e) && !c.isChosen(e) {
			s.box = max(s.box, Unresolved)
		}
	}
	if parent.closed {
		switch over {
		case "details":
			if name != "summary" || c.hasBefore(e, "summary") {
				s.box = max(s.box, Unresolved)
			}
		case "select":
		default:
			s.box = max(s.box, Hidden)
		}
	}
	if over == "semantics" && c.m.before[e] >= 0 {
		s.box = max(s.box, Hidden)
	}
	c.shadowed(e, s, parent)
}

func (c *computer) hasBefore(e int, name string) bool {
	for prev := c.m.before[e]; prev >= 0 && *c.m.steps >= 0; prev = c.m.before[prev] {
		if *c.m.steps--; c.m.tree.Name(int(prev)) == name {
			return true
		}
	}
	return false
}

// inClosedSelect reports whether an option is in a list that shows one of them.
func (c *computer) inClosedSelect(e int) bool {
	for up := c.m.tree.Parent(e); up >= 0; up = c.m.tree.Parent(up) {
		switch c.m.tree.Name(up) {
		case "select":
			return !c.m.has(up, "multiple") && !c.m.has(up, "size")
		case "optgroup":
		default:
			return false
		}
	}
	return false
}

// isChosen reports whether an option is the one that its list shows.
func (c *computer) isChosen(e int) bool {
	return c.m.has(e, "selected") || c.m.before[e] < 0 && c.m.tree.Name(c.m.tree.Parent(e)) == "select"
}

// shadowed hides the children of an element with a shadow tree, unless they are surely shown in one of its slots.
func (c *computer) shadowed(e int, s *style, parent *style) {
	t := c.m.tree
	if t.Name(e) == "template" {
		return
	}
	for child := c.m.first[e]; child >= 0; child = c.m.after[child] {
		if *c.m.steps--; t.Name(int(child)) == "template" && c.m.has(int(child), "shadowrootmode") && !c.isPlainSlot(int(child)) {
			s.shadow = true
			s.text = max(s.text, Unresolved)
			break
		}
	}
	if parent.shadow {
		s.box = max(s.box, Unresolved)
	}
}

// isPlainSlot reports whether a shadow tree has a slot for everything, and no styles.
func (c *computer) isPlainSlot(template int) bool {
	t := c.m.tree
	slot := false
	for d := int(c.m.first[template]); d >= 0 && *c.m.steps >= 0; d = c.m.following(d, int(c.m.first[template])) {
		if *c.m.steps--; t.Name(d) == "style" || t.Name(d) == "link" || c.m.has(d, "style") {
			return false
		}
		slot = slot || t.Name(d) == "slot" && !c.m.has(d, "name")
	}
	return slot
}
