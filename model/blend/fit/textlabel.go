package main

import (
	"context"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
)

// parseFilled reads a page as programs get it, or returns nil for one that winnow would pass.
func parseFilled(src []byte, contentType string) *page.Page {
	p, err := page.Parse(src, contentType)
	if err != nil {
		return nil
	}
	return p.Filled(context.Background())
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

// labelFacts labels the blocks that hold a fact of the page as content. Nobody has said what the others are: they have
// no words and teach nothing.
func labelFacts(src []byte, contentType string, facts map[string][]string) *labelled {
	p := parseFilled(src, contentType)
	if p == nil {
		return nil
	}
	l := newLabelled(p)
	l.unknown, l.onlyFacts = make([]bool, len(p.Blocks)), true
	for i := range p.Blocks {
		text := " " + strings.Join(words(string(p.BlockText(nil, page.BlockID(i)))), " ") + " "
		l.unknown[i] = true
		for _, spellings := range facts {
			for _, v := range spellings {
				if n := len(words(v)); n > 0 && len(strings.Fields(text)) <= n+4 && strings.Contains(text, " "+strings.Join(words(v), " ")+" ") {
					l.gold[i], l.unknown[i] = 1, false
				}
			}
		}
		l.words[i] = float32(len(strings.Fields(text)))
	}
	return l
}
