// Command fit prepares what the weights of the blend detector are fitted on, and looks at what came of it; fit.py does
// the fitting, and fit.sh runs both for all stages.
//
//	fit names -sites DIRS -singles DIRS -out DIR                   what names and words mean, a weights file a fold
//	fit rows  -sites DIRS -singles DIRS -out DIR -weights FILES    rows for the stage that the weights lack yet
//	fit score -sites DIRS -singles DIRS -weights FILES             figures in folds over domains
//	fit show  -sites DIRS -weights FILES -site ID -page N          what is judged wrongly on one page
//
// %s in FILES stands for the fold; DIRS are corpora, with commas. -report DIRS has the sites that
// are reported on: they are a fold of their own, and no weights rest on them but those for all.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/winnow-proxy/winnow/model/blend"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("want names, rows, score or show; see the package comment")
	}
	flags := flag.NewFlagSet("fit "+args[0], flag.ContinueOnError)
	sites := flags.String("sites", "", "corpora of sites, with commas")
	singles := flags.String("singles", "", "corpora of single pages, with commas")
	report := flags.String("report", "", "corpora of sites that are reported on, with commas: a fold of their own")
	dir := flags.String("out", "", "folder for the outcome")
	weights := flags.String("weights", "", "weights files, %s standing for the fold")
	into := flags.String("calibrate", "", "weights files that get the calibration, with commas")
	site := flags.String("site", "", "site to show")
	index := flags.Int("page", 25, "page to show, the first being 0")
	fold := flags.Int("fold", -1, "only the hosts of this fold; negative: all")
	every := flags.Int("every", 1, "only every n-th single page")
	price := flags.Float64("price", -1, "price of the decision; negative: that of the weights")
	like := flags.String("like", "", "judge by the convention of this corpus: wcxb, articles, cleaneval, daniel")
	lean := flags.Float64("lean", 0, "what is added to the lean of the decision")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	all, err := load(*sites, *singles, *report)
	if err != nil {
		return err
	}
	all = choose(all, *fold, *every)
	switch args[0] {
	case "names":
		return writeNames(all, *dir)
	case "rows":
		return writeRows(all, *dir, *weights)
	case "score":
		s := &scorer{w: out, weights: *weights, fold: *fold, like: *like, tune: func(w *blend.Weights) { w.Tune(*price, *lean) }}
		return errors.Join(s.score(all), calibrate(s.outcomes, split(*into)))
	case "show":
		return show(out, all, *weights, *site, *index)
	}
	return fmt.Errorf("%s is none of names, rows, score, show", args[0])
}

// choose keeps the series of a fold, and every n-th of those that are no sites.
func choose(all []*series, fold, every int) (kept []*series) {
	for i, s := range all {
		if (fold < 0 || s.fold == fold) && (s.site != nil || i%every == 0) {
			kept = append(kept, s)
		}
	}
	return kept
}
