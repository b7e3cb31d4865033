package source

import (
	"iter"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// dropAhead cuts the links that fetch ahead what only removed parts show or lead to: the logo of a header, the next
// page of a teaser.
func (h *hider) dropAhead(c *cutter) {
	p := h.p
	var ahead []page.ElementID
	for e := range p.Elements {
		if e := page.ElementID(e); fetchesAhead(p, e) {
			ahead = append(ahead, e)
		}
	}
	if len(ahead) == 0 {
		return
	}
	const used, unused = 1, 2
	uses, end := map[string]int{}, page.ElementID(0)
	for e := range p.Elements {
		e, use := page.ElementID(e), used
		if h.hidden[e] {
			end = max(end, p.Elements[e].Sub)
		}
		if e < end {
			use = unused
		}
		if p.Elements[e].Tag != atom.Link {
			for address := range addressesIn(p, e) {
				uses[address] |= use
			}
		}
	}
	for _, e := range ahead {
		if href, _ := p.Attr(e, "href"); uses[strings.TrimSpace(href)] == unused {
			c.cuts = append(c.cuts, cutRange{Span: p.Elements[e].Outer})
		}
	}
}

// fetchesAhead reports whether e is a link that fetches a picture or a page before anything asks for it (HTML §4.6.8).
func fetchesAhead(p *page.Page, e page.ElementID) bool {
	if p.Elements[e].Tag != atom.Link || !p.Elements[e].Outer.Known() {
		return false
	}
	rel, _ := p.Attr(e, "rel")
	as, _ := p.Attr(e, "as")
	return markup.IsOneOf(rel, "prefetch", "prerender") || markup.IsOneOf(rel, "preload") && markup.IsOneOf(as, "image", "video", "audio", "track")
}

// addressesIn returns the addresses that an element has, as the page writes them.
func addressesIn(p *page.Page, e page.ElementID) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, a := range p.Attrs(e) {
			switch a.Key {
			case "src", "href", "poster", "data", "style", "srcset", "data-src", "data-srcset":
				for _, address := range strings.FieldsFunc(a.Val, separatesAddresses) {
					if !yield(address) {
						return
					}
				}
			}
		}
	}
}

// separatesAddresses is for lists of pictures and for styles as well.
func separatesAddresses(r rune) bool { return strings.ContainsRune(" \t\n\f\r,()'\"", r) }
