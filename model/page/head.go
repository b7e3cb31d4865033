package page

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// Title returns the text of the title element in the head.
func (p *Page) Title() string {
	for e := range p.Elements {
		if el := &p.Elements[e]; el.Tag == atom.Title && el.TextEnd > el.TextStart && !p.InForeign(ElementID(e)) {
			return strings.Join(strings.Fields(p.Texts[el.TextStart].Data), " ")
		}
	}
	return ""
}

// RootAttr returns an attribute of html, or of body. Without them, the direction is that of an element with most of the
// blocks.
func (p *Page) RootAttr(key string) string {
	for _, e := range []ElementID{0, p.Body} {
		if e == None || len(p.Elements) == 0 {
			continue
		}
		if v, ok := p.Attr(e, key); ok && v != "" {
			return v
		}
	}
	for e := max(p.Body, 0); key == "dir" && int(e) < len(p.Elements); e++ {
		if v, _ := p.Attr(e, key); v != "" && 2*int(p.Elements[e].BlockEnd-p.Elements[e].BlockStart) > len(p.Blocks) {
			return v
		}
	}
	return ""
}

// Language returns the language that the page declares.
func (p *Page) Language() string {
	if lang := p.RootAttr("lang"); lang != "" {
		return lang
	}
	return p.RootAttr("xml:lang")
}

// MediaType distinguishes XHTML, which must keep its type, from HTML.
func (p *Page) MediaType() string {
	if strings.Contains(strings.ToLower(p.contentType), "application/xhtml+xml") {
		return "application/xhtml+xml"
	}
	return "text/html"
}

// InForeign reports whether e is below an svg or math element.
func (p *Page) InForeign(e ElementID) bool {
	for up := p.Elements[e].Parent; up != None; up = p.Elements[up].Parent {
		if n := p.Elements[up].Name; n == "svg" || n == "math" {
			return true
		}
	}
	return false
}
