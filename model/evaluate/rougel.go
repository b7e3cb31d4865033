package evaluate

import (
	"math/bits"
	"strings"
	"unicode"
)

// TextScore compares a cleaned page with gold that is plain text. P, R and RougeL are precision, recall and F-measure
// of the longest common subsequence of words (ROUGE-L, Lin 2004), so words in another order or from elsewhere do not
// count. WordF1 is the F-measure over multisets of words. All are in [0,1].
type TextScore struct {
	P      float64 `json:"p"`
	R      float64 `json:"r"`
	RougeL float64 `json:"rouge_l"`
	WordF1 float64 `json:"word_f1"`
}

// ScoreText compares the text that was kept of a page with its gold.
func ScoreText(gold, kept string) (s TextScore) {
	a, b := rougeWords(gold), rougeWords(kept)
	common := commonSubsequence(a, b)
	s.P, s.R, s.RougeL = precisionRecall(common, len(b)-common, len(a)-common)
	_, _, s.WordF1 = precisionRecall(overlap(multiset(a), multiset(b)))
	return s
}

// rougeWords are runs of letters and numbers in lower case, Chinese characters one by one.
func rougeWords(text string) (words []string) {
	start := -1
	flush := func(end int) {
		if start >= 0 {
			words = append(words, text[start:end])
		}
		start = -1
	}
	text = strings.ToLower(text)
	for i, r := range text {
		switch {
		case start < 0 && 0x3400 <= r && r <= 0x9fff:
			words = append(words, string(r))
		case !unicode.IsLetter(r) && !unicode.IsNumber(r):
			flush(i)
		case start < 0:
			start = i
		}
	}
	flush(len(text))
	return words
}

// commonSubsequence returns the length of the longest common subsequence, 64 words of a at a time (Hyyrö 2004).
func commonSubsequence(a, b []string) int {
	width := (len(a) + 63) / 64
	places := map[string][]uint64{}
	for i, w := range a {
		if places[w] == nil {
			places[w] = make([]uint64, width)
		}
		places[w][i/64] |= 1 << (i % 64)
	}
	row := make([]uint64, width)
	for i := range row {
		row[i] = ^uint64(0)
	}
	for _, w := range b {
		place, ok := places[w]
		if !ok {
			continue
		}
		carry := uint64(0)
		for i, v := range row {
			u := v & place[i]
			var sum uint64
			sum, carry = bits.Add64(v, u, carry)
			row[i] = sum | v&^u
		}
	}
	ones := 0
	for i, v := range row {
		if i == width-1 && len(a)%64 != 0 {
			v |= ^uint64(0) << (len(a) % 64)
		}
		ones += bits.OnesCount64(v)
	}
	return 64*width - ones
}
