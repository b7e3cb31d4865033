package page

import (
	"net/url"
	"strings"

	"golang.org/x/net/html/atom"
)

// addresses makes the addresses of a page absolute (WHATWG URL §4.4, HTML §2.4.2).
type addresses struct {
	// base is the start of relative addresses. It is nil if neither the page nor its base element has an absolute one, or
	// if that is longer than longestBase.
	base *url.URL
	// length is that of base.
	length int
	left   *addressRoom
}

// addressRoom is what resolving may still take. Beyond it, addresses stay as they are.
type addressRoom struct {
	// growth is by how much all addresses together may still grow: each relative one takes over the base. work is how many
	// bytes of bases and references may still be read.
	growth, work int
}

const (
	// longestBase is the longest address that others start at. Each of them costs its length.
	longestBase = 4 << 10
	// All addresses of a page together may become spareAddresses longer than the page. To resolve them may take as much as
	// to read it workPerByte times, and spareWork beside.
	spareAddresses         = 1 << 20
	workPerByte, spareWork = 16, 8 << 20
)

// addressesOf returns the resolver of a page that was fetched from pageURL. If that is empty, it uses the address that
// the page declares.
func (p *Page) addressesOf(pageURL string) addresses {
	a := addresses{left: &addressRoom{growth: len(p.Source) + spareAddresses, work: workPerByte*len(p.Source) + spareWork}}
	base := absoluteURL(pageURL)
	if base == nil {
		base = absoluteURL(p.canonical())
	}
	if href := p.base(); href != "" {
		if base == nil {
			base = absoluteURL(href)
		} else if u, err := base.Parse(href); err == nil {
			base = u
		}
	}
	if base == nil {
		return a
	}
	start := *base
	start.RawQuery, start.Fragment, start.RawFragment = "", "", "" // nothing takes them over
	if a.length = len(start.String()); a.length <= longestBase {
		a.base = &start
	}
	return a
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
	if a.base == nil || ref == "" || strings.HasPrefix(ref, "#") || !a.afford(ref) {
		return ref
	}
	u, err := a.base.Parse(withoutBreaks(ref))
	if err != nil {
		return ref
	}
	absolute := u.String()
	a.left.growth -= len(absolute) - len(ref)
	return absolute
}

// afford charges what it takes to resolve ref, and reports whether there is room for it. Each step up copies the path
// before it.
func (a addresses) afford(ref string) bool {
	n := (a.length + len(ref)) * (1 + strings.Count(ref, ".."))
	if a.left.growth <= 0 || a.left.work < n {
		return false
	}
	a.left.work -= n
	return true
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
