package blend

// judgment is what the weights say about the blocks of one page.
type judgment struct {
	w    *Weights
	page *pageInput
	ev   *evidence
	// settlement has the blocks that need no judgment.
	settlement *settlement
	// comparison has the features of the other blocks, nil without weights.
	comparison *comparison
	// byPage are the log-odds of noise by the page alone, 0 without weights.
	byPage []float32
	// compared says that the host features have been compared with the thresholds.
	compared bool
	// tree is for the labels, nil until it is needed.
	tree *labelTree
}

// judge scores the blocks of a page by the page alone, and tells the evidence, which may be nil. The caller releases
// the judgment after use.
func (w *Weights) judge(p *pageInput, ev *evidence, s *settlement) *judgment {
	j := &judgment{w: w, page: p, ev: ev, settlement: s}
	if w.page == nil {
		j.byPage = make([]float32, len(p.blocks))
	} else {
		j.comparison = s.newComparison(w.cuts, len(p.blocks))
		j.comparison.findStarts(p.view)
		for n := range features().page {
			features().page[n].compare(j.comparison, p)
		}
		j.byPage = s.join(w.page.logOdds(j.comparison), byPage)
	}
	if ev != nil {
		ev.rescore(probabilities(j.byPage))
	}
	return j
}

func (j *judgment) release() { j.comparison.release() }

// odds returns the log-odds of noise for each block, by page and host.
func (j *judgment) odds() []float32 {
	if j.w.full == nil {
		return j.byPage
	}
	j.compareHost()
	odds := j.settlement.join(j.w.full.logOdds(j.comparison), byHost)
	for i := range odds {
		odds[i] += j.byPage[i]
	}
	return odds
}

// turnTo judges the page anew by another convention.
func (j *judgment) turnTo(c Convention) {
	j.page.convention = c
	if j.w.page == nil {
		return
	}
	features().convention.compare(j.comparison, j.page)
	j.settlement.turnToNews()
	j.byPage = j.settlement.join(j.w.page.logOdds(j.comparison), byPage)
	j.ev.rescore(probabilities(j.byPage))
}

// compareHost compares the host features. Once they have been, only those that rest on the page scores can be others.
func (j *judgment) compareHost() {
	t := features()
	for n := range t.host {
		if t.scored[n] || !j.compared {
			t.host[n].compare(j.comparison, j.ev)
		}
	}
	j.compared = true
}

// decide labels the blocks as noise or content, given their log-odds. It also returns the F1 that this is expected to
// have.
func (j *judgment) decide(odds []float32) (noisy []bool, expected float32) {
	if j.tree == nil {
		j.tree = j.w.newLabelTree(j.page.p, j.page.words())
	}
	return j.tree.decide(odds)
}
