// Package mining puts cleaned pages to the three uses that the papers measure cleaning by: classification and
// clustering (Yi, Liu and Li, KDD 2003) and search (Chen, Ye and Li 2006). It knows words only; what a page's text is
// and how it was cleaned is the caller's business.
//
// All figures are reproducible: whatever is drawn at random comes from generators seeded with the number of the run,
// and the draws depend on the documents' sites, classes and order alone. The same pages cleaned in another way are
// therefore put to the very same trials.
package mining

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/winnow-proxy/winnow/model/evaluate"
)

// Document is one page as a task sees it. Classification and clustering leave pages without a class out, and no trial asks
// for a transfer between languages.
type Document = evaluate.Document

// ErrUnfit says that a collection can't be put to a task, wrapped with what it lacks.
var ErrUnfit = errors.New("the pages are not fit for this task")

// Figure is the mean of a figure over runs and its standard deviation.
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

// overRuns calls run with a generator of its own for each of n runs and returns the figure of what it returns.
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
