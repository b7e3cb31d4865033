package policy

import (
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// actionFinder recognises the elements that people act with, by what they are in HTML and by their names, whatever a
// detector says about their text.
type actionFinder struct {
	p *page.Page
	// ofSite says that actions of the site count too: logins, choices of language.
	ofSite bool
	// inFrame says that the part is around the content: its downloads are those of the site.
	inFrame bool
	// before has for each element the controls among the elements before it, and at the end those of the page.
	before []controls
	// turning are the links that turn pages.
	turning map[page.ElementID]bool
	// order is the box around what the page sells, with its choices and its button; None if a form is.
	order page.ElementID
	// replies, languages and logins count the elements found: long lists of them are not actions.
	replies, languages, logins int
}

// controls are numbers of elements: links, those of them that turn pages, heads of table columns, fields to write in,
// buttons, and choices.
type controls struct{ links, turning, heads, fields, buttons, choices int32 }

func newActionFinder(p *page.Page) *actionFinder {
	f := &actionFinder{p: p, order: page.None, before: make([]controls, 1, len(p.Elements)+1), turning: turningLinks(p)}
	var c controls
	for e := range p.Elements {
		c.add(p, page.ElementID(e))
		f.before = append(f.before, c)
	}
	f.order = f.findOrder()
	return f
}

// findOrder returns the box with the first button that buys and with all there is to choose, but with little text: many
// shops send an order by script, without a form.
func (f *actionFinder) findOrder() page.ElementID {
	const levels, longest = 4, 400
	p, order := f.p, page.ElementID(page.None)
	for e := page.ElementID(0); int(e) < len(p.Elements); e++ {
		if tag := p.Elements[e].Tag; tag != atom.Button && tag != atom.Input || !f.buys(e) {
			continue
		}
		for up, n := p.Elements[e].Parent, 0; n < levels && up > p.Body && p.Elements[up].Tag != atom.Form; up, n = p.Elements[up].Parent, n+1 {
			if len(markup.Label(p, up)) > longest {
				break
			}
			if f.inside(up).choices > 0 {
				order = up
			}
		}
		break // what is sold beside the page's own product has no choices that matter
	}
	return order
}

func (c *controls) add(p *page.Page, e page.ElementID) {
	switch p.Elements[e].Tag {
	case atom.A:
		if href, _ := p.Attr(e, "href"); href != "" {
			c.links++
			if text := strings.TrimSpace(markup.Label(p, e)); isPageNumber(text) || isTurning(text) {
				c.turning++
			}
		}
	case atom.Th:
		c.heads++
	case atom.Button:
		c.buttons++
	}
	if chooses(p, e) {
		c.choices++
	}
	if writes(p, e) {
		c.fields++
	}
}

// inside returns the controls below e.
func (f *actionFinder) inside(e page.ElementID) controls {
	from, to := f.before[e+1], f.before[f.p.Elements[e].Sub]
	return controls{to.links - from.links, to.turning - from.turning, to.heads - from.heads, to.fields - from.fields, to.buttons - from.buttons,
		to.choices - from.choices}
}

// in returns a finder for another part of the page.
func (f *actionFinder) in(part page.Kind) *actionFinder {
	return &actionFinder{p: f.p, ofSite: f.ofSite, inFrame: part == page.KindHeader || part == page.KindFooter || part == page.KindNav, before: f.before,
		turning: f.turning, order: f.order}
}

// The most of each that stay in one part.
const (
	maxReplies   = 2
	maxLanguages = 12
	maxLogins    = 2
)

// isAction reports whether e as a whole is something to act with: a form that buys, answers, logs in or was used to
// search, a link or button that does one of these, a download, a choice of language, a field to write in.
func (f *actionFinder) isAction(e page.ElementID) bool {
	p := f.p
	if f.order != page.None && p.Contains(f.order, e) && (chooses(p, e) || f.inside(e).choices > 0) {
		return true
	}
	switch p.Elements[e].Tag {
	case atom.Form:
		return f.formActs(e)
	case atom.A:
		return f.linkActs(e)
	case atom.Button:
		return f.buttonActs(e, label(markup.Label(p, e)))
	case atom.Input:
		value, _ := p.Attr(e, "value")
		kind, _ := p.Attr(e, "type")
		return markup.IsOneOf(kind, "submit", "button", "image") && f.buttonActs(e, label(value))
	case atom.Select:
		return f.ofSite && markup.Named(p, e, "lang", "language", "locale", "sprache", "langue", "idioma")
	}
	return f.isWritingPlace(e)
}

// formActs reads the controls of a form. A form that only asks for an address (a newsletter) or searches the site
// belongs to the template, unless it was used to search.
func (f *actionFinder) formActs(form page.ElementID) bool {
	p := f.p
	for e := form + 1; e < p.Elements[form].Sub; e++ {
		kind, _ := p.Attr(e, "type")
		value, _ := p.Attr(e, "value")
		switch tag := p.Elements[e].Tag; {
		case tag == atom.Textarea:
			return true
		case tag == atom.Input && (markup.IsOneOf(kind, "file") || f.ofSite && markup.IsOneOf(kind, "password")):
			return true
		case tag == atom.Input && strings.TrimSpace(value) != "" && markup.IsOneOf(kind, "search", "text", "") && isSearchField(p, e):
			return true
		case tag == atom.Button && buysOrReplies(label(markup.Label(p, e))):
			return true
		case tag == atom.Input && markup.IsOneOf(kind, "submit", "button", "image") && buysOrReplies(label(value)):
			return true
		case tag == atom.Select && f.isAction(e):
			return true
		}
	}
	action, _ := p.Attr(form, "action")
	return isCartAddress(action)
}

func isSearchField(p *page.Page, e page.ElementID) bool {
	kind, _ := p.Attr(e, "type")
	name, _ := p.Attr(e, "name")
	return markup.IsOneOf(kind, "search") || markup.IsOneOf(name, "q", "s", "query", "search", "keywords", "keyword", "wd", "term", "text", "p")
}

func (f *actionFinder) linkActs(e page.ElementID) bool {
	p := f.p
	href, _ := p.Attr(e, "href")
	rel, _ := p.Attr(e, "rel")
	text := label(markup.Label(p, e))
	_, downloads := p.Attr(e, "download")
	switch {
	case href == "" && !f.buttonActs(e, text):
		return false
	case downloads || isDownload(href):
		return f.ofSite || !f.inFrame
	case isCartAddress(href) || isBuying(text):
		return true
	case f.turning[e] || rel != "" && slices.ContainsFunc(strings.Fields(rel), func(r string) bool { return markup.IsOneOf(r, "next", "prev") }):
		return true
	case isReplying(text):
		f.replies++
		return f.replies <= maxReplies
	case !f.ofSite:
		return false
	case isLogin(text):
		f.logins++
		return f.logins <= maxLogins
	}
	if lang, ok := p.Attr(e, "hreflang"); ok && lang != "" {
		f.languages++
		return f.languages <= maxLanguages
	}
	return false
}

func (f *actionFinder) buttonActs(e page.ElementID, text string) bool {
	if isReplying(text) {
		f.replies++
		return f.replies <= maxReplies
	}
	return isBuying(text) || namesBuying(f.p, e)
}

func namesBuying(p *page.Page, e page.ElementID) bool {
	return markup.Named(p, e, "add-to-cart", "addtocart", "add_to_cart", "buy-now")
}

// isWritingPlace reports whether e is a field to write in outside of any form, or the smallest box around such a field
// with the button that sends the text.
func (f *actionFinder) isWritingPlace(e page.ElementID) bool {
	return writes(f.p, e) || f.sendsWriting(e) && !f.anyChild(e, f.sendsWriting)
}

// sendsWriting reports whether e has a field to write in and a button, and little else.
func (f *actionFinder) sendsWriting(e page.ElementID) bool {
	c := f.inside(e)
	return c.fields > 0 && c.buttons > 0 && utf8.RuneCountInString(strings.TrimSpace(markup.Label(f.p, e))) <= 80
}

// anyChild reports whether is returns true for a child of e. Then the child is the element to ask about.
func (f *actionFinder) anyChild(e page.ElementID, is func(page.ElementID) bool) bool {
	for c := range f.p.Children(e) {
		if is(c) {
			return true
		}
	}
	return false
}

// buys reports whether a button buys.
func (f *actionFinder) buys(e page.ElementID) bool {
	value, _ := f.p.Attr(e, "value")
	return isBuying(label(markup.Label(f.p, e)+value)) || namesBuying(f.p, e)
}

// chooses reports whether e is a field to choose with: a list, an amount, a box.
func chooses(p *page.Page, e page.ElementID) bool {
	switch p.Elements[e].Tag {
	case atom.Select:
		return true
	case atom.Input:
		kind, _ := p.Attr(e, "type")
		return markup.IsOneOf(kind, "", "text", "number", "radio", "checkbox", "tel")
	}
	return false
}

// writes reports whether e is a field to write in, other than that of a line.
func writes(p *page.Page, e page.ElementID) bool {
	for _, a := range p.Attrs(e) {
		if a.Key == "contenteditable" && markup.IsOneOf(a.Val, "true", "plaintext-only") || a.Key == "role" && markup.IsOneOf(a.Val, "textbox") {
			return true
		}
	}
	return p.Elements[e].Tag == atom.Textarea
}

// isPager reports whether e turns the pages of this text: it has such a name, or most of its links are consecutive
// numbers or say "next" and "previous".
func (f *actionFinder) isPager(e page.ElementID) bool {
	p := f.p
	switch p.Elements[e].Tag {
	case atom.A, atom.Table, atom.Tbody, atom.Tr, atom.Form:
		return false
	}
	c := f.inside(e)
	if c.turning == 0 || c.heads > 0 || utf8.RuneCountInString(strings.TrimSpace(markup.Label(p, e))) > 200 { // days of a calendar are numbers too
		return false
	}
	named := markup.Named(p, e, "pagination", "pager", "paginator", "pagenav", "page-numbers", "page-nav", "pagelinks", "paging", "page navigation")
	return (named || c.turning >= 2 && 5*c.turning >= 4*c.links && c.turning <= 20 && f.turns(e)) && !markup.Named(p, e, "calendar") && !f.anyChild(e, f.isPager)
}

// turns reports whether a link in e says that it turns pages, or two of them have the numbers of pages that follow each
// other, perhaps with this page between them. Sizes of a list ("12 24 48") don't.
func (f *actionFinder) turns(e page.ElementID) bool {
	last := 0
	for a := e + 1; a < f.p.Elements[e].Sub; a++ {
		if f.p.Elements[a].Tag != atom.A {
			continue
		}
		text := strings.TrimSpace(markup.Label(f.p, a))
		if isTurning(text) {
			return true
		}
		n, _ := strconv.Atoi(text)
		if last > 0 && n > last && n <= last+2 {
			return true
		}
		last = n
	}
	return false
}

// isDownload reports whether an address leads to a file to download.
func isDownload(href string) bool {
	if p, _, _ := strings.Cut(href, "?"); !strings.ContainsAny(p, "%#") && !isFile(p) { // as for most
		return false
	}
	u, err := url.Parse(href)
	return err == nil && isFile(u.Path)
}

// isFile reports whether the last part of a path has the extension of a file to download.
func isFile(p string) bool {
	ext := strings.TrimPrefix(path.Ext(p), ".")
	return ext != "" && markup.IsOneOf(ext, "zip", "gz", "tgz", "bz2", "xz", "zst", "7z", "rar", "exe", "msi", "dmg", "pkg", "apk",
		"deb", "rpm", "appimage", "iso", "jar", "pdf", "epub", "mobi", "doc", "docx", "odt", "xls", "xlsx", "ods", "csv")
}

func isCartAddress(u string) bool {
	u = strings.ToLower(u)
	if !strings.Contains(u, "add") && !strings.Contains(u, "buy") { // as in most
		return false
	}
	for _, s := range []string{"add-to-cart", "addtocart", "add_to_cart", "cart/add", "cart_add", "basket/add", "action=buy", "add2cart", "warenkorb/add"} {
		if strings.Contains(u, s) {
			return true
		}
	}
	return false
}
