package blend

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Sample returns the rows that weights are fitted on: one per block of p, with the features for the next stage of the
// host's weights, given what the host has learned so far.
func (h *Host) Sample(p *page.Page, visit model.Visit) [][]float32 {
	if len(p.Blocks) == 0 {
		return nil
	}
	read := h.readOf(p, visit)
	j := h.weigh(read, false)
	defer j.release()
	rows := make([][]float32, len(read.blocks))
	for i := range rows {
		rows[i] = j.page.pageRow(i)
		if h.d.w.page != nil {
			rows[i] = j.ev.hostRow(rows[i], i)
		}
	}
	return rows
}

// Judging returns the detector with a convention of what counts as content.
func (d *Detector) Judging(c Convention) *Detector {
	judged := *d
	judged.convention = c
	return &judged
}

// Sampler returns a host model for fitting, with a convention. The weights may lack their later stages.
func (d *Detector) Sampler(c Convention) *Host {
	return d.Judging(c).newHost(model.Key{})
}

// Stages is the number of forests that the weights have.
func (w *Weights) Stages() int {
	switch {
	case w.page == nil:
		return 0
	case w.full == nil:
		return 1
	}
	return 2
}

// Tune changes the parameters of the decision, in order to choose them: a price that is not negative replaces the old
// one, and lean is added.
func (w *Weights) Tune(price, lean float64) {
	if price >= 0 {
		w.price = float32(price)
	}
	w.lean += float32(lean)
}
