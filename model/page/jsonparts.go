package page

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// DocumentPart is a part of a [Document] that has a class: an article, a table of contents.
type DocumentPart struct {
	// Weight is the importance of the part relative to others of its class, in [0,1].
	Weight float32 `json:"weight"`
	// Noise says that the part is not content, like a table of contents beside an article.
	Noise bool `json:"noise"`
	DocumentItem
}

// DocumentRecords is a list of records of a [Document].
type DocumentRecords struct {
	Weight float32 `json:"weight"`
	Noise  bool    `json:"noise"`
	// Items are the records in page order.
	Items []DocumentItem `json:"items"`
}

// DocumentItem is the content of a part or of a record. Noise in a part that is content as a whole is left out.
type DocumentItem struct {
	// Text has a line for each block, white space folded.
	Text string `json:"text"`
	// Links are in page order, without those that run scripts.
	Links []DocumentLink `json:"links"`
}

// DocumentLink is one link.
type DocumentLink struct {
	// Text is the link's text with white space folded, empty for a picture. URL is absolute if the page's address is
	// known.
	Text string `json:"text"`
	URL  string `json:"url"`
	// Hidden says that people do not see the link at once.
	Hidden bool `json:"hidden,omitempty"`
}

// addParts adds the parts of the marking.
func (d *Document) addParts(p *Page, m *Marking, v *contentView) {
	item := func(x Extent, noise bool) DocumentItem {
		w := itemWriter{p: p, m: m, gone: v.gone, seen: v.seen, at: v.at, done: v.done, all: noise}
		return DocumentItem{Text: w.text(x), Links: w.links(x)}
	}
	for _, part := range m.Parts {
		noise := m.IsNoise(part.Extent)
		if part.Kind == KindRecords {
			r := DocumentRecords{Weight: part.Weight, Noise: noise, Items: make([]DocumentItem, 0, len(part.Records))}
			for _, x := range part.Records {
				if noise || !m.IsNoise(x) {
					r.Items = append(r.Items, item(x, noise))
				}
			}
			d.Records = append(d.Records, r)
			continue
		}
		dp := DocumentPart{Weight: part.Weight, Noise: noise, DocumentItem: item(part.Extent, noise)}
		if part.Kind == KindTOC {
			d.TOCs = append(d.TOCs, dp)
		} else {
			d.Articles = append(d.Articles, dp)
		}
	}
}

// itemWriter reads the contents of an extent: all of it, or without noise.
type itemWriter struct {
	p    *Page
	m    *Marking
	gone *selection
	seen *concealment
	at   addresses
	done <-chan struct{}
	all  bool
}

// text returns the text in the extent, with each block on a line. Of a block that continues outside, it takes the part
// inside.
func (w itemWriter) text(x Extent) string {
	var lines []string
	var b strings.Builder
	last := BlockID(None)
	flush := func() {
		if line := strings.Join(strings.Fields(b.String()), " "); line != "" {
			lines = append(lines, line)
		}
		b.Reset()
	}
	from, to := w.p.textsOf(x)
	for i := from; i < to && !IsDone(w.done); i++ {
		t := &w.p.Texts[i]
		if t.Block == None || w.seen.text[t.Parent] != Shown || !w.all && (w.m.Verdicts[t.Block].Noise || w.gone.texts[i] || w.gone.holds(w.p, t.Parent)) {
			continue
		}
		if t.Block != last {
			flush()
			last = t.Block
		}
		b.WriteString(t.Data)
	}
	flush()
	return strings.Join(lines, "\n")
}

// textsOf returns the range of the texts in the extent.
func (p *Page) textsOf(x Extent) (from, to int32) {
	if x.First < x.End {
		from, to = p.Elements[x.First].TextStart, p.Elements[x.First].TextEnd
		for e := range p.Tops(x) {
			to = p.Elements[e].TextEnd
		}
	}
	if x.BlockStart < x.BlockEnd {
		first, last := p.Blocks[x.BlockStart].TextStart, p.Blocks[x.BlockEnd-1].TextEnd
		if from == to {
			return first, last
		}
		from, to = min(from, first), max(to, last)
	}
	return from, to
}

// links lists the links in the extent. For bare text these are the links around its texts.
func (w itemWriter) links(x Extent) []DocumentLink {
	links := []DocumentLink{}
	last := ElementID(None)
	w.p.eachLink(x, func(e ElementID) {
		if IsDone(w.done) {
			return
		}
		href, _ := w.p.Attr(e, "href")
		if href = w.at.resolve(href); href != "" && e != last && w.seen.box[e] != Concealed && (w.all || !w.gone.holds(w.p, e)) {
			text, hidden := w.linkText(e)
			links = append(links, DocumentLink{Text: text, URL: href, Hidden: hidden})
		}
		last = e
	})
	return links
}

// eachLink calls f with the links in the extent, in page order, possibly several times in a row.
func (p *Page) eachLink(x Extent, f func(ElementID)) {
	for e := x.First; e < x.End; e++ {
		if p.Elements[e].Tag == atom.A {
			f(e)
		}
	}
	if x.First < x.End || x.BlockStart >= x.BlockEnd {
		return
	}
	for _, t := range p.Texts[p.Blocks[x.BlockStart].TextStart:p.Blocks[x.BlockEnd-1].TextEnd] {
		e := t.Parent
		for e != None && p.Elements[e].Tag != atom.A {
			e = p.Elements[e].Parent
		}
		if t.Block != None && e != None {
			f(e)
		}
	}
}

// linkText returns the text of e that people see, white space folded. If they see none of it at once, hidden is true,
// and it is what unfolds.
func (w itemWriter) linkText(e ElementID) (text string, hidden bool) {
	el := &w.p.Elements[e]
	hidden = w.seen.folds(w.p, e)
	var b strings.Builder
	for _, t := range w.p.Texts[el.TextStart:el.TextEnd] {
		if c := w.seen.text[t.Parent]; t.Block != None && (c == Shown || hidden && c == Folded) {
			b.WriteString(t.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " "), hidden
}
