// Package active finds what runs or loads in a page, and checks that an output has nothing active that the page does
// not have.
package active

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// ErrUnsafe says that a page can't be changed safely: text in it could become markup in browsers.
var ErrUnsafe = errors.New("what is inert in the page could become live")

// Check fails if body, which is Source with parts removed or inserted, has a script, a handler or another active
// element that the page does not have, other than our own parts. A script may be text in a page (in a template, a
// textarea, a comment), and a cut may remove what makes it text. Attackers have used rewriting proxies in that way to
// get scripts past filters.
func Check(p *page.Page, body []byte, own Own) error {
	if p.Fragile() != 0 {
		return fmt.Errorf("%w: %v", ErrUnsafe, p.Fragile())
	}
	text, err := p.Decode(body)
	if err != nil {
		return fmt.Errorf("decoding the output as %s: %w", p.Charset, err)
	}
	c := newCheck(p)
	c.permit(own)
	src := page.InPlace(text)
	if !c.passesPlain(src) {
		return c.parsed(src)
	}
	return nil
}

// check knows the active elements, handlers and addresses that run of a page.
type check struct {
	hash maphash.Hash
	// known are the hashes of the parts, sorted.
	known []uint64
	// attrs is working memory.
	attrs []page.Attr
}

func newCheck(p *page.Page) *check {
	c := &check{}
	c.known = live(p, &c.hash)
	return c
}

// knows reports whether the page has the part of a hash.
func (c *check) knows(part uint64) bool {
	_, ok := slices.BinarySearch(c.known, part)
	return ok
}

// Own are the addresses of what winnow adds to a page that loads something, empty for none.
type Own struct{ Frame, Style string }

// permit lets the output have parts of our own.
func (c *check) permit(own Own) {
	if own.Frame != "" {
		c.known = append(c.known, hashActive(&c.hash, "iframe", []page.Attr{{Key: "src", Val: own.Frame}}, ""))
	}
	if own.Style != "" {
		c.known = append(c.known, hashActive(&c.hash, "link", []page.Attr{{Key: "rel", Val: "stylesheet"}, {Key: "href", Val: own.Style}}, ""))
	}
	slices.Sort(c.known)
}

// passesPlain reports whether out passes the check whatever its tree is. It costs a fraction of
// [check.parsed], and what passes here passes there, but for the bounds on trees.
func (c *check) passesPlain(out string) bool {
	return htmltree.Plain(out, func(t *htmltree.StartTag) bool {
		c.attrs = t.Attrs(c.attrs[:0], mayBeHandler)
		for _, a := range c.attrs {
			if IsHandler(a) && (t.Foreign || !c.knows(hashHandler(&c.hash, a))) {
				return false
			}
		}
		if !IsActive(t.Tag) {
			return true
		}
		c.attrs = t.Attrs(c.attrs[:0], func(string, string) bool { return true })
		return isViewport(t.Tag, c.attrs) || c.knows(hashActive(&c.hash, t.Name, c.attrs, t.Text))
	})
}

// parsed fails if the tree of out has a live part that the page does not have, or is fragile.
func (c *check) parsed(src string) error {
	return page.WithTree(src, func(out *page.Page) error {
		if out.Fragile() != 0 {
			return fmt.Errorf("parsing the output: %w: %v", ErrUnsafe, out.Fragile())
		}
		for _, part := range live(out, &c.hash) {
			if !c.knows(part) {
				return ErrUnsafe
			}
		}
		return nil
	})
}

// live returns sorted hashes of the active elements, handlers and addresses that run.
func live(p *page.Page, h *maphash.Hash) (parts []uint64) {
	for e := page.ElementID(0); int(e) < len(p.Elements); e++ {
		el, attrs := &p.Elements[e], p.Attrs(e)
		if el.Tag == atom.Template && !hasKey(attrs, "shadowrootmode") {
			e = el.Sub - 1 // only a script can activate a template's content
			continue
		}
		for _, a := range attrs {
			if mayBeHandler(a.Key, a.Val) && IsHandler(a) {
				parts = append(parts, hashHandler(h, a))
			}
		}
		if IsActive(el.Tag) && !isViewport(el.Tag, attrs) {
			text := ""
			if el.Tag == atom.Script {
				text = p.TextIn(e)
			}
			parts = append(parts, hashActive(h, el.Name, attrs, text))
		}
	}
	slices.Sort(parts)
	return parts
}

func hasKey(attrs []page.Attr, key string) bool {
	return slices.ContainsFunc(attrs, func(a page.Attr) bool { return a.Key == key })
}

// isViewport reports whether an element only says how wide the page is, which mode auto adds where it is missing.
func isViewport(tag atom.Atom, attrs []page.Attr) bool {
	return tag == atom.Meta && slices.Contains(attrs, page.Attr{Key: "name", Val: "viewport"}) && !hasKey(attrs, "http-equiv")
}

// hashHandler returns the hash of an attribute that contains a script.
func hashHandler(h *maphash.Hash, a page.Attr) uint64 {
	h.Reset()
	hashPart(h, "@")
	hashPart(h, a.Key)
	hashPart(h, a.Val)
	return h.Sum64()
}

// hashActive returns the hash of an active element: its name, the attributes through which it acts, and its script.
func hashActive(h *maphash.Hash, name string, attrs []page.Attr, script string) uint64 {
	h.Reset()
	hashPart(h, name)
	for _, a := range attrs {
		if actsBy(a.Key) {
			hashPart(h, a.Key)
			hashPart(h, a.Val)
		}
	}
	h.WriteString(script)
	return h.Sum64()
}

func hashPart(h *maphash.Hash, s string) {
	h.WriteString(s)
	h.WriteByte(0)
}

// IsActive reports whether an element loads or runs something, or changes from where others load.
func IsActive(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Iframe, atom.Frame, atom.Frameset, atom.Object, atom.Embed, atom.Applet, atom.Base, atom.Link, atom.Meta:
		return true
	}
	return false
}

// actsBy reports whether an active element acts through this attribute.
func actsBy(key string) bool {
	switch key {
	case "src", "srcdoc", "href", "xlink:href", "data", "type", "rel", "content", "http-equiv", "code", "classid", "codebase":
		return true
	}
	return false
}

// mayBeHandler reports whether an attribute may be a handler, by its beginning, also before its character references
// are resolved.
func mayBeHandler(key, value string) bool {
	if len(key) > 2 && key[0]|0x20 == 'o' && key[1]|0x20 == 'n' {
		return true
	}
	for i := range len(value) {
		if c := value[i]; c > ' ' {
			return c|0x20 == 'j' || c == '&'
		}
	}
	return false
}

// IsHandler reports whether an attribute contains a script: an event handler or an address that runs.
func IsHandler(a page.Attr) bool {
	if strings.HasPrefix(a.Key, "on") && len(a.Key) > 2 {
		return true
	}
	v := strings.TrimLeftFunc(a.Val, func(r rune) bool { return r <= ' ' })
	return len(v) > 0 && v[0]|0x20 == 'j' && isScheme(v, "javascript:")
}

// isScheme reports whether an address has a scheme, in any case and with the line breaks that browsers skip (URL §4.4).
func isScheme(address, scheme string) bool {
	n := 0
	for i := 0; i < len(address) && n < len(scheme); i++ {
		switch c := address[i]; {
		case c == '\t' || c == '\n' || c == '\r':
		case c|0x20 == scheme[n] || c == scheme[n]:
			n++
		default:
			return false
		}
	}
	return n == len(scheme)
}

// AddsNothing reports whether nothing is live in after that is not live in p.
func AddsNothing(p *page.Page, after *page.Page) bool {
	c := newCheck(p)
	return !slices.ContainsFunc(live(after, &c.hash), func(part uint64) bool { return !c.knows(part) })
}
