package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
)

// declarations are what a page declares about itself, read once: its metadata and its facts come from them.
type declarations struct {
	// named are the values of meta, link and time elements and of the page's own work in JSON-LD.
	named declared
	// facts are those of the page's subject.
	facts []Fact
	// paid says that something of the page is not for free (schema.org, isAccessibleForFree).
	paid bool
}

// declarations returns what the page declares. The first call reads it.
func (p *Page) declarations() *declarations {
	p.declaredOnce.Do(func() {
		d := &declarations{named: declared{}}
		for e := range p.Elements {
			d.element(p, ElementID(e))
		}
		p.declares = d
	})
	return p.declares
}

// element reads one element.
func (d *declarations) element(p *Page, e ElementID) {
	if p.Elements[e].Tag != atom.Script {
		d.named.element(p, e)
		d.markupFact(p, e)
		return
	}
	kind, _ := p.Attr(e, "type")
	if !strings.EqualFold(strings.TrimSpace(kind), "application/ld+json") {
		return
	}
	if v := linkedData(p, e); v != nil {
		people := people{}
		people.collect(v, maxLinkedDataDepth)
		d.named.things(v, people, maxLinkedDataDepth)
		d.dataFacts(v, maxLinkedDataDepth)
		d.paid = d.paid || asksMoney(v, maxLinkedDataDepth)
	}
}

// maxLinkedData bounds the bytes of JSON-LD that are read from one script, and its depth.
const (
	maxLinkedData      = 256 << 10
	maxLinkedDataDepth = 8
)

// asksMoney reports whether something in JSON-LD is not accessible for free.
func asksMoney(v any, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return asksMoney(item, depth-1) })
	case map[string]any:
		for key, value := range v {
			if key == "isAccessibleForFree" && strings.EqualFold(fmt.Sprint(value), "false") || asksMoney(value, depth-1) {
				return true
			}
		}
	}
	return false
}

// linkedData returns the document of one script of JSON-LD, or nil if nobody can read it. Many templates put line feeds
// into strings, which JSON does not allow.
func linkedData(p *Page, e ElementID) (v any) {
	el := &p.Elements[e]
	if el.TextStart == el.TextEnd || len(p.Texts[el.TextStart].Data) > maxLinkedData {
		return nil
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, p.Texts[el.TextStart].Data)
	if json.Unmarshal([]byte(text), &v) != nil {
		return nil
	}
	return v
}
