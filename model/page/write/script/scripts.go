// Package script says which elements a page's scripts may look for, and whether a framework takes the page over. What
// neither can miss may be cut.
package script

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/address"
)

// Mentions says which elements the page's own scripts may look for. Without such an element, a script stops with an
// error.
type Mentions struct {
	p *page.Page
	// inline has the names in the scripts of the page itself, files those in script files that are known.
	inline *nameSet
	files  []Names
	// unread says that there are script files that are not known.
	unread bool
	// about says what is known about each element.
	about []mention
}

// mention is what is known about an element.
type mention uint8

const (
	// firstTag and first elements are the first of their tag, or of one of their classes or data attributes: a script
	// that looks for one finds these, and lists of elements may be shorter than it expects.
	firstTag mention = 1 << iota
	first
	// The answers of named and missed, once they were asked for.
	isNamed
	isNotNamed
	isMissed
	isNotMissed
)

// Read reads the scripts of the page. file returns the names in the file at an address, as the page writes it, if
// they are known.
func Read(p *page.Page, file func(src string) (Names, bool)) *Mentions {
	m := &Mentions{p: p, inline: newNameSet(), about: make([]mention, len(p.Elements))}
	for i := range p.Elements {
		e := page.ElementID(i)
		m.firsts(e)
		if p.Elements[e].Tag == atom.Script {
			m.script(e, file)
			continue
		}
		for _, a := range p.Attrs(e) {
			if strings.HasPrefix(a.Key, "on") || isScriptAddress(a.Val) {
				m.inline.read(a.Val)
			}
		}
	}
	return m
}

// Release gives the memory back. Nothing may be asked afterwards.
func (m *Mentions) Release() { m.inline.release() }

// isScriptAddress reports whether an address runs. Few others begin in a way that needs a closer look.
func isScriptAddress(address string) bool {
	const scheme = "javascript:"
	if len(address) < len(scheme) || address[0] != scheme[0] && address[0] > ' ' && address[0] < utf8.RuneSelf {
		return false
	}
	return strings.HasPrefix(strings.TrimSpace(address), scheme)
}

// FilesOf returns what is known about script files, by their addresses as the page writes them.
func FilesOf(p *page.Page, pageURL string, names func(address string) (Names, bool)) func(src string) (Names, bool) {
	if names == nil || pageURL == "" {
		return func(string) (Names, bool) { return Names{}, false }
	}
	at := address.Of(p, pageURL)
	return func(src string) (Names, bool) { return names(at.Resolve(src)) }
}

func (m *Mentions) script(e page.ElementID, file func(src string) (Names, bool)) {
	p := m.p
	if kind, _ := p.Attr(e, "type"); !runs(kind) {
		return
	}
	if src, _ := p.Attr(e, "src"); src != "" && !IsCounter(src) {
		if names, known := file(src); known {
			m.files = append(m.files, names)
		} else {
			m.unread = true
		}
	}
	el := &p.Elements[e]
	for _, t := range p.Texts[el.TextStart:el.TextEnd] {
		m.inline.read(t.Data)
	}
}

// runs reports whether a script of this type is code (HTML §4.12.1). Other types are data.
func runs(kind string) bool {
	kind, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(kind)), ";")
	switch kind {
	case "", "module", "text/javascript", "application/javascript", "application/x-javascript", "text/ecmascript", "application/ecmascript", "text/jscript":
		return true
	}
	return false
}

// IsCounter reports whether a script counts visitors, or fetches adverts or share buttons. Such scripts look for no
// elements of the page's own.
func IsCounter(src string) bool {
	src = strings.ToLower(src)
	for _, host := range []string{"googletagmanager.com/", "google-analytics.com/", "googlesyndication.com/", "doubleclick.net/", "googletagservices.com/",
		"connect.facebook.net/", "platform.twitter.com/", "static.hotjar.com/", "plausible.io/", "scorecardresearch.com/", "quantserve.com/",
		"mc.yandex.ru/", "hm.baidu.com/", "addthis.com/", "sharethis.com/", "addtoany.com/", "platform.linkedin.com/", "assets.pinterest.com/",
		"cdn.taboola.com/", "widgets.outbrain.com/", "amazon-adsystem.com/", "clarity.ms/", "googleoptimize.com/", "nr-data.net/", "static.cloudflareinsights.com/", "matomo.js", "piwik.js", "adsbygoogle.js"} {
		if strings.Contains(src, host) {
			return true
		}
	}
	return false
}

// firsts finds out whether e is the first of its tag, classes or data attributes.
func (m *Mentions) firsts(e page.ElementID) {
	if m.inline.add(isTag, m.p.Elements[e].Name) {
		m.about[e] |= firstTag
	}
	for _, a := range m.p.Attrs(e) {
		switch {
		case a.Key == "class" && m.inline.add(isClassList, a.Val):
			for c := range strings.FieldsSeq(a.Val) {
				if m.inline.add(isClass, c) {
					m.about[e] |= first
				}
			}
		case strings.HasPrefix(a.Key, "data-") && m.inline.add(isData, a.Key):
			m.about[e] |= first
		}
	}
}

// Missed reports whether a script may look for e.
func (m *Mentions) Missed(e page.ElementID) bool {
	if m.about[e]&(isMissed|isNotMissed) == 0 {
		m.note(e, isMissed, m.named(e) || m.unread && m.guessed(e))
	}
	return m.about[e]&isMissed != 0
}

// note remembers an answer: is, or the flag after it.
func (m *Mentions) note(e page.ElementID, is mention, answer bool) {
	if !answer {
		is <<= 1
	}
	m.about[e] |= is
}

// guessed reports whether an unknown script may look for e.
func (m *Mentions) guessed(e page.ElementID) bool {
	el := &m.p.Elements[e]
	if m.about[e]&(first|firstTag) != 0 || strings.Contains(el.Name, "-") || el.Tag == atom.Form || el.Tag == atom.Canvas {
		return true
	}
	id, _ := m.p.Attr(e, "id")
	name, _ := m.p.Attr(e, "name")
	return id != "" && !isNumbered(id) || name != "" && !isNumbered(name)
}

// isNumbered reports whether a name has a long number in it, like those of posts and menu entries: code for all pages
// can't know it.
func isNumbered(name string) bool {
	digits := 0
	for i := range len(name) {
		if digits++; name[i] < '0' || name[i] > '9' {
			digits = 0
		}
		if digits == 3 {
			return true
		}
	}
	return false
}

// named reports whether a known script has a name of e in it: its id, name or class or, if e is the first with it, its
// tag or a data attribute.
func (m *Mentions) named(e page.ElementID) bool {
	if m.about[e]&(isNamed|isNotNamed) == 0 {
		m.note(e, isNamed, m.findName(e))
	}
	return m.about[e]&isNamed != 0
}

func (m *Mentions) findName(e page.ElementID) bool {
	for _, a := range m.p.Attrs(e) {
		switch {
		case a.Key == "id" || a.Key == "name":
			if m.assembles(a.Val) {
				return true
			}
		case a.Key == "class":
			for c := range strings.FieldsSeq(a.Val) {
				if m.assembles(c) {
					return true
				}
			}
		case m.about[e]&first != 0 && strings.HasPrefix(a.Key, "data-"):
			if m.has(a.Key) {
				return true
			}
		}
	}
	return m.about[e]&firstTag != 0 && m.selects(m.p.Elements[e].Name)
}

// assembles reports whether a name is in a script, or a beginning or end of it that a script may complete ("tab-" + i).
func (m *Mentions) assembles(name string) bool {
	if m.has(name) {
		return true
	}
	for i := 1; i < len(name)-1; i++ {
		switch c := name[i]; {
		case c == '-' || c == '_':
			if m.has(name[:i+1]) || m.has(name[i:]) {
				return true
			}
		case '0' <= c && c <= '9':
			return m.has(name[:i])
		}
	}
	last := len(name) - 1
	return last > 0 && name[last] >= '0' && name[last] <= '9' && m.has(name[:last])
}

func (m *Mentions) has(name string) bool {
	return m.inline.has(inCode, name) || slices.ContainsFunc(m.files, func(f Names) bool { return f.has(f.words, name) })
}

func (m *Mentions) selects(tag string) bool {
	return m.inline.has(inSelector, tag) || slices.ContainsFunc(m.files, func(f Names) bool { return f.has(f.selectors, tag) })
}
