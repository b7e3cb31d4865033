// Package parts shows people what a page is made of: the parts that stay and those that go, each with its first words.
package parts

import (
	"net/url"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
)

// Part is an element of a page. Either all of its blocks stay or all go.
type Part struct {
	Element page.ElementID
	// Gone says that the part goes.
	Gone bool
	// Kind is the kind of a part that goes, as in mode tag; Tag is the name of the element.
	Kind, Tag string
	// Words are its first words.
	Words string
	// Share is its share of the page's text, in [0,1]; Score is how sure the detector is, in [0,1].
	Share, Score float64
	// Decided says that a lesson of a person decided.
	Decided bool
}

// Bounds of what is shown: the number of parts, the words of each, and the largest share of the page's text in one part
// that stays. Larger parts are divided.
const (
	maxParts = 150
	maxWords = 14
	largest  = 0.12
)

// Of lists the parts of a page in document order.
func Of(p *page.Page, m *page.Marking) []Part {
	f := finder{p: p, m: m, kinds: make([]page.Kind, len(p.Blocks))}
	for b := range p.Blocks {
		f.ink += p.BlockLen(page.BlockID(b))
	}
	for _, mark := range m.Marks {
		for b := mark.BlockStart; b < mark.BlockEnd; b++ {
			f.kinds[b] = mark.Kind
		}
	}
	if len(p.Elements) > 0 && len(m.Verdicts) == len(p.Blocks) {
		f.children(max(p.Body, 0))
	}
	return f.parts
}

type finder struct {
	p     *page.Page
	m     *page.Marking
	kinds []page.Kind
	ink   int
	parts []Part
}

func (f *finder) children(e page.ElementID) {
	for c := range f.p.Children(e) {
		if len(f.parts) < maxParts {
			f.element(c)
		}
	}
}

func (f *finder) element(e page.ElementID) {
	el := &f.p.Elements[e]
	if el.BlockStart == el.BlockEnd || f.p.IsInvisible(e) {
		return
	}
	ink, gone, mixed, score := 0, f.m.Verdicts[el.BlockStart].Noise, false, float32(0)
	for b := el.BlockStart; b < el.BlockEnd; b++ {
		ink += f.p.BlockLen(b)
		mixed = mixed || f.m.Verdicts[b].Noise != gone
		score = max(score, f.m.Verdicts[b].Score)
	}
	share := float64(ink) / float64(max(f.ink, 1))
	if mixed || !gone && share > largest && el.BlockEnd-el.BlockStart > 1 {
		f.children(e)
		return
	}
	part := Part{Element: e, Gone: gone, Tag: el.Name, Words: f.words(el), Share: share, Score: float64(score),
		Decided: int(e) < len(f.m.Decided) && f.m.Decided[e]}
	if gone {
		part.Kind = f.kinds[el.BlockStart].String()
	}
	f.parts = append(f.parts, part)
}

// words returns the first words of an element.
func (f *finder) words(el *page.Element) string {
	var words []string
	var buf []byte
	for b := el.BlockStart; b < el.BlockEnd && len(words) <= maxWords; b++ {
		buf = f.p.BlockText(buf[:0], b)
		words = append(words, strings.Fields(string(buf[:min(len(buf), 2000)]))...)
	}
	more := ""
	if len(words) > maxWords {
		words, more = words[:maxWords], " …"
	}
	return strings.ToValidUTF8(strings.Join(words, " "), "") + more
}

// Link is a link of a page.
type Link struct{ Text, URL string }

// maxLinks is the most links of a menu.
const maxLinks = 60

// Menu lists the links in the removed navigation, with absolute addresses, so that cleaning loses no link.
func Menu(p *page.Page, m *page.Marking, base string) (links []Link) {
	from, err := url.Parse(base)
	if err != nil {
		return nil
	}
	seen := map[string]bool{}
	for _, mark := range m.Marks {
		if mark.Element == page.None || mark.Kind != page.KindNav && mark.Kind != page.KindHeader && mark.Kind != page.KindTOC {
			continue
		}
		for e := mark.Element; e < p.Elements[mark.Element].Sub && len(links) < maxLinks; e++ {
			if l, ok := linkOf(p, e, from); ok && !seen[l.URL] {
				seen[l.URL] = true
				links = append(links, l)
			}
		}
	}
	return links
}

func linkOf(p *page.Page, e page.ElementID, from *url.URL) (Link, bool) {
	href, ok := p.Attr(e, "href")
	el := p.Elements[e]
	if !ok || el.Name != "a" {
		return Link{}, false
	}
	to, err := from.Parse(strings.TrimSpace(href))
	if err != nil || to.Scheme != "http" && to.Scheme != "https" {
		return Link{}, false
	}
	var text strings.Builder
	for _, t := range p.Texts[el.TextStart:el.TextEnd] {
		if t.Block != page.None {
			text.WriteString(t.Data + " ")
		}
	}
	words := strings.Fields(text.String())
	return Link{strings.Join(words[:min(len(words), maxWords)], " "), to.String()}, len(words) > 0
}
