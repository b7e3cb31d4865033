package mining

import "math"

// bayes is a multinomial naive Bayes classifier with Laplace smoothing, as described by McCallum and Nigam (1998). No
// maintained library has one: the existing ones are unmaintained and read strings, while the trials here run thousands
// of times over words that are counted once.
type bayes struct {
	documents []float64
	// counts are by class and word during learning. finish turns them into logarithms of probabilities.
	counts [][]float64
	seen   []bool
}

func newBayes(classes, vocabulary int) *bayes {
	b := &bayes{documents: make([]float64, classes), counts: make([][]float64, classes), seen: make([]bool, vocabulary)}
	for c := range b.counts {
		b.counts[c] = make([]float64, vocabulary)
	}
	return b
}

func (b *bayes) learn(doc bag, class int) {
	b.documents[class]++
	for _, t := range doc {
		b.counts[class][t.word] += t.weight
		b.seen[t.word] = true
	}
}

// finish must be called once, after learning and before classify. It takes the vocabulary from the learned documents.
func (b *bayes) finish() {
	vocabulary := 0.0
	for _, s := range b.seen {
		if s {
			vocabulary++
		}
	}
	for _, counts := range b.counts {
		total := vocabulary
		for _, n := range counts {
			total += n
		}
		for w, seen := range b.seen {
			if seen {
				counts[w] = math.Log((counts[w] + 1) / total)
			}
		}
	}
}

// classify returns the likeliest class; among equals, the first. It ignores words that were never learned.
func (b *bayes) classify(doc bag) int {
	best, most := 0, math.Inf(-1)
	for c, n := range b.documents {
		p := math.Log(n)
		for _, t := range doc {
			if b.seen[t.word] {
				p += t.weight * b.counts[c][t.word]
			}
		}
		if p > most {
			best, most = c, p
		}
	}
	return best
}
