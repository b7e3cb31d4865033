package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
)

// LinkedData is one document of JSON-LD in a page.
type LinkedData struct {
	// Element is the script that has it.
	Element ElementID
	// Value is the document as encoding/json reads it. It must not be changed.
	Value any
}

// LinkedData returns what the page says about itself in JSON-LD, in page order. The first call reads it.
func (p *Page) LinkedData() []LinkedData {
	p.linkedOnce.Do(func() {
		for e := range p.Elements {
			if p.Elements[e].Tag != atom.Script {
				continue
			}
			kind, _ := p.Attr(ElementID(e), "type")
			if !strings.EqualFold(strings.TrimSpace(kind), "application/ld+json") {
				continue
			}
			if v := p.readLinkedData(ElementID(e)); v != nil {
				p.linkedData = append(p.linkedData, LinkedData{ElementID(e), v})
				p.paid = p.paid || asksMoney(v, maxPaidDepth)
			}
		}
	})
	return p.linkedData
}

// maxLinkedData bounds the bytes of JSON-LD that are read from one script.
const maxLinkedData = 256 << 10

// readLinkedData returns the document of one script, or nil if nobody can read it. Many templates put line feeds into
// strings, which JSON does not allow.
func (p *Page) readLinkedData(e ElementID) (v any) {
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

// Paid reports whether something of the page is not for free, as it says in JSON-LD.
func (p *Page) Paid() bool {
	p.LinkedData()
	return p.paid
}

// maxPaidDepth is how deep a document is searched for what is not for free.
const maxPaidDepth = 8

// asksMoney reports whether something in JSON-LD is not accessible for free (schema.org, isAccessibleForFree).
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
