package main

import (
	"net/url"
	"strings"

	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/model/page"
)

// labelSingle aligns the gold text of a single page with the page's blocks: a block is as much gold as the share of
// its runs of three words that stand in the gold. Blocks of one or two words are gold when they stand in it and a
// neighbour is gold.
func labelSingle(s *evaluate.Single) (*labelled, string, error) {
	src, err := s.Source()
	if err != nil {
		return nil, "", err
	}
	p, unfit := page.Parse(src, "")
	if unfit != nil || len(p.Blocks) == 0 || s.Gold == "" {
		return nil, "", nil //nolint:nilerr // as in label
	}
	gold := map[string]bool{}
	addRuns(gold, words(s.Gold), 3)
	short := map[string]bool{}
	addRuns(short, words(s.Gold), 1)
	addRuns(short, words(s.Gold), 2)
	l := &labelled{p: p, gold: make([]float32, len(p.Blocks)), words: make([]float32, len(p.Blocks))}
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
		return nil, "", nil
	}
	return l, hostOf(s), nil
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

// hostOf is the host that a single page came from, its id where that is not known.
func hostOf(s *evaluate.Single) string {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" {
		return s.ID
	}
	return strings.TrimPrefix(u.Host, "www.")
}
