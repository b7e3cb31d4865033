package facts

import (
	"iter"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/page"
)

// wordIndex finds words on a page, across blocks: values are often divided into a number and a unit.
type wordIndex struct {
	// text has a space before and after each word.
	text string
	// starts are the positions in text of the blocks, and at the end that of the end. counts are the numbers of words
	// before each block.
	starts, counts []int
}

func newWordIndex(r Reader) *wordIndex {
	n := len(r.Page.Blocks)
	x := &wordIndex{starts: make([]int, 0, n+1), counts: make([]int, 0, n+1)}
	var b strings.Builder
	b.Grow(len(r.Page.Source) / 8)
	words := 0
	for i := range n {
		x.starts, x.counts = append(x.starts, b.Len()), append(x.counts, words)
		words += appendWords(&b, r.Text(page.BlockID(i)))
	}
	x.starts, x.counts = append(x.starts, b.Len()), append(x.counts, words)
	b.WriteByte(' ')
	x.text = b.String()
	return x
}

// appendWords writes the words of a text in lower case, each after a space, and returns their number.
func appendWords(b *strings.Builder, text string) (n int) {
	for word := range strings.FieldsFuncSeq(text, isBetween) {
		b.WriteByte(' ')
		b.WriteString(word)
		n++
	}
	return n
}

// isBetween reports whether r is between words.
func isBetween(r rune) bool {
	if r < utf8.RuneSelf {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && (r < 'A' || r > 'Z')
	}
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
}

// words returns the words of a text in lower case.
func words(text string) []string { return strings.FieldsFunc(strings.ToLower(text), isBetween) }

// wordsIn returns the number of words of the blocks in [from, to).
func (x *wordIndex) wordsIn(from, to page.BlockID) int { return x.counts[to] - x.counts[from] }

// find yields the runs of blocks with the words.
func (x *wordIndex) find(words []string) iter.Seq2[page.BlockID, page.BlockID] {
	value := " " + strings.Join(words, " ") + " "
	return func(yield func(from, to page.BlockID) bool) {
		for at := 0; ; {
			i := strings.Index(x.text[at:], value)
			if i < 0 {
				return
			}
			at += i
			if !yield(x.blockAt(at), x.blockAt(at+len(value)-2)+1) {
				return
			}
			at += len(value) - 1
		}
	}
}

// blockAt returns the block with the word after the space at a position.
func (x *wordIndex) blockAt(at int) page.BlockID {
	return page.BlockID(sort.SearchInts(x.starts, at+1) - 1)
}
