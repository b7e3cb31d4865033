// Package address finds the addresses in a page, makes them absolute, and leaves out those that are not safe to follow.
package address

import (
	"net/url"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// Resolver makes the addresses of a page absolute (WHATWG URL §4.4, HTML §2.4.2).
type Resolver struct {
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
	// All addresses of a page together may become SpareAddresses longer than the page. To resolve them may take as much as
	// to read it workPerByte times, and spareWork beside.
	SpareAddresses         = 1 << 20
	workPerByte, spareWork = 16, 8 << 20
)

// Of returns the resolver of a page that was fetched from pageURL. If that is empty, it uses the address that
// the page declares.
func Of(p *page.Page, pageURL string) Resolver {
	a := Resolver{left: &addressRoom{growth: len(p.Source) + SpareAddresses, work: workPerByte*len(p.Source) + spareWork}}
	base := Absolute(pageURL)
	if base == nil {
		base = Absolute(canonical(p))
	}
	if href := Base(p); href != "" {
		if base == nil {
			base = Absolute(href)
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

// Absolute returns s as a URL of the web, or nil.
func Absolute(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	return u
}

// Resolve returns an address that is safe to follow, or an empty string. The address is absolute where that is known.
// An address within the page ("#notes") stays as it is.
func (a Resolver) Resolve(ref string) string {
	ref = safe(ref)
	if a.base == nil || ref == "" || strings.HasPrefix(ref, "#") || !a.afford(ref) {
		return ref
	}
	u, err := a.base.Parse(WithoutBreaks(ref))
	if err != nil {
		return ref
	}
	absolute := u.String()
	a.left.growth -= len(absolute) - len(ref)
	return absolute
}

// afford charges what it takes to resolve ref, and reports whether there is room for it. Each step up copies the path
// before it.
func (a Resolver) afford(ref string) bool {
	n := (a.length + len(ref)) * (1 + strings.Count(ref, ".."))
	if a.left.growth <= 0 || a.left.work < n {
		return false
	}
	a.left.work -= n
	return true
}

// ResolveSet resolves the addresses of a srcset (HTML §4.8.4.2.1). It leaves out unsafe ones.
func (a Resolver) ResolveSet(srcset string) string {
	var kept []string
	for _, c := range candidates(srcset) {
		if u := a.Resolve(c.url); u != "" {
			kept = append(kept, strings.TrimSpace(u+" "+c.descriptor))
		}
	}
	return strings.Join(kept, ", ")
}

// canonical returns the address that the page declares (RFC 6596), unchanged.
func canonical(p *page.Page) string {
	for e := range p.Elements {
		if rel, _ := p.Attr(page.ElementID(e), "rel"); p.Elements[e].Tag == atom.Link && strings.EqualFold(strings.TrimSpace(rel), "canonical") {
			href, _ := p.Attr(page.ElementID(e), "href")
			return href
		}
	}
	return ""
}

// Base returns the base of relative links that the page declares, if any.
func Base(p *page.Page) string {
	for e := range p.Elements {
		if p.Elements[e].Tag == atom.Base {
			if href, ok := p.Attr(page.ElementID(e), "href"); ok {
				return safe(href)
			}
		}
	}
	return ""
}
