package blockwords

import (
	"encoding/binary"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
	"github.com/winnow-proxy/winnow/model/page"
)

// posting is an entry of the inverted index: a word in a block of one page, or the block itself.
type posting struct {
	// key is the keyed hash of the block's style and the word; for the block's own posting, of the style alone. With 32
	// bits, one word in tens of thousands collides.
	key uint32
	// occurrences has bit i set when the word is word i, 32+i, 64+i… of the block.
	occurrences uint32
}

// bits is the length of an occurrence list.
const bits = 32

// postings are those of one page, ordered by block. In each block, the block's own posting comes first.
type postings struct {
	list []posting
	// block has the index in list of each block's own posting.
	block []int32
	// words has the words of each block as indices in list, in order and with repetitions.
	words [][]int32
}

// index returns the postings of a page.
func index(p *page.Page, opts *Options, hash model.Hasher) postings {
	x := indexer{p: p, hash: hash, known: map[uint32]int32{}}
	x.out.block, x.out.words = make([]int32, len(p.Blocks)), make([][]int32, len(p.Blocks))
	for b, style := range stylesOf(p, opts, hash) {
		x.add(page.BlockID(b), style)
	}
	return x.out
}

// trimmed returns a copy of exact size. It drops the middle of a list of more than most postings.
func trimmed(list []posting, most int) []posting {
	n := len(list)
	if n <= most {
		return slices.Clone(list)
	}
	return slices.Concat(list[:most-most/2], list[n-most/2:])
}

type indexer struct {
	p    *page.Page
	hash model.Hasher
	out  postings
	// known has the postings of the current block by key.
	known map[uint32]int32
	buf   []byte
}

func (x *indexer) add(b page.BlockID, style uint64) {
	x.out.block[b] = int32(len(x.out.list))
	x.out.list = append(x.out.list, posting{key: x.key(style, ""), occurrences: 1})
	clear(x.known)
	bl := &x.p.Blocks[b]
	for i := bl.TextStart; i < bl.TextEnd; i++ {
		if x.p.Texts[i].Block != b {
			continue
		}
		for w := range page.Words(x.p.Texts[i].Data) {
			x.word(b, x.key(style, w))
		}
	}
	if len(x.out.words[b]) == 0 { // a block without words, only signs, counts as one word
		x.buf = x.p.BlockText(x.buf[:0], b)
		x.word(b, x.key(style, string(x.buf)))
	}
}

// word adds one more word to the block.
func (x *indexer) word(b page.BlockID, key uint32) {
	at, ok := x.known[key]
	if !ok {
		at = int32(len(x.out.list))
		x.known[key] = at
		x.out.list = append(x.out.list, posting{key: key})
	}
	x.out.list[at].occurrences |= 1 << (len(x.out.words[b]) % bits)
	x.out.words[b] = append(x.out.words[b], at)
}

// key hashes a style and a word in lower case.
func (x *indexer) key(style uint64, word string) uint32 {
	x.buf = binary.LittleEndian.AppendUint64(x.buf[:0], style)
	for _, r := range word {
		x.buf = utf8.AppendRune(x.buf, unicode.ToLower(r))
	}
	return uint32(x.hash.Bytes(x.buf))
}

// records encodes the postings of pages for the reservoir.
type records struct{}

const (
	postingBytes = 8
	sliceBytes   = 24
)

// Bytes implements [reservoir.Records].
func (records) Bytes(list []posting) int { return sliceBytes + cap(list)*postingBytes }

// Append implements [reservoir.Records].
func (records) Append(b []byte, list []posting) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, p := range list {
		b = binary.LittleEndian.AppendUint32(b, p.key)
		b = binary.AppendUvarint(b, uint64(p.occurrences))
	}
	return b
}

// Read implements [reservoir.Records].
func (records) Read(r *codec.Reader) []posting {
	list := make([]posting, r.Count(5))
	for i := range list {
		list[i] = posting{r.Uint32(), uint32(r.Number(1<<bits - 1))}
		if list[i].occurrences == 0 {
			r.Fail("a word that does not occur")
		}
	}
	return list
}
