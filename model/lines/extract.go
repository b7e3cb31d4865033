package lines

import (
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// line is one block as the first sieve leaves it.
type line struct {
	// hash is the keyed hash of its text, white space folded.
	hash uint64
	// content says that it passes: most of its characters stand in text nodes that do.
	content bool
	// linked is the share of its characters that stand in links.
	linked float64
}

// extract runs the page through the first sieve and returns a line per block.
func (h *host) extract(p *page.Page) []line {
	s := sieve{p: p, opts: &h.opts, passed: make([]int, len(p.Blocks)), links: make([]int, len(p.Blocks))}
	if p.Body != page.None {
		s.element(p.Body, false)
		s.cut()
	}
	lines := make([]line, len(p.Blocks))
	hash, buf := h.Hasher(), []byte(nil)
	for b := range lines {
		buf = p.BlockText(buf[:0], page.BlockID(b))
		n := p.BlockLen(page.BlockID(b))
		lines[b] = line{hash.Bytes(buf), 2*s.passed[b] > n, float64(s.links[b]) / float64(max(n, 1))}
	}
	return lines
}

// sieve walks the tree and collects the pieces of a text node until an element ends it.
type sieve struct {
	p    *page.Page
	opts *Options
	// passed and links are, for each block, its characters in text nodes that are content, and in links.
	passed, links []int

	// node holds the pieces of the text node so far, chars and marks what they have of characters and of punctuation.
	node         []piece
	chars, marks int
}

// piece is one text of the page, by its block, with its characters.
type piece struct {
	block page.BlockID
	chars int
}

func (s *sieve) element(e page.ElementID, linked bool) {
	el := &s.p.Elements[e]
	linked = linked || el.Tag == atom.A
	joined := s.opts.Joined(el.Tag)
	if !joined {
		s.cut()
	}
	s.p.Walk(e,
		func(from, to int32) {
			for i := from; i < to; i++ {
				s.text(&s.p.Texts[i], linked)
			}
		},
		func(c page.ElementID) { s.element(c, linked) })
	if !joined {
		s.cut()
	}
}

func (s *sieve) text(t *page.Text, linked bool) {
	if t.Block == page.None {
		return
	}
	chars, marks := s.count(t.Data)
	s.node = append(s.node, piece{t.Block, chars})
	s.chars, s.marks = s.chars+chars, s.marks+marks
	if linked {
		s.links[t.Block] += chars
	}
}

// count returns the number of characters, white space aside, and how many of them are punctuation.
func (s *sieve) count(text string) (chars, marks int) {
	for _, r := range text {
		if unicode.IsSpace(r) {
			continue
		}
		chars++
		if strings.ContainsRune(s.opts.Punctuation, r) {
			marks++
		}
	}
	return chars, marks
}

// cut ends the text node and judges it.
func (s *sieve) cut() {
	share := float64(s.marks) / float64(max(s.chars, 1))
	if share <= s.opts.MaxPunctuation && (s.marks > 0 || s.opts.Bare) {
		for _, piece := range s.node {
			s.passed[piece.block] += piece.chars
		}
	}
	s.node, s.chars, s.marks = s.node[:0], 0, 0
}
