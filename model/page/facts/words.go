package facts

import (
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/runes"
)

// wordIndex finds words on a page, across blocks: values are often divided into a number and a unit.
type wordIndex struct {
	// all are the words, counts the numbers of words before each block, and at the end that of all.
	all    []string
	counts []int
}

func newWordIndex(r Reader) *wordIndex {
	n, length := len(r.Page.Blocks), 0
	for i := range n {
		length += len(r.Text(page.BlockID(i)))
	}
	const wordLength = 5 // with the space, shorter than in most languages
	x := &wordIndex{all: make([]string, 0, length/wordLength), counts: make([]int, 0, n+1)}
	for i := range n {
		x.counts = append(x.counts, len(x.all))
		x.all = appendWords(x.all, r.Text(page.BlockID(i)))
	}
	x.counts = append(x.counts, len(x.all))
	return x
}

// appendWords appends the words of a text.
func appendWords(all []string, text string) []string {
	start := -1
	for i := 0; i < len(text); {
		between, size := !asciiWord[text[i]&(utf8.RuneSelf-1)], 1
		if text[i] >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			between = isBetween(r)
		}
		switch {
		case !between && start < 0:
			start = i
		case between && start >= 0:
			all, start = append(all, text[start:i]), -1
		}
		i += size
	}
	if start >= 0 {
		all = append(all, text[start:])
	}
	return all
}

// asciiWord has the characters of ASCII that are part of words.
//
//nolint:gochecknoglobals // a constant table
var asciiWord = func() (is [utf8.RuneSelf]bool) {
	for r := range rune(utf8.RuneSelf) {
		is[r] = !isBetween(r)
	}
	return is
}()

// isBetween reports whether r is between words.
func isBetween(r rune) bool { return runes.Of(r)&runes.Word == 0 && !unicode.IsMark(r) }

// words returns the words of a text in lower case.
func words(text string) []string { return appendWords(nil, strings.ToLower(text)) }

// wordsIn returns the number of words of the blocks in [from, to).
func (x *wordIndex) wordsIn(from, to page.BlockID) int { return x.counts[to] - x.counts[from] }

// of returns the words of a block.
func (x *wordIndex) of(b page.BlockID) []string { return x.all[x.counts[b]:x.counts[b+1]] }

// find yields the runs of blocks with the words.
func (x *wordIndex) find(words []string) iter.Seq2[page.BlockID, page.BlockID] {
	return func(yield func(from, to page.BlockID) bool) {
		for i := 0; i+len(words) <= len(x.all); {
			if x.all[i] != words[0] || !slices.Equal(x.all[i:i+len(words)], words) {
				i++
				continue
			}
			if !yield(x.blockAt(i), x.blockAt(i+len(words)-1)+1) {
				return
			}
			i += len(words)
		}
	}
}

// blockAt returns the block with the i-th word of the page.
func (x *wordIndex) blockAt(i int) page.BlockID {
	return page.BlockID(sort.SearchInts(x.counts, i+1) - 1)
}
