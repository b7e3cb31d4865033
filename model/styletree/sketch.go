package styletree

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// sketch represents the text of one page: the hash of its title and the smallest hashes of its text blocks, ascending
// (a bottom-k sketch, Broder 1997). It contains all block hashes of the page up to its greatest one, and so tells
// whether a block with a hash up to that is on the page.
type sketch struct {
	title uint32
	mins  []uint32
	// long has the hashes in mins of blocks with at least longBlock words. Stored sketches have none.
	long map[uint32]bool
}

// minComparable is the fewest blocks that a comparison needs if none of them is long. A long paragraph on only one
// other page is equally strong evidence, and many pages have only two or three blocks of their own.
const (
	minComparable = 4
	longBlock     = 20
)

// usable reports whether the page has enough text to be recognised.
func (s sketch) usable() bool { return len(s.mins) >= minComparable }

// contains reports whether at least the given share of the blocks are on the page of s, as far as the sketch can tell.
// long tells which of the blocks are long.
func (s sketch) contains(blocks []uint32, long map[uint32]bool, share float64) bool {
	known, shared, weight := 0, 0, 0
	for _, h := range blocks {
		if len(s.mins) == sketchSize && h > s.mins[sketchSize-1] {
			break
		}
		known++
		weight++
		if long[h] {
			weight += minComparable
		}
		if _, ok := slices.BinarySearch(s.mins, h); ok {
			shared++
		}
	}
	return weight >= minComparable && float64(shared) >= share*float64(known)
}

func compareSketches(a, b sketch) int {
	return cmp.Or(cmp.Compare(a.title, b.title), slices.Compare(a.mins, b.mins))
}

// sketchSize is the number of hashes in a sketch.
const sketchSize = 32

// sketchPage returns the sketch of p for the recognition of near-duplicates.
func sketchPage(p *page.Page, h model.Hasher) sketch {
	s := sketch{title: uint32(h.String(title(p))), mins: make([]uint32, 0, len(p.Blocks)), long: map[uint32]bool{}}
	buf := make([]byte, 0, 1<<10)
	for _, b := range p.Blocks {
		var hash uint32
		var words int
		if hash, words, buf = blockHash(p, b, h, buf[:0]); words > 0 {
			s.mins = append(s.mins, hash)
			if words >= longBlock {
				s.long[hash] = true
			}
		}
	}
	slices.Sort(s.mins)
	s.mins = slices.Compact(s.mins)
	s.mins = slices.Clone(s.mins[:min(len(s.mins), sketchSize)])
	return s
}

// blockHash hashes the words of a block and counts them. It ignores numbers: a counter or a clock does not make another
// page. buf is room to work in, and comes back grown.
func blockHash(p *page.Page, b page.Block, h model.Hasher, buf []byte) (hash uint32, words int, _ []byte) {
	for _, t := range p.Texts[b.TextStart:b.TextEnd] {
		for w := range page.Words(t.Data) {
			if '0' <= w[0] && w[0] <= '9' {
				continue
			}
			buf = append(append(buf, w...), ' ')
			words++
		}
	}
	return uint32(h.Bytes(buf)), words, buf
}

// title returns the text of the first title element, white space trimmed.
func title(p *page.Page) string {
	for i := range p.Elements {
		el := &p.Elements[i]
		if el.Tag == atom.Body {
			break
		}
		if el.Tag == atom.Title && el.TextEnd > el.TextStart {
			return strings.TrimSpace(p.Texts[el.TextStart].Data)
		}
	}
	return ""
}
