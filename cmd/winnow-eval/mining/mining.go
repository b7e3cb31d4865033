// Package mining runs the three tasks by which the papers measure cleaning: classification and clustering (Yi, Liu and
// Li, KDD 2003) and search (Chen, Ye and Li 2006). It works on words only; the caller decides what a page's text is and
// how it was cleaned.
//
// All figures are reproducible: every random choice uses a generator seeded with the number of the run, and depends
// only on the documents' sites, classes and order. So the same pages, cleaned differently, get exactly the same trials.
package mining

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/winnow-proxy/winnow/model/evaluate"
)

// Document is one page for a task. Classification and clustering ignore pages without a class, and no trial transfers
// between languages.
type Document = evaluate.Document

// ErrUnfit says that a collection does not allow a task, wrapped with the reason.
var ErrUnfit = errors.New("the pages are not fit for this task")

// Figure is the mean of a figure over runs, with its standard deviation.
type Figure struct {
	Mean   float64 `json:"mean"`
	Spread float64 `json:"spread"`
	Runs   int     `json:"runs"`
}

func newFigure(runs []float64) Figure {
	f := Figure{Runs: len(runs)}
	for _, r := range runs {
		f.Mean += r / float64(len(runs))
	}
	if len(runs) < 2 {
		return f
	}
	for _, r := range runs {
		f.Spread += (r - f.Mean) * (r - f.Mean) / float64(len(runs)-1)
	}
	f.Spread = math.Sqrt(f.Spread)
	return f
}

// overRuns calls run with a separate generator for each of n runs and returns the figure of the results.
func overRuns(ctx context.Context, n int, run func(*rand.Rand) float64) (Figure, error) {
	var figures []float64
	for i := range n {
		if err := ctx.Err(); err != nil {
			return Figure{}, err
		}
		figures = append(figures, run(rand.New(rand.NewPCG(uint64(i), 2003))))
	}
	return newFigure(figures), nil
}

// harmonic is the F score of a precision and a recall.
func harmonic(p, r float64) float64 {
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}
