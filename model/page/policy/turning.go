package policy

import (
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// maxTurning is the most pages that the links of one page turn to; more are those of a list.
const maxTurning = 4

// turningLinks returns the links that turn the pages of a manual or a blog: those to what the page declares as the one
// before or after it (HTML §4.6.7), and those that begin with such a word. Of several to one page, the last is the one
// at the end of the text.
func turningLinks(p *page.Page) map[page.ElementID]bool {
	declared := map[string]bool{}
	last := map[string]page.ElementID{}
	for i := range p.Elements {
		e := page.ElementID(i)
		if tag := p.Elements[e].Tag; tag != atom.A && tag != atom.Link {
			continue
		}
		href, _ := p.Attr(e, "href")
		if href == "" || href[0] == '#' || strings.HasPrefix(strings.TrimSpace(strings.ToLower(href)), "javascript:") {
			continue
		}
		switch {
		case p.Elements[e].Tag == atom.Link:
			if rel, _ := p.Attr(e, "rel"); markup.IsOneOf(rel, "next", "prev", "previous") {
				declared[href] = true
			}
		case declared[href] || beginsTurning(p, e):
			last[href] = e
		}
	}
	if len(last) > maxTurning {
		return nil
	}
	links := map[page.ElementID]bool{}
	for _, e := range last {
		links[e] = true
	}
	return links
}

// beginsTurning reports whether the first text of a link is a word that turns pages, and what follows is no more than a
// title.
func beginsTurning(p *page.Page, link page.ElementID) bool {
	const longestTitle = 160
	el := &p.Elements[link]
	for _, t := range p.Texts[el.TextStart:el.TextEnd] {
		text := strings.TrimSpace(t.Data)
		if text == "" {
			continue
		}
		return strings.ContainsFunc(text, unicode.IsLetter) && isTurning(text) && len(markup.Label(p, link)) <= longestTitle
	}
	return false
}
