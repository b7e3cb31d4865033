package mining

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
)

// term is a word, by number, and its frequency or weight in a document.
type term struct {
	word   int
	weight float64
}

// bag is a document's words in order of their numbers.
type bag []term

// bags counts the words of each document, case folded, and returns the size of the vocabulary.
func bags(docs []Document) (all []bag, vocabulary int) {
	numbers := map[string]int{}
	for _, d := range docs {
		counts := map[int]float64{}
		for w := range page.Words(d.Text) {
			w = strings.ToLower(w)
			n, ok := numbers[w]
			if !ok {
				n = len(numbers)
				numbers[w] = n
			}
			counts[n]++
		}
		all = append(all, newBag(counts))
	}
	return all, len(numbers)
}

func newBag(counts map[int]float64) bag {
	b := make(bag, 0, len(counts))
	for _, w := range slices.Sorted(maps.Keys(counts)) {
		b = append(b, term{w, counts[w]})
	}
	return b
}

// weighted turns counts into tf·idf vectors of length 1, the usual input of k-means over text. A word that all
// documents have has weight 0.
func weighted(counts []bag, vocabulary int) []bag {
	in := make([]float64, vocabulary)
	for _, b := range counts {
		for _, t := range b {
			in[t.word]++
		}
	}
	vectors := make([]bag, len(counts))
	for i, b := range counts {
		v := make(bag, len(b))
		for j, t := range b {
			v[j] = term{t.word, t.weight * math.Log(float64(len(counts))/in[t.word])}
		}
		vectors[i] = v.normalized()
	}
	return vectors
}

// normalized scales b to length 1, in place. A zero vector stays.
func (b bag) normalized() bag {
	sum := 0.0
	for _, t := range b {
		sum += t.weight * t.weight
	}
	if sum > 0 {
		for i := range b {
			b[i].weight /= math.Sqrt(sum)
		}
	}
	return b
}
