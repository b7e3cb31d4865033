package jsondoc

import (
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/address"
	"github.com/winnow-proxy/winnow/model/page/visibility"
	"github.com/winnow-proxy/winnow/model/page/write/content"
)

// Part is a part of a [Document] that has a class: an article, a table of contents.
type Part struct {
	// Weight is the importance of the part relative to others of its class, in [0,1].
	Weight float32 `json:"weight"`
	// Noise says that the part is not content, like a table of contents beside an article.
	Noise bool `json:"noise"`
	Item
}

// Records is a list of records of a [Document].
type Records struct {
	Weight float32 `json:"weight"`
	Noise  bool    `json:"noise"`
	// Items are the records in page order.
	Items []Item `json:"items"`
}

// Item is the content of a part or of a record. Noise in a part that is content as a whole is left out.
type Item struct {
	// Text has a line for each block, white space folded.
	Text string `json:"text"`
	// Links are in page order, without those that run scripts.
	Links []Link `json:"links"`
}

// Link is one link.
type Link struct {
	// Text is the link's text with white space folded, empty for a picture. URL is absolute if the page's address is
	// known.
	Text string `json:"text"`
	URL  string `json:"url"`
	// Hidden says that people do not see the link at once.
	Hidden bool `json:"hidden,omitempty"`
}

// addParts adds the parts of the marking.
func (d *Document) addParts(p *page.Page, m *page.Marking, v *content.View) {
	item := func(x page.Extent, noise bool) Item {
		w := itemWriter{p: p, m: m, gone: v.Gone, seen: v.Seen, at: v.At, done: v.Done, all: noise}
		return Item{Text: w.text(x), Links: w.links(x)}
	}
	for _, part := range m.Parts {
		noise := m.IsNoise(part.Extent)
		if part.Kind == page.KindRecords {
			r := Records{Weight: part.Weight, Noise: noise, Items: make([]Item, 0, len(part.Records))}
			for _, x := range part.Records {
				if noise || !m.IsNoise(x) {
					r.Items = append(r.Items, item(x, noise))
				}
			}
			d.Records = append(d.Records, r)
			continue
		}
		dp := Part{Weight: part.Weight, Noise: noise, Item: item(part.Extent, noise)}
		if part.Kind == page.KindTOC {
			d.TOCs = append(d.TOCs, dp)
		} else {
			d.Articles = append(d.Articles, dp)
		}
	}
}

// itemWriter reads the contents of an extent: all of it, or without noise.
type itemWriter struct {
	p    *page.Page
	m    *page.Marking
	gone *page.Selection
	seen *visibility.Visibility
	at   address.Resolver
	done <-chan struct{}
	all  bool
}

// text returns the text in the extent, with each block on a line. Of a block that continues outside, it takes the part
// inside.
func (w itemWriter) text(x page.Extent) string {
	var lines []string
	var b strings.Builder
	last := page.BlockID(page.None)
	flush := func() {
		if line := strings.Join(strings.Fields(b.String()), " "); line != "" {
			lines = append(lines, line)
		}
		b.Reset()
	}
	from, to := textsOf(w.p, x)
	for i := from; i < to && !page.IsDone(w.done); i++ {
		t := &w.p.Texts[i]
		if t.Block == page.None || w.seen.Text[t.Parent] != visibility.Shown || !w.all && (w.m.Verdicts[t.Block].Noise || w.gone.Texts[i] || w.gone.Holds(w.p, t.Parent)) {
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
func textsOf(p *page.Page, x page.Extent) (from, to int32) {
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
func (w itemWriter) links(x page.Extent) []Link {
	links := []Link{}
	last := page.ElementID(page.None)
	eachLink(w.p, x, func(e page.ElementID) {
		if page.IsDone(w.done) {
			return
		}
		href, _ := w.p.Attr(e, "href")
		if href = w.at.Resolve(href); href != "" && e != last && w.seen.Box[e] != visibility.Concealed && (w.all || !w.gone.Holds(w.p, e)) {
			text, hidden := w.linkText(e)
			links = append(links, Link{Text: text, URL: href, Hidden: hidden})
		}
		last = e
	})
	return links
}

// eachLink calls f with the links in the extent, in page order, possibly several times in a row.
func eachLink(p *page.Page, x page.Extent, f func(page.ElementID)) {
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
		for e != page.None && p.Elements[e].Tag != atom.A {
			e = p.Elements[e].Parent
		}
		if t.Block != page.None && e != page.None {
			f(e)
		}
	}
}

// linkText returns the text of e that people see, white space folded. If they see none of it at once, hidden is true,
// and it is what unfolds.
func (w itemWriter) linkText(e page.ElementID) (text string, hidden bool) {
	el := &w.p.Elements[e]
	hidden = w.seen.Folds(w.p, e)
	var b strings.Builder
	for _, t := range w.p.Texts[el.TextStart:el.TextEnd] {
		if c := w.seen.Text[t.Parent]; t.Block != page.None && (c == visibility.Shown || hidden && c == visibility.Folded) {
			b.WriteString(t.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " "), hidden
}
