package page

// DocumentRemoved is a part of the page that is not content: a menu, a footer, an advert.
type DocumentRemoved struct {
	// Kind is the kind of noise, in the words of data-winnow-kind.
	Kind string `json:"kind"`
	DocumentItem
}

// addLinks adds the links of the content, in page order, and the noise that has text or links.
func (d *Document) addLinks(p *Page, m *Marking, v *contentView) {
	d.Links, d.Template = []DocumentLink{}, []DocumentRemoved{}
	w := itemWriter{p: p, m: m, gone: v.gone, seen: v.seen, at: v.at, done: v.done}
	if p.Body != None {
		d.Links = w.links(p.Siblings(p.Body, p.Body))
	}
	w.all = true
	for _, mark := range m.Marks {
		x := Bare(mark.BlockStart, mark.BlockEnd)
		if mark.Element != None {
			x = p.Siblings(mark.Element, mark.Element)
		}
		item := DocumentItem{Text: w.text(x), Links: w.links(x)}
		if item.Text != "" || len(item.Links) > 0 {
			d.Template = append(d.Template, DocumentRemoved{Kind: mark.Kind.String(), DocumentItem: item})
		}
	}
}
