package main

import (
	"os"

	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/model/page"
)

// labelled is a page whose blocks are known to be content or not.
type labelled struct {
	p     *page.Page
	gold  []float32 // share of gold words per block
	words []float32
	// unknown tells the blocks of which nobody has said what they are; nil where all are known.
	unknown []bool
}

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
	if len(pg.Facts) > 0 {
		return labelFacts(src, pg.ContentType, pg.Facts), nil
	}
	if text, err := pg.Text(); err != nil || text != "" {
		return labelText(src, pg.ContentType, text), err
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
	found := false
	for i, b := range p.Blocks {
		g, n := 0, 0
		for _, t := range p.Texts[b.TextStart:b.TextEnd] {
			if t.Block != page.BlockID(i) {
				continue
			}
			w := 0
			for range page.Words(t.Data) {
				w++
			}
			n += w
			if in[t.Parent] {
				g += w
			}
		}
		l.words[i] = float32(n)
		if n > 0 {
			l.gold[i] = float32(g) / float32(n)
		} else if in[p.Blocks[i].Element] {
			l.gold[i] = 1
		}
		found = found || g > 0
	}
	if !found {
		return nil, nil
	}
	// Many selectors take a forum's post with all that belongs to it. What the readers of one are taught to be noise by
	// others should not be content here.
	for b, in := range blend.WriterDetails(p) {
		if in {
			l.gold[b] = 0
		}
	}
	return l, nil
}
