package main

import (
	"os"

	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/model/page"
)

// labelled is a page whose blocks are known to be content or not.
type labelled struct {
	p     *page.Page
	gold  []float32 // share of gold words per block
	words []float32
	// unknown marks the blocks that nobody has labelled, or on which readers differ; nil where all are
	// known.
	unknown []bool
	// onlyFacts says that nothing is known but which blocks hold facts.
	onlyFacts bool
}

// isUnknown reports whether nobody has said what a block is.
func (l *labelled) isUnknown(block int) bool { return len(l.unknown) > block && l.unknown[block] }

func newLabelled(p *page.Page) *labelled {
	return &labelled{p: p, gold: make([]float32, len(p.Blocks)), words: make([]float32, len(p.Blocks))}
}

// labelPage reads a page of a site with its gold. It returns nil for a page that can't teach anything: one that winnow
// would pass, one whose tree depends on how it is decoded, one without gold.
func labelPage(s *evaluate.Site, pg evaluate.Page) (*labelled, error) {
	src, err := os.ReadFile(pg.File)
	if err != nil {
		return nil, err
	}
	text, err := pg.Text()
	switch {
	case err != nil:
		return nil, err
	case text != "":
		l := labelText(src, pg.ContentType, text)
		if l != nil && len(pg.Facts) > 0 {
			l.addFacts(pg.Facts)
		}
		return l, nil
	case len(pg.Facts) > 0:
		return labelFacts(src, pg.ContentType, pg.Facts), nil
	}
	in, err := s.GoldElements(src, pg.ContentType)
	if err != nil {
		return nil, err
	}
	p, unfit := page.Parse(src, pg.ContentType)
	if unfit != nil || len(in) != len(p.Elements) {
		return nil, nil //nolint:nilerr // a page that winnow would pass teaches nothing
	}
	l := newLabelled(p)
	l.unknown = make([]bool, len(p.Blocks))
	found := false
	for i := range p.Blocks {
		words := l.truths(page.BlockID(i), in)
		known := words[evaluate.Content] + words[evaluate.Noise]
		l.words[i] = float32(known)
		switch {
		case known > 0:
			l.gold[i] = float32(words[evaluate.Content]) / float32(known)
		case words[evaluate.Optional] > 0 || in[p.Blocks[i].Element] == evaluate.Optional:
			l.unknown[i] = true
		case in[p.Blocks[i].Element] == evaluate.Content:
			l.gold[i] = 1
		}
		found = found || words[evaluate.Content] > 0
	}
	if !found {
		return nil, nil
	}
	return l, nil
}

// truths counts the words of a block's own texts by what the gold says of them.
func (l *labelled) truths(b page.BlockID, in []evaluate.Truth) (words [evaluate.Optional + 1]int) {
	for _, t := range l.p.Texts[l.p.Blocks[b].TextStart:l.p.Blocks[b].TextEnd] {
		if t.Block == b {
			for range page.Words(t.Data) {
				words[in[t.Parent]]++
			}
		}
	}
	return words
}
