package blend

// ruling is what the rules may look at.
type ruling struct {
	*outline
	ev *evidence
	j  *judgment
}

// decided is the result: for each block its log-odds of noise and its label, and the F1 that the labels are expected to
// have.
type decided struct {
	odds     []float32
	noisy    []bool
	expected float32
}

// decide labels the blocks. news says that the page may be read by the convention of news too.
func (r *ruling) decide(news bool) (d decided) {
	d.odds = r.odds()
	d.noisy, d.expected = r.j.decide(d.odds)
	if news && r.judgeAsArticle(d.odds, d.noisy) {
		d.noisy, d.expected = r.j.decide(d.odds)
	}
	if comments, related := r.dropComments(d.odds), r.dropRelated(d.odds); comments || related {
		d.noisy, d.expected = r.j.decide(d.odds)
	}
	return d
}

// odds returns the log-odds of noise by the convention in force.
func (r *ruling) odds() []float32 {
	odds := r.j.odds()
	if r.j.w.full != nil {
		r.ev.dropRecurring(odds)
		r.ev.liftFacts(odds)
		r.keepRows(odds)
	}
	r.dropDetails(odds)
	return odds
}
