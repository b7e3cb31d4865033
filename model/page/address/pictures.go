package address

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// safe returns u trimmed, or an empty string if its scheme may run code (javascript:, data:, vbscript:).
func safe(u string) string {
	u = strings.TrimFunc(u, func(r rune) bool { return r <= ' ' })
	scheme, found := Scheme(u)
	if !found {
		return u
	}
	switch scheme {
	case "http", "https", "mailto", "tel", "ftp":
		return u
	}
	return ""
}

// Scheme returns the scheme of u as a browser reads it: tabs and line feeds inside do not count (WHATWG URL §4.4).
func Scheme(u string) (string, bool) {
	u = WithoutBreaks(u)
	i := strings.IndexAny(u, ":/?#")
	if i < 0 || u[i] != ':' {
		return "", false
	}
	return strings.ToLower(u[:i]), true
}

// WithoutBreaks returns u without the tabs and line breaks that browsers skip (WHATWG URL §4.4).
func WithoutBreaks(u string) string {
	if !strings.ContainsAny(u, "\t\n\r") {
		return u
	}
	return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(u)
}

// OfImage returns the address of the picture that e represents. Pages that load pictures late name it in other
// attributes, and have a placeholder in src.
func OfImage(p *page.Page, e page.ElementID) string {
	src, _ := p.Attr(e, "src")
	if u := safe(src); u != "" && !loadsLate(p, e) {
		return u
	}
	for _, key := range []string{"data-src", "data-original", "data-lazy-src", "data-srcset", "srcset"} {
		v, _ := p.Attr(e, key)
		if strings.HasSuffix(key, "srcset") {
			v = largestOf(v)
		}
		if u := safe(v); u != "" {
			return u
		}
	}
	if u := safe(src); u != "" {
		return u
	}
	if u := pictureURL(p, e); u != "" {
		return u
	}
	return unscriptedURL(p, e)
}

func loadsLate(p *page.Page, e page.ElementID) bool {
	for _, key := range []string{"data-src", "data-original", "data-lazy-src"} {
		if v, _ := p.Attr(e, key); v != "" {
			return true
		}
	}
	return false
}

// MaxSources is how many elements are looked at for the address of one picture, film or sound. Any number of these may
// share them.
const MaxSources = 64

// pictureURL returns an address from the sources of the picture element around e.
func pictureURL(p *page.Page, e page.ElementID) string {
	up := p.Elements[e].Parent
	if up == page.None || p.Elements[up].Tag != atom.Picture {
		return ""
	}
	looked := 0
	for c := range p.Children(up) {
		if looked++; looked > MaxSources {
			break
		}
		set, _ := p.Attr(c, "srcset")
		if u := safe(largestOf(set)); u != "" && p.Elements[c].Tag == atom.Source {
			return u
		}
	}
	return ""
}

// candidate is one picture of a srcset.
type candidate struct {
	url, descriptor string
}

// candidates reads a srcset.
func candidates(srcset string) []candidate {
	var all []candidate
	fields := strings.Fields(srcset)
	for i, f := range fields {
		url := strings.Trim(f, ",")
		if url == "" || i > 0 && isDescriptor(fields[i-1], f) {
			continue
		}
		c := candidate{url: url}
		if i+1 < len(fields) && isDescriptor(f, fields[i+1]) {
			c.descriptor = strings.TrimRight(fields[i+1], ",")
		}
		all = append(all, c)
	}
	return all
}

// largestOf returns the URL of a srcset with the largest width or density.
func largestOf(srcset string) string {
	best, size := "", -1.0
	for _, c := range candidates(srcset) {
		n := 1.0
		if d := c.descriptor; d != "" {
			n, _ = strconv.ParseFloat(d[:len(d)-1], 64)
		}
		if n > size {
			best, size = c.url, n
		}
	}
	return best
}

// isDescriptor reports whether f ("640w", "2x,") describes the URL before it.
func isDescriptor(before, f string) bool {
	f = strings.TrimRight(f, ",")
	if f == "" || strings.HasSuffix(before, ",") {
		return false
	}
	last := f[len(f)-1]
	_, err := strconv.ParseFloat(f[:len(f)-1], 64)
	return err == nil && (last == 'w' || last == 'x')
}

// unscriptedURL returns the address of the picture for browsers without scripts, beside a placeholder.
func unscriptedURL(p *page.Page, e page.ElementID) string {
	const longest = 4096
	next := p.Elements[e].Sub
	if int(next) >= len(p.Elements) || p.Elements[next].Tag != atom.Noscript || p.Elements[next].Parent != p.Elements[e].Parent {
		return ""
	}
	for t := p.Elements[next].TextStart; t < p.Elements[next].TextEnd && len(p.Texts[t].Data) <= longest; t++ {
		z := html.NewTokenizer(strings.NewReader(p.Texts[t].Data))
		for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
			for _, a := range z.Token().Attr {
				if u := safe(a.Val); a.Key == "src" && u != "" {
					return u
				}
			}
		}
	}
	return ""
}
