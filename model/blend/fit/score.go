package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// worst is how many sites score lists.
const worst = 15

// scorer prints how weights do, each host judged by those that were fitted without its fold; weights without %s in
// their name judge all.
type scorer struct {
	w       io.Writer
	weights string
	// tune changes the decision first.
	tune func(*blend.Weights)
}

// runner returns an evaluation with the weights for a fold.
func (s scorer) runner(fold int) (*evaluate.Runner, error) {
	fitted, err := blend.LoadWeights(strings.ReplaceAll(s.weights, "%s", strconv.Itoa(fold)))
	if err != nil {
		return nil, err
	}
	s.tune(fitted)
	return &evaluate.Runner{Detectors: []model.Detector{blend.NewWith(fitted)}, Protocol: evaluate.Online}, nil
}

func (s scorer) corpora(c corpora) error {
	if err := s.sites(c.sites); err != nil {
		return err
	}
	return s.singles(c.singles)
}

// sites prints the worst sites and the means by order of arrival.
func (s scorer) sites(sites []*evaluate.Site) error {
	parts := map[int][]*evaluate.Site{}
	for _, x := range sites {
		parts[foldOf(x.ID)] = append(parts[foldOf(x.ID)], x)
	}
	var all []evaluate.SiteScore
	for fold, part := range parts {
		r, err := s.runner(fold)
		if err != nil {
			return err
		}
		res, err := r.Sites(context.Background(), part)
		if err != nil {
			return err
		}
		all = append(all, res[0].Sites...)
	}
	slices.SortFunc(all, func(a, b evaluate.SiteScore) int { return cmp.Compare(a.F1, b.F1) })
	for _, x := range all[:min(worst, len(all))] {
		s.row(x.Site, x.Mean)
	}
	sum := evaluate.Summarize(all)
	for i, b := range sum.Buckets {
		s.row("pages "+evaluate.BucketNames()[i], b.Mean)
	}
	s.row("all", sum.All.Mean)
	return nil
}

func (s scorer) row(name string, m evaluate.Mean) {
	fmt.Fprintf(s.w, "%-28s F1 %.4f  P %.4f  R %.4f  kept %.4f  removed %.4f\n", name, m.F1, m.P, m.R, m.Kept, m.Removed)
}

// singles prints the word F1 of single pages by type.
func (s scorer) singles(pages []*evaluate.Single) error {
	parts := map[int][]*evaluate.Single{}
	for _, x := range pages {
		fold := foldOf(hostOf(x))
		parts[fold] = append(parts[fold], x)
	}
	sums := map[string]evaluate.SingleScore{}
	for fold, part := range parts {
		r, err := s.runner(fold)
		if err != nil {
			return err
		}
		res, err := r.Singles(context.Background(), part)
		if err != nil {
			return err
		}
		for _, t := range res[0].Types {
			sum := sums[t.Type]
			sum.Pages += t.Pages
			sum.F1 += t.F1 * float64(t.Pages)
			sums[t.Type] = sum
		}
	}
	for _, t := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(s.w, "%-28s word F1 %.4f on %d pages\n", t, sums[t].F1/float64(sums[t].Pages), sums[t].Pages)
	}
	return nil
}
