package page

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

// actionFinder recognises the elements that people act with, by what they are in HTML and by their names, whatever a
// detector says about their text.
type actionFinder struct {
	p *Page
	// replies, languages and logins count the elements found: long lists of them are not actions.
	replies, languages, logins int
}

// The most of each that stay in one part.
const (
	maxReplies   = 2
	maxLanguages = 12
	maxLogins    = 2
)

// isAction reports whether e as a whole is something to act with: a form that buys, answers, logs in or was used to
// search, a link or button that does one of these, a download, a choice of language, a field to write in.
func (f *actionFinder) isAction(e ElementID) bool {
	p := f.p
	switch p.Elements[e].Tag {
	case atom.Form:
		return f.formActs(e)
	case atom.A:
		return f.linkActs(e)
	case atom.Button:
		return f.buttonActs(e, p.label(e))
	case atom.Input:
		value, _ := p.Attr(e, "value")
		kind, _ := p.Attr(e, "type")
		return isOneOf(kind, "submit", "button", "image") && f.buttonActs(e, value)
	case atom.Select:
		return p.named(e, "lang", "language", "locale", "sprache", "langue", "idioma")
	}
	return f.isWritingPlace(e)
}

// formActs reads the controls of a form. A form that only asks for an address (a newsletter) or searches the site
// belongs to the template, unless it was used to search.
func (f *actionFinder) formActs(form ElementID) bool {
	p := f.p
	for e := form + 1; e < p.Elements[form].Sub; e++ {
		kind, _ := p.Attr(e, "type")
		value, _ := p.Attr(e, "value")
		switch tag := p.Elements[e].Tag; {
		case tag == atom.Textarea:
			return true
		case tag == atom.Input && isOneOf(kind, "password", "file"):
			return true
		case tag == atom.Input && strings.TrimSpace(value) != "" && isOneOf(kind, "search", "text", "") && p.isSearchField(e):
			return true
		case tag == atom.Button && (isBuying(p.label(e)) || isReplying(p.label(e))):
			return true
		case tag == atom.Input && isOneOf(kind, "submit", "button", "image") && (isBuying(value) || isReplying(value)):
			return true
		case tag == atom.Select && f.isAction(e):
			return true
		}
	}
	action, _ := p.Attr(form, "action")
	return isCartAddress(action)
}

func (p *Page) isSearchField(e ElementID) bool {
	kind, _ := p.Attr(e, "type")
	name, _ := p.Attr(e, "name")
	return isOneOf(kind, "search") || isOneOf(name, "q", "s", "query", "search", "keywords", "keyword", "wd", "term", "text", "p")
}

func (f *actionFinder) linkActs(e ElementID) bool {
	p := f.p
	href, _ := p.Attr(e, "href")
	rel, _ := p.Attr(e, "rel")
	text := strings.TrimSpace(p.label(e))
	_, downloads := p.Attr(e, "download")
	switch {
	case href == "" && !f.buttonActs(e, text):
		return false
	case downloads || isDownload(href) || isCartAddress(href) || isBuying(text):
		return true
	case slices.ContainsFunc(strings.Fields(rel), func(r string) bool { return isOneOf(r, "next", "prev") }):
		return true
	case isReplying(text):
		f.replies++
		return f.replies <= maxReplies
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

func (f *actionFinder) buttonActs(e ElementID, text string) bool {
	if isReplying(text) {
		f.replies++
		return f.replies <= maxReplies
	}
	return isBuying(text) || f.p.named(e, "add-to-cart", "addtocart", "add_to_cart", "buy-now")
}

// isWritingPlace reports whether e is a field to write in outside of any form, or the smallest box around such a field
// with the button that sends the text.
func (f *actionFinder) isWritingPlace(e ElementID) bool {
	return f.writes(e) || f.sendsWriting(e) && !f.anyChild(e, f.sendsWriting)
}

// sendsWriting reports whether e has a field to write in and a button, and little else.
func (f *actionFinder) sendsWriting(e ElementID) bool {
	p := f.p
	writes, sends := false, false
	for d := e + 1; d < p.Elements[e].Sub; d++ {
		writes = writes || f.writes(d)
		sends = sends || p.Elements[d].Tag == atom.Button
	}
	return writes && sends && utf8.RuneCountInString(strings.TrimSpace(p.label(e))) <= 80
}

// anyChild reports whether is returns true for a child of e. Then the child is the element to ask about.
func (f *actionFinder) anyChild(e ElementID, is func(ElementID) bool) bool {
	for c := range f.p.Children(e) {
		if is(c) {
			return true
		}
	}
	return false
}

func (f *actionFinder) writes(e ElementID) bool {
	editable, _ := f.p.Attr(e, "contenteditable")
	role, _ := f.p.Attr(e, "role")
	return f.p.Elements[e].Tag == atom.Textarea || isOneOf(editable, "true", "plaintext-only") || isOneOf(role, "textbox")
}

// isPager reports whether e turns the pages of this text: it has such a name, or most of its links are consecutive
// numbers or say "next" and "previous".
func (f *actionFinder) isPager(e ElementID) bool {
	p := f.p
	switch p.Elements[e].Tag {
	case atom.A, atom.Table, atom.Tbody, atom.Tr, atom.Form:
		return false
	}
	text := strings.TrimSpace(p.label(e))
	if utf8.RuneCountInString(text) > 200 {
		return false
	}
	links, turning := 0, 0
	for d := e + 1; d < p.Elements[e].Sub; d++ {
		href, ok := p.Attr(d, "href")
		if p.Elements[d].Tag == atom.Th { // days of a calendar are numbers too
			return false
		}
		if p.Elements[d].Tag != atom.A || !ok || href == "" {
			continue
		}
		links++
		if label := strings.TrimSpace(p.label(d)); isPageNumber(label) || isTurning(label) {
			turning++
		}
	}
	named := p.named(e, "pagination", "pager", "paginator", "pagenav", "page-numbers", "page-nav", "pagelinks", "paging", "page navigation")
	return (named && turning > 0 || turning >= 2 && 5*turning >= 4*links && turning <= 20) && !p.named(e, "calendar") && !f.anyChild(e, f.isPager)
}

// named reports whether class, id, name or label of e contains one of the words.
func (p *Page) named(e ElementID, words ...string) bool {
	for _, key := range []string{"class", "id", "name", "aria-label"} {
		val, ok := p.Attr(e, key)
		if !ok {
			continue
		}
		val = strings.ToLower(val)
		for _, w := range words {
			if strings.Contains(val, w) {
				return true
			}
		}
	}
	return false
}

// isDownload reports whether an address leads to a file to download.
func isDownload(href string) bool {
	u, err := url.Parse(href)
	if err != nil {
		return false
	}
	return isOneOf(strings.TrimPrefix(path.Ext(u.Path), "."), "zip", "gz", "tgz", "bz2", "xz", "zst", "7z", "rar", "exe", "msi", "dmg", "pkg", "apk",
		"deb", "rpm", "appimage", "iso", "jar", "pdf", "epub", "mobi", "doc", "docx", "odt", "xls", "xlsx", "ods", "csv")
}

func isCartAddress(u string) bool {
	u = strings.ToLower(u)
	for _, s := range []string{"add-to-cart", "addtocart", "add_to_cart", "cart/add", "cart_add", "basket/add", "action=buy", "add2cart", "warenkorb/add"} {
		if strings.Contains(u, s) {
			return true
		}
	}
	return false
}

func isOneOf(s string, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(strings.TrimSpace(s), n) })
}
