// Package judge has the weights, and what they say about the blocks of a page.
package judge

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/decision"
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
)

// Judgment is what the weights say about the blocks of one page.
type Judgment struct {
	Weights  *Weights
	Page     *features.Input
	Evidence *features.Evidence
	// Comparison has the features of the other blocks, nil without weights.
	Comparison *forest.Comparison
	// ByPage are the log-odds of noise by the page alone, 0 without weights.
	ByPage []float32
	// compared says that the host features have been compared with the thresholds.
	compared bool
	// tree is for the labels, nil until it is needed.
	tree *decision.Tree
}

// Judge scores the blocks of a page by the page alone, and tells the evidence, which may be nil. The caller releases
// the judgment after use.
func (w *Weights) Judge(p *features.Input, ev *features.Evidence) *Judgment {
	j := &Judgment{Weights: w, Page: p, Evidence: ev}
	if w.Page == nil {
		j.ByPage = make([]float32, len(p.Blocks))
	} else {
		j.Comparison = w.Cuts.NewComparison(len(p.Blocks))
		features.FindStarts(j.Comparison, p.Page)
		p.StartSums()
		for n := range features.All().Page {
			features.All().Page[n].Compare(j.Comparison, p)
		}
		j.ByPage = w.Page.LogOdds(j.Comparison)
	}
	if ev != nil {
		if w.Page != nil {
			ev.Compared(p)
		}
		ev.Rescore(forest.Probabilities(j.ByPage))
	}
	return j
}

// Release keeps the memory of the judgment for the next page.
func (j *Judgment) Release() {
	j.Comparison.Release()
	j.Weights.release(j.tree)
}

// Odds returns the log-odds of noise for each block, by page and host.
func (j *Judgment) Odds() []float32 {
	if j.Weights.Full == nil {
		return j.ByPage
	}
	j.CompareHost()
	odds := j.Weights.Full.LogOdds(j.Comparison)
	for i := range odds {
		odds[i] += j.ByPage[i]
	}
	return odds
}

// TurnTo judges the page anew by another convention.
func (j *Judgment) TurnTo(c features.Convention) {
	j.Page.Convention = c
	if j.Weights.Page == nil {
		return
	}
	features.All().Convention.Compare(j.Comparison, j.Page)
	j.ByPage = j.Weights.Page.LogOdds(j.Comparison)
	j.Evidence.Rescore(forest.Probabilities(j.ByPage))
}

// CompareHost compares the host features. Once they have been, only those that rest on the page scores can be others.
func (j *Judgment) CompareHost() {
	t := features.All()
	for n := range t.Host {
		if t.Scored[n] || !j.compared {
			t.Host[n].Compare(j.Comparison, j.Evidence)
		}
	}
	j.compared = true
}

// Decide labels the blocks as noise or content, given their log-odds. It also returns the F1 that this is expected to
// have.
func (j *Judgment) Decide(odds []float32) (noisy []bool, expected float32) {
	if j.tree == nil {
		j.tree = j.Weights.treeOf(j.Page.Page)
	}
	return j.tree.Decide(odds)
}
