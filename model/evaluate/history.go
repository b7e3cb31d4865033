package evaluate

import (
	"context"
	"slices"
)

// History is what knowing a host's earlier pages is worth to one detector on the sites of a corpus.
type History struct {
	Detector string `json:"detector"`
	// Corpus has a row for each measure that the corpus has gold for, Buckets those by order of arrival, and Hosts those
	// of each host with enough pages.
	Corpus  []Gain `json:"corpus"`
	Buckets []Gain `json:"buckets,omitempty"`
	Hosts   []Gain `json:"hosts,omitempty"`
}

// Gain is a figure in order of arrival, and with each page as its host's first.
type Gain struct {
	// Of is the host or the range of arrival, empty for the corpus.
	Of string `json:"of,omitempty"`
	// Measure is the figure: MeasureF1, MeasureRougeL or MeasureFacts.
	Measure string `json:"measure"`
	// N is the number of hosts for F1 and in a range of arrival, of pages or facts elsewhere.
	N       int     `json:"n"`
	Arrival float64 `json:"arrival"`
	First   float64 `json:"first"`
	// Gain is Arrival less First.
	Gain float64 `json:"gain"`
}

// The measures of a [Gain]: F1 of sites with selectors (the mean over hosts), ROUGE-L of those with text, and the share
// of facts that are kept.
const (
	MeasureF1     = "F1"
	MeasureRougeL = "ROUGE-L"
	MeasureFacts  = "facts"
)

// GainPages is the number of pages from which a host has a row of its own.
const GainPages = 10

func newGain(of, measure string, n int, arrival, first float64) Gain {
	return Gain{of, measure, n, arrival, first, arrival - first}
}

// Gains runs every detector over every site twice, in order of arrival and with each page as its host's first, whatever
// the runner's protocol is. It returns one history per detector, in their order.
func (r *Runner) Gains(ctx context.Context, sites []*Site) ([]History, error) {
	arrival, first := *r, *r
	arrival.Protocol, first.Protocol = Online, Cold
	first.Out = "" // the pages in order of arrival are written
	if slices.ContainsFunc(sites, (*Site).HasText) {
		return gains(ctx, sites, arrival.TextSites, first.TextSites, textHistory)
	}
	return gains(ctx, sites, arrival.Sites, first.Sites, siteHistory)
}

// gains runs both and compares their results.
func gains[T any](ctx context.Context, sites []*Site, arrival, first func(context.Context, []*Site) ([]T, error), compare func(a, f *T) History) ([]History, error) {
	a, err := arrival(ctx, sites)
	if err != nil {
		return nil, err
	}
	f, err := first(ctx, sites)
	if err != nil {
		return nil, err
	}
	histories := make([]History, len(a))
	for d := range a {
		histories[d] = compare(&a[d], &f[d])
	}
	return histories, nil
}

// siteHistory compares the F1 of sites with selectors.
func siteHistory(a, f *SiteResult) History {
	h := History{Detector: a.Detector, Corpus: []Gain{newGain("", MeasureF1, a.All.N, a.All.F1, f.All.F1)}}
	for b, name := range BucketNames() {
		if n := a.Buckets[b].N; n > 0 {
			h.Buckets = append(h.Buckets, newGain(name, MeasureF1, n, a.Buckets[b].F1, f.Buckets[b].F1))
		}
	}
	for i := range a.Sites {
		if s := &a.Sites[i]; s.N >= GainPages {
			h.Hosts = append(h.Hosts, newGain(s.Site, MeasureF1, s.N, s.F1, f.Sites[i].F1))
		}
	}
	return h
}

// textHistory compares the ROUGE-L and the facts of sites with text.
func textHistory(a, f *TextResult) History {
	h := History{Detector: a.Detector}
	if a.All.N > 0 {
		h.Corpus = append(h.Corpus, newGain("", MeasureRougeL, a.All.N, a.All.RougeL, f.All.RougeL))
	}
	for b, name := range TextBucketNames() {
		if n := a.Buckets[b].N; n > 0 {
			h.Buckets = append(h.Buckets, newGain(name, MeasureRougeL, n, a.Buckets[b].RougeL, f.Buckets[b].RougeL))
		}
	}
	var arrival, first FactShare
	for i := range a.Sites {
		s, cold := &a.Sites[i], &f.Sites[i]
		if s.Mean.N >= GainPages {
			h.Hosts = append(h.Hosts, newGain(s.Site, MeasureRougeL, s.Mean.N, s.Mean.RougeL, cold.Mean.RougeL))
		}
		sa, most := sumOfFacts(s)
		sf, _ := sumOfFacts(cold)
		if most >= GainPages {
			h.Hosts = append(h.Hosts, newGain(s.Site, MeasureFacts, sa.Pages, sa.share(), sf.share()))
		}
		arrival, first = arrival.plus(sa), first.plus(sf)
	}
	if arrival.Pages > 0 {
		h.Corpus = append(h.Corpus, newGain("", MeasureFacts, arrival.Pages, arrival.share(), first.share()))
	}
	return h
}

// sumOfFacts adds up a site's facts. most is the largest number of pages that one of them is on.
func sumOfFacts(s *TextSite) (sum FactShare, most int) {
	for _, f := range s.Facts {
		sum = sum.plus(f)
		most = max(most, f.Pages)
	}
	return sum, most
}

func (f FactShare) plus(g FactShare) FactShare { return FactShare{f.Pages + g.Pages, f.Kept + g.Kept} }

func (f FactShare) share() float64 {
	if f.Pages == 0 {
		return 0
	}
	return float64(f.Kept) / float64(f.Pages)
}

// Least returns the smallest gain of a list, which must not be empty.
func Least(gains []Gain) Gain {
	return slices.MinFunc(gains, func(a, b Gain) int {
		switch {
		case a.Gain < b.Gain:
			return -1
		case a.Gain > b.Gain:
			return 1
		}
		return 0
	})
}
