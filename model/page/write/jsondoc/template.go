package jsondoc

import (
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write/content"
)

// Removed is a part of the page that is not content: a menu, a footer, an advert.
type Removed struct {
	// Kind is the kind of noise, in the words of data-winnow-kind.
	Kind string `json:"kind"`
	Item
}

// addLinks adds the links of the content, in page order, and the noise that has text or links.
func (d *Document) addLinks(p *page.Page, m *page.Marking, v *content.View) {
	d.Links, d.Template = []Link{}, []Removed{}
	w := itemWriter{p: p, m: m, gone: v.Gone, seen: v.Seen, at: v.At, done: v.Done}
	if p.Body != page.None {
		d.Links = w.links(p.Siblings(p.Body, p.Body))
	}
	w.all = true
	for _, mark := range m.Marks {
		x := page.Bare(mark.BlockStart, mark.BlockEnd)
		if mark.Element != page.None {
			x = p.Siblings(mark.Element, mark.Element)
		}
		item := Item{Text: w.text(x), Links: w.links(x)}
		if item.Text != "" || len(item.Links) > 0 {
			d.Template = append(d.Template, Removed{Kind: mark.Kind.String(), Item: item})
		}
	}
}
