package page

import (
	"net/url"
	"strings"

	"golang.org/x/net/html/atom"
)

// addresses makes the addresses of a page absolute (WHATWG URL §4.4, HTML §2.4.2).
type addresses struct {
	// base is the start of relative addresses. It is nil if neither the page nor its base element has an absolute one.
	base *url.URL
	// room is by how much all addresses together may still grow: each relative one takes over the base, which may be as
	// long as the page. Beyond, they stay as they are.
	room *int
}

// spareAddresses is how much longer than the page all its addresses may become.
const spareAddresses = 1 << 20

// addressesOf returns the resolver of a page that was fetched from pageURL. If that is empty, it uses the address that
// the page declares.
func (p *Page) addressesOf(pageURL string) addresses {
	room := len(p.Source) + spareAddresses
	base := absoluteURL(pageURL)
	if base == nil {
		base = absoluteURL(p.canonical())
	}
	if href := p.base(); href != "" {
		if base == nil {
			return addresses{absoluteURL(href), &room}
		}
		if u, err := base.Parse(href); err == nil {
			base = u
		}
	}
	return addresses{base, &room}
}

// absoluteURL returns s as a URL of the web, or nil.
func absoluteURL(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	return u
}

// resolve returns an address that is safe to follow, or an empty string. The address is absolute where that is known.
// An address within the page ("#notes") stays as it is.
func (a addresses) resolve(ref string) string {
	ref = safeURL(ref)
	if a.base == nil || ref == "" || strings.HasPrefix(ref, "#") || *a.room <= 0 {
		return ref
	}
	u, err := a.base.Parse(withoutBreaks(ref))
	if err != nil {
		return ref
	}
	absolute := u.String()
	*a.room -= len(absolute) - len(ref)
	return absolute
}

// resolveSet resolves the addresses of a srcset (HTML §4.8.4.2.1). It leaves out unsafe ones.
func (a addresses) resolveSet(srcset string) string {
	var kept []string
	for _, c := range candidates(srcset) {
		if u := a.resolve(c.url); u != "" {
			kept = append(kept, strings.TrimSpace(u+" "+c.descriptor))
		}
	}
	return strings.Join(kept, ", ")
}

// canonical returns the address that the page declares (RFC 6596), unchanged.
func (p *Page) canonical() string {
	for e := range p.Elements {
		if rel, _ := p.Attr(ElementID(e), "rel"); p.Elements[e].Tag == atom.Link && strings.EqualFold(strings.TrimSpace(rel), "canonical") {
			href, _ := p.Attr(ElementID(e), "href")
			return href
		}
	}
	return ""
}

// base returns the base of relative links that the page declares, if any.
func (p *Page) base() string {
	for e := range p.Elements {
		if p.Elements[e].Tag == atom.Base {
			if href, ok := p.Attr(ElementID(e), "href"); ok {
				return safeURL(href)
			}
		}
	}
	return ""
}
