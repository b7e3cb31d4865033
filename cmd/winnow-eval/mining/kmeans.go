package mining

import (
	"math"
	"math/rand/v2"
)

// maxRounds bounds k-means. Over text it converges within a few dozen rounds.
const maxRounds = 100

// kMeans divides unit vectors into k clusters by cosine and returns the cluster of each vector. It starts from k random
// vectors, as in the paper. No maintained library does this over sparse vectors: dense ones over a corpus's whole
// vocabulary would be a thousand times larger than the texts.
func kMeans(vectors []bag, vocabulary, k int, rng *rand.Rand) []int {
	centres := make([][]float64, k)
	for c, i := range rng.Perm(len(vectors))[:k] {
		centres[c] = make([]float64, vocabulary)
		add(centres[c], vectors[i])
	}
	of := make([]int, len(vectors))
	for round := range maxRounds {
		if !assign(vectors, centres, of) && round > 0 {
			break
		}
		recentre(vectors, centres, of)
	}
	return of
}

// assign assigns each vector to the nearest centre and reports whether any moved.
func assign(vectors []bag, centres [][]float64, of []int) (moved bool) {
	for i, v := range vectors {
		best, most := 0, -1.0
		for c, centre := range centres {
			if d := dot(v, centre); d > most {
				best, most = c, d
			}
		}
		if of[i] != best {
			of[i], moved = best, true
		}
	}
	return moved
}

// recentre sets each centre to the direction of its cluster's mean. The centre of an empty cluster stays.
func recentre(vectors []bag, centres [][]float64, of []int) {
	sizes := make([]int, len(centres))
	for _, c := range of {
		sizes[c]++
	}
	for c, n := range sizes {
		if n > 0 {
			clear(centres[c])
		}
	}
	for i, v := range vectors {
		add(centres[of[i]], v)
	}
	for _, centre := range centres {
		scale(centre)
	}
}

func dot(v bag, centre []float64) (sum float64) {
	for _, t := range v {
		sum += t.weight * centre[t.word]
	}
	return sum
}

func add(centre []float64, v bag) {
	for _, t := range v {
		centre[t.word] += t.weight
	}
}

// scale scales a centre to length 1. A zero centre stays.
func scale(centre []float64) {
	sum := 0.0
	for _, x := range centre {
		sum += x * x
	}
	if sum == 0 {
		return
	}
	length := math.Sqrt(sum)
	for i := range centre {
		centre[i] /= length
	}
}
