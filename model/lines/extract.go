package lines

import (
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// line is one block with the result of the first filter.
type line struct {
	// hash is the keyed hash of its text, white space folded.
	hash uint64
	// content says that the block passes: most of its characters are in text nodes that pass.
	content bool
	// linked is the share of its characters inside links.
	linked float64
}

// extract applies the first filter to the page and returns a line for each block.
func (h *host) extract(p *page.Page) []line {
	f := filter{p: p, opts: &h.opts, passed: make([]int, len(p.Blocks)), links: make([]int, len(p.Blocks))}
	if p.Body != page.None {
		f.element(p.Body, false)
		f.cut()
	}
	lines := make([]line, len(p.Blocks))
	hash, buf := h.Hasher(), []byte(nil)
	for b := range lines {
		buf = p.BlockText(buf[:0], page.BlockID(b))
		n := p.BlockLen(page.BlockID(b))
		lines[b] = line{hash.Bytes(buf), 2*f.passed[b] > n, float64(f.links[b]) / float64(max(n, 1))}
	}
	return lines
}

// filter walks the tree and collects the pieces of a text node until an element ends it.
type filter struct {
	p    *page.Page
	opts *Options
	// passed and links are, for each block, its characters in text nodes that are content, and its characters in links.
	passed, links []int

	// node has the pieces of the current text node, chars and marks their numbers of characters and punctuation marks.
	node         []piece
	chars, marks int
}

// piece is one text of the page with its block and its number of characters.
type piece struct {
	block page.BlockID
	chars int
}

func (f *filter) element(e page.ElementID, linked bool) {
	el := &f.p.Elements[e]
	linked = linked || el.Tag == atom.A
	joined := f.opts.Joined(el.Tag)
	if !joined {
		f.cut()
	}
	f.p.Walk(e,
		func(from, to int32) {
			for i := from; i < to; i++ {
				f.text(&f.p.Texts[i], linked)
			}
		},
		func(c page.ElementID) { f.element(c, linked) })
	if !joined {
		f.cut()
	}
}

func (f *filter) text(t *page.Text, linked bool) {
	if t.Block == page.None {
		return
	}
	chars, marks := f.count(t.Data)
	f.node = append(f.node, piece{t.Block, chars})
	f.chars, f.marks = f.chars+chars, f.marks+marks
	if linked {
		f.links[t.Block] += chars
	}
}

// count returns the number of characters without white space, and how many of them are punctuation.
func (f *filter) count(text string) (chars, marks int) {
	for _, r := range text {
		if unicode.IsSpace(r) {
			continue
		}
		chars++
		if strings.ContainsRune(f.opts.Punctuation, r) {
			marks++
		}
	}
	return chars, marks
}

// cut ends the text node and decides whether it passes.
func (f *filter) cut() {
	share := float64(f.marks) / float64(max(f.chars, 1))
	if share <= f.opts.MaxPunctuation && (f.marks > 0 || f.opts.Bare) {
		for _, piece := range f.node {
			f.passed[piece.block] += piece.chars
		}
	}
	f.node, f.chars, f.marks = f.node[:0], 0, 0
}
