package view

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// findTitle finds the block that shows the page's title: the one that shares most words with it, headings before
// others.
func (v *Page) findTitle() {
	v.TitleBlock = page.None
	best := float32(0)
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if b.InTitle < .6 || b.Words < 2 || b.Words > 40 {
			continue
		}
		points := b.InTitle * float32(min(b.Words, 12))
		if level := v.HeadingLevel(page.BlockID(i)); level > 0 && level < weakHeading {
			points *= 3 - float32(level)/6
		}
		if b.LinkChars*2 > b.Chars {
			points /= 2
		}
		if points > best {
			best, v.TitleBlock = points, page.BlockID(i)
		}
	}
}

// title is the title of a page.
type title struct {
	Text string
	// words are its words in lower case, has the same for a quick look.
	words map[string]bool
	has   wordSet
}

func newTitle(text string) title {
	t := title{Text: text, words: map[string]bool{}}
	for w := range page.Words(strings.ToLower(text)) {
		t.words[w] = true
		t.has.add(w)
	}
	return t
}

// share returns the share of the words of a text that are also in the title.
func (t *title) share(text *blockText, m *measures) float32 {
	if m.Words == 0 || !t.has.meets(&m.has) {
		return 0
	}
	in := 0
	for w := range page.Words(text.Folded) {
		if t.has.mayHave(w) && t.words[w] {
			in++
		}
	}
	return float32(in) / float32(m.Words)
}

// titleText returns the text of the page's first title element.
func titleText(p *page.Page) string {
	for i := range p.Elements {
		if e := &p.Elements[i]; e.Tag == atom.Title {
			text := ""
			for _, t := range p.Texts[e.TextStart:e.TextEnd] {
				text += t.Data
			}
			return text
		}
	}
	return ""
}
