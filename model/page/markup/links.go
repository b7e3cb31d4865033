package markup

import (
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// IsPermalink reports whether e is a link of a heading to itself, as generators of documentation insert it.
func IsPermalink(p *page.Page, e page.ElementID) bool {
	el := &p.Elements[e]
	href, _ := p.Attr(e, "href")
	if el.Tag != atom.A || !strings.HasPrefix(href, "#") {
		return false
	}
	label, _ := p.Attr(e, "aria-label")
	title, _ := p.Attr(e, "title")
	text := strings.TrimSpace(Label(p, e))
	named := HasClass(p, e, "headerlink", "permalink", "anchor", "header-anchor", "heading-anchor", "anchorjs-link", "hash-link", "heading-link")
	switch {
	case hasWord(text) && !(named && strings.EqualFold(text, "permalink")):
		return false
	case named || strings.Contains(strings.ToLower(label+" "+title), "permalink"):
		return true
	}
	for up := el.Parent; up != page.None; up = p.Elements[up].Parent {
		switch p.Elements[up].Tag {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Dt, atom.Caption, atom.Figcaption:
			return true
		}
		if !page.IsInline(p.Elements[up].Tag) {
			return false
		}
	}
	return false
}

// LeadsBack reports whether e is the arrow from a note back to the text.
func LeadsBack(p *page.Page, e page.ElementID) bool {
	href, _ := p.Attr(e, "href")
	return p.Elements[e].Tag == atom.A && strings.HasPrefix(href, "#") && !hasWord(Label(p, e))
}

// IsLineNumbers reports whether e has only the line numbers of a listing.
func IsLineNumbers(p *page.Page, e page.ElementID) bool {
	if !HasClass(p, e, "linenos", "lineno", "linenodiv", "line-numbers", "line-number", "gutter", "lnt", "ln", "blob-num", "hljs-ln-numbers", "rouge-gutter",
		"line-numbers-rows", "line-numbers-wrapper", "CodeMirror-linenumber", "CodeMirror-gutter-wrapper", "cm-gutters", "crayon-nums") {
		return false
	}
	return !strings.ContainsFunc(Label(p, e), func(r rune) bool { return !unicode.IsDigit(r) && !unicode.IsSpace(r) })
}
