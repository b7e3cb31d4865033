// Command fit prepares what the weights of the blend detector are fitted on, and looks at what came of it; fit.py does
// the fitting, and fit.sh runs both for all stages.
//
//	fit names -data DIRS -out DIR                         what names and words mean, a weights file a fold
//	fit rows  -data DIRS -out DIR -weights FILES          rows for the stage that the weights lack yet
//	fit score -data DIRS -weights FILES                   figures in folds over domains, with and without history
//	fit manifest -data DIRS -out DIR -files FILES         what the weights files in DIR rest on
//	fit show  -data DIRS -weights FILES -site ID -page N  what is judged wrongly on one page
//
// %s in FILES stands for the fold. DIRS, with commas, have the folders of the corpora that -config names.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

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
		return errors.New("want names, rows, score, manifest or show; see the package comment")
	}
	flags := flag.NewFlagSet("fit "+args[0], flag.ContinueOnError)
	file := flags.String("config", "model/blend/fit/corpora.json", "what is fitted on")
	data := flags.String("data", "", "folders that have the corpora, with commas")
	dir := flags.String("out", "", "folder for the outcome")
	weights := flags.String("weights", "", "weights files, %s standing for the fold")
	into := flags.String("calibrate", "", "weights files that get the calibration, with commas")
	figures := flags.String("figures", "", "file for the figures as JSON")
	files := flags.String("files", "", "weights files in -out that the manifest is of, with commas")
	commit := flags.String("commit", "", "commit that the manifest names")
	xgboost := flags.String("xgboost", "", "version that the manifest names")
	site := flags.String("site", "", "site to show")
	index := flags.Int("page", 25, "page to show, the first being 0")
	fold := flags.Int("fold", -1, "only the hosts of this fold; negative: all")
	only := flags.String("only", "", "only these corpora, with commas")
	every := flags.Int("every", 1, "only every n-th host")
	price := flags.Float64("price", -1, "price of the decision; negative: that of the weights")
	lean := flags.Float64("lean", 0, "what is added to the lean of the decision")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	c, err := readConfig(*file)
	if err != nil {
		return err
	}
	if c.Corpora, err = c.choose(split(*only)); err != nil {
		return err
	}
	all, err := c.load(split(*data))
	if err != nil {
		return err
	}
	all = choose(all, *fold, *every)
	switch args[0] {
	case "names":
		return writeNames(all, c.Folds, *dir)
	case "rows":
		return writeRows(all, c.Folds, *dir, *weights)
	case "score":
		s := &scorer{w: out, config: c, weights: *weights, fold: *fold, tune: func(w *blend.Weights) { w.Tune(*price, *lean) }}
		return errors.Join(s.score(all), s.writeFigures(*figures), calibrate(s.outcomes, c.Folds, split(*into)))
	case "manifest":
		return c.writeManifest(*file, *dir, *figures, *commit, *xgboost, split(*data), split(*files))
	case "show":
		return show(out, all, *weights, *site, *index)
	}
	return fmt.Errorf("%s is none of names, rows, score, manifest, show", args[0])
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// choose keeps the series of a fold, and every n-th of each corpus.
func choose(all []*series, fold, every int) (kept []*series) {
	for i, s := range all {
		if (fold < 0 || s.fold == fold) && i%every == 0 {
			kept = append(kept, s)
		}
	}
	return kept
}
