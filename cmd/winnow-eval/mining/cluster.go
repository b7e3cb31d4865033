package mining

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// Clustering is the result of k-means on a collection.
type Clustering struct {
	// Pages is the number of pages with a class, K the number of classes and of clusters.
	Pages int `json:"pages"`
	K     int `json:"k"`
	// F is over runs with different starting pages: for each class the best F of a cluster, weighted by the class's
	// size.
	F Figure `json:"f"`
}

// Cluster divides the pages with a class into as many clusters as there are classes, runs times. It returns ErrUnfit
// for fewer than two classes, and ctx's error when ctx ends.
func Cluster(ctx context.Context, docs []Document, runs int) (*Clustering, error) {
	docs = classified(docs)
	class, k := classNumbers(docs)
	if k < 2 {
		return nil, fmt.Errorf("%w: clustering needs pages of two classes or more, and there are %d", ErrUnfit, k)
	}
	counts, vocabulary := bags(docs)
	vectors := weighted(counts, vocabulary)
	f, err := overRuns(ctx, runs, func(rng *rand.Rand) float64 {
		return clusterF(class, kMeans(vectors, vocabulary, k, rng), k)
	})
	if err != nil {
		return nil, err
	}
	return &Clustering{Pages: len(docs), K: k, F: f}, nil
}

// clusterF compares clusters with classes, k of each.
func clusterF(class, cluster []int, k int) (f float64) {
	both := make([][]float64, k)
	inClass, inCluster := make([]float64, k), make([]float64, k)
	for c := range both {
		both[c] = make([]float64, k)
	}
	for i, c := range class {
		both[c][cluster[i]]++
		inClass[c]++
		inCluster[cluster[i]]++
	}
	for c := range k {
		best := 0.0
		for j, n := range both[c] {
			if n > 0 {
				best = max(best, harmonic(n/inCluster[j], n/inClass[c]))
			}
		}
		f += best * inClass[c] / float64(len(class))
	}
	return f
}

// classified are the documents that have a class.
func classified(docs []Document) (with []Document) {
	for _, d := range docs {
		if d.Class != "" {
			with = append(with, d)
		}
	}
	return with
}

// classNumbers numbers the classes in order of their first page.
func classNumbers(docs []Document) (class []int, n int) {
	numbers := map[string]int{}
	for _, d := range docs {
		c, ok := numbers[d.Class]
		if !ok {
			c = len(numbers)
			numbers[d.Class] = c
		}
		class = append(class, c)
	}
	return class, len(numbers)
}
