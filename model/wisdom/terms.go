package wisdom

import (
	"maps"
	"math"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/entropy"
	"github.com/winnow-proxy/winnow/model/page"
)

// term is the keyed hash of a word in lower case, truncated to 32 bits: it has to distinguish the tens of thousands of
// terms of one site.
type term uint32

// terms has the distribution of each term over the pages of a site.
type terms struct {
	// pages is m.
	pages entropy.Count
	sums  map[term]entropy.Sums
}

func newTerms() terms { return terms{sums: map[term]entropy.Sums{}} }

// add adds a page with the given number of occurrences of each term.
func (t *terms) add(counts map[term]uint32) {
	t.pages = t.pages.Plus(entropy.One)
	for w, c := range counts {
		t.sums[w] = t.sums[w].Plus(entropy.Occurrences(c))
	}
}

func (t *terms) merge(o *terms) {
	t.pages = t.pages.Plus(o.pages)
	for w, s := range o.sums {
		t.sums[w] = t.sums[w].Plus(s)
	}
}

// halve halves the sums and removes terms that fall to zero.
func (t *terms) halve() {
	t.pages /= 2
	for w, s := range t.sums {
		if s = s.Half(); s.Total > 0 {
			t.sums[w] = s
		} else {
			delete(t.sums, w)
		}
	}
}

// evict drops the rarest terms until at most n are left. It drops all terms of equal rank, so that the result does not
// depend on the order of the map.
func (t *terms) evict(n int) {
	for floor := entropy.One; len(t.sums) > n; floor = floor.Plus(floor) {
		for w, s := range t.sums {
			if s.Total <= floor {
				delete(t.sums, w)
			}
		}
	}
	left := make(map[term]entropy.Sums, len(t.sums)) // a new map, because a grown map keeps its memory
	maps.Copy(left, t.sums)
	t.sums = left
}

// entropies returns EN of each term of counts, which are a page's own, over all pages including this page. The page is
// added if it was not learned, so that it is marked equally before and after learning.
func (t *terms) entropies(counts map[term]uint32, learned bool) map[term]float64 {
	m := t.pages
	if !learned {
		m = m.Plus(entropy.One)
	}
	en := make(map[term]float64, len(counts))
	logM := math.Log(m.Float())
	for w, c := range counts {
		s := t.sums[w]
		if !learned {
			s = s.Plus(entropy.Occurrences(c))
		}
		if m > entropy.One {
			en[w] = s.Entropy(logM)
		} else {
			en[w] = 0 // log_1: one page says nothing about the spread of its terms
		}
	}
	return en
}

// pageTerms are the terms of one page.
type pageTerms struct {
	// counts has the occurrences of each term.
	counts map[term]uint32
	// words are the terms of each block in order. links tells which of them are inside a link.
	words [][]term
	links [][]bool
	// alen and clen are the numbers of characters of each block inside and outside links, without white space.
	alen, clen []int
}

// readTerms reads the visible text of p.
func readTerms(p *page.Page, h model.Hasher) *pageTerms {
	n := len(p.Blocks)
	r := &pageTerms{counts: map[term]uint32{}, words: make([][]term, n), links: make([][]bool, n), alen: make([]int, n),
		clen: make([]int, n)}
	inLink := linked(p)
	var buf []byte
	for _, t := range p.Texts {
		if t.Block == page.None {
			continue
		}
		in := inLink[t.Parent]
		if chars := page.Ink(t.Data); in {
			r.alen[t.Block] += chars
		} else {
			r.clen[t.Block] += chars
		}
		for w := range page.Words(t.Data) {
			buf = lower(buf[:0], w)
			id := term(h.Bytes(buf))
			r.counts[id]++
			r.words[t.Block] = append(r.words[t.Block], id)
			r.links[t.Block] = append(r.links[t.Block], in)
		}
	}
	return r
}

// linked reports for each element whether it is a link or inside one.
func linked(p *page.Page) []bool {
	in := make([]bool, len(p.Elements))
	for e := range p.Elements {
		el := &p.Elements[e]
		in[e] = el.Parent != page.None && in[el.Parent]
		if el.Tag == atom.A && !in[e] {
			_, in[e] = p.Attr(page.ElementID(e), "href")
		}
	}
	return in
}

func lower(buf []byte, word string) []byte {
	for _, r := range word {
		buf = utf8.AppendRune(buf, unicode.ToLower(r))
	}
	return buf
}
