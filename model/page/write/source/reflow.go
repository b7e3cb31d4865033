package source

import (
	"html"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// mainColumn returns the elements from below the body down to the innermost one with the main text, which is 85 % of
// the remaining text.
func mainColumn(p *page.Page, ink page.InkCount) []page.ElementID {
	if p.Body == page.None {
		return nil
	}
	in := func(e page.ElementID) int {
		return ink.Kept[p.Elements[e].BlockEnd] - ink.Kept[p.Elements[e].BlockStart]
	}
	var column []page.ElementID
	for e, all := p.Body, in(p.Body); all > 0; {
		next := page.ElementID(page.None)
		for c := range p.Children(e) {
			if 100*in(c) >= 85*all && holdsColumn(p, c) {
				next = c
			}
		}
		if next == page.None {
			break
		}
		column = append(column, next)
		e = next
	}
	return column
}

// holdsColumn reports whether the main text may be laid out in e. Rows of data stay with their heads.
func holdsColumn(p *page.Page, e page.ElementID) bool {
	switch tag := p.Elements[e].Tag; tag {
	case atom.P, atom.Ul, atom.Ol, atom.Pre:
		return false
	case atom.Table:
		for d := e + 1; d < p.Elements[e].Sub; d++ {
			switch p.Elements[d].Tag {
			case atom.Th:
				return false
			case atom.Table: // of data, in one that lays out
				d = p.Elements[d].Sub - 1
			}
		}
		return true
	default:
		return !page.IsInline(tag)
	}
}

// lift takes the room above the elements of the column that begin the page now that what was above them went.
func (h *hider) lift() {
	lifted := page.ElementID(page.None)
	went := false
	for _, e := range h.column {
		for c := range h.p.Children(h.p.Elements[e].Parent) {
			if c == e {
				break
			}
			if went = went || h.hidden[c]; !h.hidden[c] && h.shows(c) {
				e = page.None
				break
			}
		}
		if e == page.None {
			break
		}
		lifted = e
	}
	if went && lifted != page.None {
		h.styles |= stylesTop
		h.addKnown(lifted, `data-winnow-top=""`) // those around it know by it
	}
}

// reflow closes the gaps in the layout: the main column takes the room of its removed neighbours, a page from before
// phones gets a viewport, and a page that a dialog had locked can scroll.
func (h *hider) reflow() {
	p := h.p
	locked := h.hidOverlay()
	if !h.styled {
		if locked {
			h.unlock()
		}
		return
	}
	if len(h.hides) > 0 || h.emptied {
		h.styles |= stylesHiding
	}
	if h.changes() {
		h.styles |= stylesScrolling
	}
	if locked {
		h.styles |= stylesUnlocking
	}
	viewport := !hasViewport(p)
	if h.neighboursWent() || viewport {
		h.styles |= stylesColumn
		if !viewport {
			h.styles |= stylesPhone
		}
		last := h.innermost()
		for i, e := range h.column {
			name := ""
			switch {
			case i == last:
				name = "main"
			case i < last && h.siblingWent(h.column[i+1]):
				name = "row"
			}
			h.addKnown(e, `data-winnow-column="`+name+`"`)
		}
		h.lift()
		if len(h.column) > 0 && h.siblingWent(h.column[0]) {
			h.addKnown(p.Elements[h.column[0]].Parent, `data-winnow-row=""`)
		}
	}
	if viewport {
		h.styles |= stylesViewport
		h.markLayoutTables()
	}
}

// innermost returns the index of the last element of the column that has a tag in the source.
func (h *hider) innermost() int {
	last := len(h.column) - 1
	for last >= 0 && !h.p.Elements[h.column[last]].StartTag.Known() {
		last--
	}
	return last
}

// The styles of hidden parts, of the column of the main text, and of pages without a viewport. The widths are those at
// which tablets and phones end. Everything is important, because it must win over unknown styles. :not(#_#_) matches
// everything, and makes the rules that hide win over rules that name ids or lay out tables. Contents wider than the
// main column (a table, or a negative margin that relied on a padding) scroll in it, so that the page is no wider than
// the screen.
//
// On a narrow screen the ground of each element around the main text fills the screen, and the innermost keeps the text
// away from its edge, because a padding of the body would show as stripes beside them. What stands beside the column
// keeps its own distance, if it has one.
const (
	around = `:is([data-winnow-column=""],[data-winnow-column=row])` // the column but for the main text itself
	anyRow = `:is([data-winnow-row],[data-winnow-column=row])`       // where something went beside the column

	hidingStyle    = `[data-winnow-hidden]:not(#_#_){display:none!important}[data-winnow-emptied]:not(#_#_){visibility:hidden!important}`
	scrollingStyle = `html,body{overflow-y:visible!important}`
	unlockingStyle = `body{position:relative!important;top:auto!important}`
	columnStyle    = anyRow + `:not(table,tbody,tr){display:block!important}` +
		anyRow + `>[data-winnow-column]{float:none!important;width:auto!important;max-width:100%!important;min-width:0!important;` +
		`margin-left:auto!important;margin-right:auto!important;position:relative!important;inset:auto!important;transform:none!important}` +
		`@media(max-width:60em){body,[data-winnow-column]{float:none!important;width:auto!important;max-width:100%!important;min-width:0!important;` +
		`height:auto!important;margin-left:0!important;margin-right:0!important;padding-left:0!important;padding-right:0!important;` +
		`box-sizing:border-box!important;position:relative!important;inset:auto!important}` +
		`body,` + around + `,[data-winnow-row],[data-winnow-column]:is(table,tbody,tr,td),table[data-winnow-column]>tbody{display:block!important}` +
		`table[data-winnow-column]>tbody:not(#_){max-width:none!important}` +
		`[data-winnow-column=main]{overflow-wrap:break-word;overflow-x:auto!important}` +
		`:is(body:has([data-winnow-column]),` + around + `)>:is(div,section,article,form):not([data-winnow-column]){margin-left:0!important;margin-right:0!important}` +
		`body:not(:has([data-winnow-column])),[data-winnow-column=main]{padding-left:max(3vw,16px)!important;padding-right:max(3vw,16px)!important}` +
		`:where(body:has([data-winnow-column]),` + around + `)>:where(:is(h1,h2,h3,h4,p,div,section,article,header,footer,nav,aside,form):not([data-winnow-column])){` +
		`padding-left:max(3vw,16px);padding-right:max(3vw,16px);box-sizing:border-box}}`
	// What a page that was made for phones has in its column often keeps a distance of its own.
	phoneStyle = `@media(max-width:40em){[data-winnow-column=main]{padding-left:8px!important;padding-right:8px!important}}`
	// What begins the page keeps no room for a header that went.
	topStyle = `@media(max-width:60em){[data-winnow-column]:has([data-winnow-top]),body:has([data-winnow-top]){padding-top:0!important;margin-top:0!important}` +
		`[data-winnow-top]{padding-top:12px!important;margin-top:0!important}}`
	viewportStyle = `@media(max-width:60em){body *{max-width:min(94vw,100vw - 32px)!important;min-width:0!important;white-space:normal}` +
		`img,video,iframe,object,embed{height:auto!important}h1,h2,h3,h4,h5,h6{line-height:1.25!important;height:auto!important}pre,pre *{white-space:pre-wrap!important;overflow-wrap:anywhere!important}` +
		`table{width:auto!important}td,th{overflow-wrap:break-word}table:not([data-winnow-column]){display:block!important;overflow-x:auto!important}body{overflow-wrap:anywhere}` +
		`[data-winnow-layout]>*,[data-winnow-layout]>*>tr,[data-winnow-layout]>*>tr>td{display:block!important;width:auto!important;height:auto!important;overflow-wrap:anywhere;` +
		`padding-left:0!important;padding-right:0!important}[data-winnow-layout]>*>tr>td:empty{display:none!important}div{float:none!important;width:auto!important}}@media(max-width:30em){img,table,figure{float:none!important}}`
)

// markLayoutTables labels the tables that contain tables, and those with a text beside another cell, as in a forum's
// posts: on a narrow screen, their cells go below each other.
func (h *hider) markLayoutTables() {
	p := h.p
	marked := map[page.ElementID]bool{}
	mark := func(table page.ElementID) {
		if !marked[table] {
			marked[table] = true
			h.addKnown(table, `data-winnow-layout=""`)
		}
	}
	for e := page.ElementID(0); int(e) < len(p.Elements); e++ {
		if h.hidden[e] {
			e = p.Elements[e].Sub - 1
			continue
		}
		switch p.Elements[e].Tag {
		case atom.Table:
			for up := p.Elements[e].Parent; up != page.None; up = p.Elements[up].Parent {
				if p.Elements[up].Tag == atom.Table {
					mark(up)
				}
			}
		case atom.Tr:
			if table := tableOf(p, e); table != page.None && h.squeezes(e) {
				mark(table)
			}
		}
	}
}

// squeezes reports whether one of two cells in a row has a text that is long for the width of a phone.
func (h *hider) squeezes(row page.ElementID) bool {
	const long = 30
	cells, words := 0, 0
	for c := range h.p.Children(row) {
		switch h.p.Elements[c].Tag {
		case atom.Th:
			return false
		case atom.Td:
			cells++
			words = max(words, len(strings.Fields(markup.Label(h.p, c))))
		}
	}
	return cells == 2 && words >= long
}

// tableOf returns the table of a row, None without one.
func tableOf(p *page.Page, row page.ElementID) page.ElementID {
	up := p.Elements[row].Parent
	if up != page.None && p.Elements[up].Tag != atom.Table {
		up = p.Elements[up].Parent
	}
	if up == page.None || p.Elements[up].Tag != atom.Table {
		return page.None
	}
	return up
}

// addKnown adds attributes to e if the source has a tag for it.
func (h *hider) addKnown(e page.ElementID, attributes string) {
	if s := h.p.Elements[e].StartTag; s.Known() {
		h.add(s, attributes)
	}
}

func (h *hider) neighboursWent() bool {
	for _, e := range h.column {
		if h.siblingWent(e) {
			return true
		}
	}
	return false
}

// siblingWent reports whether something beside e was removed.
func (h *hider) siblingWent(e page.ElementID) bool {
	up := h.p.Elements[e].Parent
	if up == page.None {
		return false
	}
	for c := range h.p.Children(up) {
		if c != e && h.hidden[c] && !page.IsInline(h.p.Elements[c].Tag) {
			return true
		}
	}
	return false
}

// hasViewport reports whether the page knows of phones: a width in pixels is that of a screen on a desk.
func hasViewport(p *page.Page) bool {
	for e := range p.Elements {
		if p.Elements[e].Tag != atom.Meta {
			continue
		}
		if name, _ := p.Attr(page.ElementID(e), "name"); strings.EqualFold(name, "viewport") {
			content, _ := p.Attr(page.ElementID(e), "content")
			return !fixedWidth(content)
		}
	}
	return false
}

// fixedWidth reports whether a viewport is wider than any phone.
func fixedWidth(viewport string) bool {
	const wide = 600
	for _, property := range strings.FieldsFunc(viewport, func(r rune) bool { return r == ',' || r == ';' }) {
		name, value, _ := strings.Cut(strings.ToLower(property), "=")
		if width, err := strconv.ParseFloat(strings.TrimSpace(value), 64); strings.TrimSpace(name) == "width" && err == nil {
			return width > wide
		}
	}
	return false
}

// headEnd returns the place for a style: the end of the head, or else before the body or its first element.
func headEnd(p *page.Page) (int32, bool) {
	for i := range p.Elements {
		e := page.ElementID(i)
		el := &p.Elements[e]
		switch {
		case el.Tag == atom.Frameset:
			return 0, false
		case el.Tag == atom.Head && el.Outer.Known():
			return p.Inner(e).End, true
		case el.Tag == atom.Html || el.Tag == atom.Head || e < p.Body && !p.Contains(p.Body, e):
		case el.StartTag.Known():
			return el.StartTag.Start, true
		}
	}
	return 0, false
}

// changes reports whether something was removed.
func (h *hider) changes() bool { return len(h.m.Marks) > 0 }

// hidOverlay reports whether something that covered the page was removed: a consent dialog, or another.
func (h *hider) hidOverlay() bool {
	for _, m := range h.m.Marks {
		if m.Kind == page.KindCookie {
			return true
		}
		for d := m.Element; d != page.None && d < h.p.Elements[m.Element].Sub; d++ {
			if covers(h.p, d) {
				return true
			}
		}
	}
	return false
}

// covers reports whether e says that it covers the page: by its role, its style or its name.
func covers(p *page.Page, e page.ElementID) bool {
	if p.Elements[e].Tag == atom.Dialog {
		return true
	}
	for _, a := range p.Attrs(e) {
		switch a.Key {
		case "role":
			if markup.IsOneOf(a.Val, "dialog", "alertdialog") {
				return true
			}
		case "aria-modal":
			if markup.IsOneOf(a.Val, "true") {
				return true
			}
		case "style":
			if style := strings.ReplaceAll(strings.ToLower(a.Val), " ", ""); strings.Contains(style, "position:fixed") {
				return true
			}
		case "class", "id":
			for _, name := range []string{"overlay", "modal", "popup", "backdrop", "lightbox", "interstitial", "paywall"} {
				if strings.Contains(strings.ToLower(a.Val), name) {
					return true
				}
			}
		}
	}
	return false
}

// unlock removes from html and body the classes and styles that stop a page from scrolling.
func (h *hider) unlock() {
	for e := range h.p.Elements {
		if tag := h.p.Elements[e].Tag; tag != atom.Html && tag != atom.Body {
			continue
		}
		class, _ := h.p.Attr(page.ElementID(e), "class")
		var left []string
		for c := range strings.FieldsSeq(class) {
			if !locksScrolling(c) {
				left = append(left, c)
			}
		}
		if len(left) < len(strings.Fields(class)) {
			h.addKnown(page.ElementID(e), `class="`+html.EscapeString(strings.Join(left, " "))+`"`)
		}
		if style, _ := h.p.Attr(page.ElementID(e), "style"); strings.Contains(style, "overflow") || strings.Contains(style, "fixed") {
			h.addKnown(page.ElementID(e), `style=""`)
		}
	}
}

// locksScrolling reports whether a class stops a page from scrolling, in the names of consent tools and of style
// libraries.
func locksScrolling(class string) bool {
	c := strings.ReplaceAll(strings.ToLower(class), "_", "-")
	for _, s := range []string{"no-scroll", "noscroll", "scroll-lock", "scrolllock", "modal-open", "overflow-hidden", "body-lock", "is-locked", "scroll-disabled", "disable-scroll", "sp-message-open",
		"didomi-popup-open", "has-modal", "has-overlay", "popup-open", "dialog-open", "cookie-open", "consent-open", "qc-cmp-ui-showing", "prevent-scroll"} {
		if strings.Contains(c, s) {
			return true
		}
	}
	return false
}
