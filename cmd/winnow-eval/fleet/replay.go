package fleet

import (
	"context"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// Replay is what replicas with real models have scored. The scores are means over sites of the F1 of their pages, by
// the order in which the pages came to the fleet.
type Replay struct {
	Replicas int `json:"replicas"`
	Every    int `json:"every"`
	// First is the score of page 1, Early that of pages 2 to 5, and Learned that of all pages from page 6 on.
	First   float64 `json:"f1_first"`
	Early   float64 `json:"f1_early"`
	Learned float64 `json:"f1_learned"`
	// Sent is the mean length of what one receiver got for a page of another replica, in bytes, 0 if nothing was shared.
	Sent float64 `json:"sent_bytes"`
}

// ReplaySites spreads the pages of sites with gold over replicas, in the order of their arrival, and scores what these
// make of them. progress is called after each page.
func ReplaySites(ctx context.Context, setups []*Replicas, sites []*evaluate.Site, progress func()) ([]*Replay, error) {
	r := &evaluate.Runner{Progress: func(_, _ string) { progress() }}
	sent := make([]traffic, len(setups))
	for i, d := range setups {
		d.Sent = sent[i].sent
		r.Detectors = append(r.Detectors, model.Detector(d))
	}
	results, err := r.Sites(ctx, sites)
	if err != nil {
		return nil, err
	}
	replays := make([]*Replay, len(setups))
	for i, d := range setups {
		replays[i] = &Replay{Replicas: d.Replicas, Every: d.Every, First: meanF1(results[i].Sites, 0, 1),
			Early: meanF1(results[i].Sites, 1, 5), Learned: meanF1(results[i].Sites, 5, 1<<30), Sent: sent[i].mean()}
	}
	return replays, nil
}

// meanF1 is the mean over sites of their pages from one to before another, of those sites that have such pages.
func meanF1(sites []evaluate.SiteScore, from, to int) float64 {
	sum, n := 0.0, 0
	for _, s := range sites {
		if len(s.Pages) <= from {
			continue
		}
		pages, f1 := s.Pages[from:min(to, len(s.Pages))], 0.0
		for _, p := range pages {
			f1 += p.F1
		}
		sum += f1 / float64(len(pages))
		n++
	}
	return sum / float64(max(n, 1))
}
