package page

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// ErrUnsafe says that a page can't be changed safely: text in it could become markup in browsers.
var ErrUnsafe = errors.New("what is inert in the page could become live")

// checkLive fails if body, which is Source with parts removed or inserted, has a script, a handler or another active
// element that the page does not have. A script may be text in a page (in a template, a textarea, a comment), and a cut
// may remove what makes it text. Attackers have used rewriting proxies in that way to get scripts past filters.
func (p *Page) checkLive(body []byte) error {
	if p.fragile != 0 {
		return fmt.Errorf("%w: %v", ErrUnsafe, p.fragile)
	}
	if !p.recode {
		enc, err := encodingByName(p.Charset)
		if err != nil {
			return err
		}
		if body, err = enc.decode(body); err != nil {
			return fmt.Errorf("decoding the output as %s: %w", enc.name, err)
		}
	}
	out := checkedPages.Get().(*Page)
	defer out.reuse()
	err := htmltree.Parse(string(body), nil, func(t *htmltree.Tree) error {
		out.flatten(t)
		if t.Fragile != 0 {
			return fmt.Errorf("%w: %v", ErrUnsafe, t.Fragile)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("parsing the output: %w", err)
	}
	seed := maphash.MakeSeed()
	known, now := p.live(seed), out.live(seed)
	for _, h := range now {
		if _, ok := slices.BinarySearch(known, h); !ok {
			return ErrUnsafe
		}
	}
	return nil
}

//nolint:gochecknoglobals // room for the next output, of which nothing can be seen
var checkedPages = sync.Pool{New: func() any { return new(Page) }}

// reuse keeps the memory of a page that nobody else uses for the next output, unless it is far larger than most need.
func (p *Page) reuse() {
	const most = 1 << 14
	if cap(p.Elements) > most || cap(p.Texts) > most {
		return
	}
	clear(p.Elements)
	clear(p.Texts)
	p.Elements, p.Texts, p.attrs, p.fragile, p.Body = p.Elements[:0], p.Texts[:0], nil, 0, None
	checkedPages.Put(p)
}

// live returns sorted hashes of the active elements, handlers and addresses that run.
func (p *Page) live(seed maphash.Seed) []uint64 {
	l := liveHasher{p: p}
	l.hash.SetSeed(seed)
	for e := ElementID(0); int(e) < len(p.Elements); {
		el := &p.Elements[e]
		if el.Tag == atom.Template && !l.hasAttr(e, "shadowrootmode") {
			e = el.Sub // only a script can activate a template's content
			continue
		}
		l.element(e)
		e++
	}
	slices.Sort(l.hashes)
	return l.hashes
}

type liveHasher struct {
	p      *Page
	hash   maphash.Hash
	hashes []uint64
}

func (l *liveHasher) hasAttr(e ElementID, key string) bool {
	_, has := l.p.Attr(e, key)
	return has
}

func (l *liveHasher) element(e ElementID) {
	el, attrs := &l.p.Elements[e], l.p.Attrs(e)
	for _, a := range attrs {
		if isHandler(a) {
			l.add("@", a.Key, a.Val)
		}
	}
	if !isActive(el) || l.isViewport(e) {
		return
	}
	l.hash.Reset()
	l.write(el.Name)
	for _, a := range attrs {
		if actsBy(a.Key) {
			l.write(a.Key)
			l.write(a.Val)
		}
	}
	if el.Tag == atom.Script {
		for _, t := range l.p.Texts[el.TextStart:el.TextEnd] {
			l.hash.WriteString(t.Data)
		}
	}
	l.hashes = append(l.hashes, l.hash.Sum64())
}

// isViewport reports whether e only says how wide the page is, which mode auto adds where it is missing.
func (l *liveHasher) isViewport(e ElementID) bool {
	name, _ := l.p.Attr(e, "name")
	return l.p.Elements[e].Tag == atom.Meta && name == "viewport" && !l.hasAttr(e, "http-equiv")
}

func (l *liveHasher) add(parts ...string) {
	l.hash.Reset()
	for _, s := range parts {
		l.write(s)
	}
	l.hashes = append(l.hashes, l.hash.Sum64())
}

func (l *liveHasher) write(s string) {
	l.hash.WriteString(s)
	l.hash.WriteByte(0)
}

// isActive reports whether an element loads or runs something, or changes from where others load.
func isActive(el *Element) bool {
	switch el.Tag {
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

// isHandler reports whether an attribute contains a script: an event handler or an address that runs.
func isHandler(a Attr) bool {
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
