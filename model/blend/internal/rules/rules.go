// Package rules corrects the log-odds that the weights give where they are known to be wrong. All rules are in one
// table.
package rules

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/judge"
	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
)

// Case is what the rules may look at.
type Case struct {
	*parts.Outline
	Ev *features.Evidence
	J  *judge.Judgment
	// On are the rules in force.
	On Set
}

// Verdicts is the result: for each block its log-odds of noise and its label, and the F1 that the labels are expected
// to have.
type Verdicts struct {
	Odds     []float32
	Noisy    []bool
	Expected float32
}

// Decide labels the blocks. news says that the page may be read by the convention of news too.
func (r *Case) Decide(news bool) (d Verdicts) {
	d.Odds = r.odds()
	d.Noisy, d.Expected = r.J.Decide(d.Odds)
	if news && r.judgeAsArticle(d.Odds, d.Noisy) {
		d.Noisy, d.Expected = r.J.Decide(d.Odds)
	}
	comments := r.On.Has(Comments) && dropComments(r.Outline, d.Odds)
	related := r.On.Has(Related) && dropRelated(r.Outline.Page, d.Odds)
	if comments || related {
		d.Noisy, d.Expected = r.J.Decide(d.Odds)
	}
	return d
}

// odds returns the log-odds of noise by the convention in force.
func (r *Case) odds() []float32 {
	odds := r.J.Odds()
	if r.J.Weights.Full != nil {
		if r.On.Has(Recurring) {
			dropRecurring(r.Ev, odds)
		}
		if r.On.Has(FactRows) {
			liftFacts(r.Ev, odds)
		}
	}
	if r.On.Has(Authors) {
		dropDetails(r.Outline.Page, odds)
	}
	if r.On.Has(Fields) {
		dropFields(r.Outline.Page, odds)
	}
	return odds
}
