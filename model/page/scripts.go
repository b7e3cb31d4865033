package page

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// mentions tells which elements the page's own scripts may look for: without one of those they stop with an error.
type mentions struct {
	p *Page
	// words are the names in the scripts that stand in the page, quoted those in their strings: names of tags are too short
	// to be looked for among variables.
	words, quoted map[string]bool
	// unread says that there are scripts in files, whose names are not known. first are then the elements that are the first
	// of their class or tag: scripts find these by name, and lists of elements may well be shorter than they expect.
	unread bool
	first  []bool
}

func (p *Page) mentions() *mentions {
	m := &mentions{p: p, words: map[string]bool{}, quoted: map[string]bool{}}
	for i := range p.Elements {
		e := ElementID(i)
		if p.Elements[e].Tag == atom.Script {
			m.script(e)
			continue
		}
		for _, a := range p.Attrs(e) {
			if strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.TrimSpace(a.Val), "javascript:") {
				m.read(a.Val)
			}
		}
	}
	if m.unread {
		m.findFirst()
	}
	return m
}

func (m *mentions) script(e ElementID) {
	p := m.p
	if kind, _ := p.Attr(e, "type"); !runs(kind) {
		return
	}
	if src, _ := p.Attr(e, "src"); src != "" {
		m.unread = m.unread || !isCounter(src)
	}
	el := &p.Elements[e]
	for _, t := range p.Texts[el.TextStart:el.TextEnd] {
		m.read(t.Data)
	}
}

// runs reports whether a script of this type is code (HTML §4.12.1): others are data.
func runs(kind string) bool {
	kind, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(kind)), ";")
	switch kind {
	case "", "module", "text/javascript", "application/javascript", "application/x-javascript", "text/ecmascript", "application/ecmascript", "text/jscript":
		return true
	}
	return false
}

// isCounter reports whether a script counts visitors or fetches adverts: it looks for nothing of the page's own.
func isCounter(src string) bool {
	src = strings.ToLower(src)
	for _, host := range []string{"googletagmanager.com/", "google-analytics.com/", "googlesyndication.com/", "doubleclick.net/", "googletagservices.com/",
		"connect.facebook.net/", "platform.twitter.com/", "static.hotjar.com/", "plausible.io/", "scorecardresearch.com/", "quantserve.com/",
		"mc.yandex.ru/", "hm.baidu.com/", "static.cloudflareinsights.com/", "matomo.js", "piwik.js", "adsbygoogle.js"} {
		if strings.Contains(src, host) {
			return true
		}
	}
	return false
}

// read notes the names in a piece of code.
func (m *mentions) read(code string) {
	addNames(m.words, code)
	for {
		start := strings.IndexAny(code, "\"'`")
		if start < 0 {
			return
		}
		length := strings.IndexByte(code[start+1:], code[start])
		if length < 0 {
			return
		}
		addNames(m.quoted, code[start+1:start+1+length])
		code = code[start+1+length+1:]
	}
}

func addNames(names map[string]bool, text string) {
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') && r < 0x80
	}) {
		names[w] = true
	}
}

func (m *mentions) findFirst() {
	p := m.p
	m.first = make([]bool, len(p.Elements))
	seen := map[string]bool{}
	for i := range p.Elements {
		class, _ := p.Attr(ElementID(i), "class")
		names := append(strings.Fields(class), "<"+p.Elements[i].Name)
		for _, n := range names {
			m.first[i] = m.first[i] || !seen[n]
			seen[n] = true
		}
	}
}

// missed reports whether a script may look for e.
func (m *mentions) missed(e ElementID) bool {
	el := &m.p.Elements[e]
	if m.unread && (m.first[e] || strings.Contains(el.Name, "-") || el.Tag == atom.Form || el.Tag == atom.Canvas) {
		return true
	}
	id, _ := m.p.Attr(e, "id")
	name, _ := m.p.Attr(e, "name")
	return m.unread && id+name != "" || m.named(e)
}

// named reports whether a script in the page has a name of e in it: id, name, class or tag.
func (m *mentions) named(e ElementID) bool {
	for _, a := range m.p.Attrs(e) {
		switch a.Key {
		case "id", "name":
			if m.words[a.Val] {
				return true
			}
		case "class":
			for c := range strings.FieldsSeq(a.Val) {
				if m.words[c] {
					return true
				}
			}
		}
	}
	return m.quoted[m.p.Elements[e].Name]
}
