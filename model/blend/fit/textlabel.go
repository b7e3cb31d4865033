package main

import (
	"context"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/fill"
)

// parseFilled reads a page as programs get it, or returns nil for one that winnow would pass.
func parseFilled(src []byte, contentType string) *page.Page {
	p, err := page.Parse(src, contentType)
	if err != nil {
		return nil
	}
	return fill.Page(context.Background(), p)
}

// labelText aligns a gold text with a page's blocks: a block is as much gold as the share of its runs of three words
// that stand in the gold. Blocks of one or two words are gold when they stand in it and a neighbour is gold.
func labelText(src []byte, contentType, text string) *labelled {
	p := parseFilled(src, contentType)
	if p == nil || len(p.Blocks) == 0 || strings.TrimSpace(text) == "" {
		return nil
	}
	l := newLabelled(p)
	gold := map[string]bool{}
	addRuns(gold, words(text), 3)
	short := map[string]bool{}
	addRuns(short, words(text), 1)
	addRuns(short, words(text), 2)
	var buf []byte
	texts := make([][]string, len(p.Blocks))
	hit := false
	for i := range p.Blocks {
		buf = p.BlockText(buf[:0], page.BlockID(i))
		texts[i] = words(string(buf))
		l.words[i] = float32(len(texts[i]))
		if n := len(texts[i]) - 2; n > 0 {
			for j := range n {
				if gold[strings.Join(texts[i][j:j+3], " ")] {
					l.gold[i] += 1 / float32(n)
				}
			}
			hit = hit || l.gold[i] > .5
		}
	}
	for i, t := range texts {
		if len(t) > 0 && len(t) < 3 && short[strings.Join(t, " ")] &&
			(i > 0 && l.gold[i-1] > .5 || i+1 < len(texts) && l.gold[i+1] > .5) {
			l.gold[i] = 1
		}
	}
	if !hit {
		return nil
	}
	return l
}

func words(s string) (out []string) {
	for w := range page.Words(strings.ToLower(s)) {
		out = append(out, w)
	}
	return out
}

func addRuns(set map[string]bool, ws []string, n int) {
	for i := 0; i+n <= len(ws); i++ {
		set[strings.Join(ws[i:i+n], " ")] = true
	}
}

// labelFacts labels the blocks that hold a fact of the page as content, and what stands outside of the element that
// holds them all as noise. Nobody has said what the others are: they teach nothing.
func labelFacts(src []byte, contentType string, facts map[string][]string) *labelled {
	p := parseFilled(src, contentType)
	if p == nil {
		return nil
	}
	l := newLabelled(p)
	l.unknown, l.onlyFacts = make([]bool, len(p.Blocks)), true
	holder := page.ElementID(page.None)
	for i := range p.Blocks {
		text := words(string(p.BlockText(nil, page.BlockID(i))))
		l.words[i] = float32(len(text))
		if !holdsFact(text, facts) {
			continue
		}
		l.gold[i] = 1
		if e := p.Blocks[i].Element; holder == page.None {
			holder = e
		} else {
			for !p.Contains(holder, e) {
				holder = p.Elements[holder].Parent
			}
		}
	}
	if holder == page.None {
		return nil
	}
	for i := range p.Blocks {
		l.unknown[i] = l.gold[i] == 0 && p.Contains(holder, p.Blocks[i].Element)
	}
	return l
}

// addFacts labels the blocks that hold a fact as content, and takes the short ones between the first and the last of
// the content that hold a number, such as the dates of posts, for unknown: the gold has neither names nor dates.
func (l *labelled) addFacts(facts map[string][]string) {
	l.unknown = make([]bool, len(l.gold))
	content := func(g float32) bool { return g > .5 }
	first := slices.IndexFunc(l.gold, content)
	for i := range l.gold {
		text := string(l.p.BlockText(nil, page.BlockID(i)))
		switch ws := words(text); {
		case content(l.gold[i]):
		case holdsFact(ws, facts):
			l.gold[i] = 1
		case first >= 0 && i >= first-4 && len(ws) <= 8 && strings.ContainsAny(text, "0123456789") && slices.ContainsFunc(l.gold[i:], content):
			l.unknown[i] = true
		}
	}
}

// factRoom is how many words a block may have beside a fact that it holds.
const factRoom = 4

// holdsFact reports whether a text is a fact in one of its spellings, with little else.
func holdsFact(text []string, facts map[string][]string) bool {
	whole := " " + strings.Join(text, " ") + " "
	for _, spellings := range facts {
		for _, v := range spellings {
			if ws := words(v); len(ws) > 0 && len(text) <= len(ws)+factRoom && strings.Contains(whole, " "+strings.Join(ws, " ")+" ") {
				return true
			}
		}
	}
	return false
}
