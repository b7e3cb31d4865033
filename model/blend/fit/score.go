package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// worst is how many sites score lists.
const worst = 15

// score prints how weights do on sites, each judged by those that were fitted without its fold; weights without %s in
// their name judge all. tune, when not nil, changes the decision first.
func score(w io.Writer, c corpora, weights string, tune func(*blend.Weights)) error {
	parts := map[string][]*evaluate.Site{}
	for _, s := range c.sites {
		file := strings.ReplaceAll(weights, "%s", strconv.Itoa(foldOf(s.ID)))
		parts[file] = append(parts[file], s)
	}
	var all []evaluate.SiteScore
	for file, sites := range parts {
		fitted, err := blend.LoadWeights(file)
		if err != nil {
			return err
		}
		if tune != nil {
			tune(fitted)
		}
		r := evaluate.Runner{Detectors: []model.Detector{blend.NewWith(fitted)}, Protocol: evaluate.Online}
		res, err := r.Sites(context.Background(), sites)
		if err != nil {
			return err
		}
		all = append(all, res[0].Sites...)
	}
	slices.SortFunc(all, func(a, b evaluate.SiteScore) int { return int((a.F1 - b.F1) * 1e6) })
	for _, s := range all[:min(worst, len(all))] {
		row(w, s.Site, s.Mean)
	}
	sum := evaluate.Summarize(all)
	for i, b := range sum.Buckets {
		row(w, "pages "+evaluate.BucketNames()[i], b.Mean)
	}
	row(w, "all", sum.All.Mean)
	return nil
}

func row(w io.Writer, name string, m evaluate.Mean) {
	fmt.Fprintf(w, "%-28s F1 %.4f  P %.4f  R %.4f  kept %.4f  removed %.4f\n", name, m.F1, m.P, m.R, m.Kept, m.Removed)
}
