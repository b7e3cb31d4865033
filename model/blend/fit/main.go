// Command fit prepares what the weights of the blend detector are fitted on, and looks at what came of it; fit.py does
// the fitting, and fit.sh runs both for all stages.
//
//	fit names -sites DIR -singles DIR -out DIR                   what names and words mean, a weights file a fold
//	fit rows  -sites DIR -singles DIR -out DIR -weights FILES    rows for the stage that the weights lack yet
//	fit score -sites DIR -weights FILES                          figures in folds over hosts
//	fit show  -sites DIR -weights FILES -site ID -page N         what is judged wrongly on one page
//
// %s in FILES stands for the fold.
package main

import (
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// folds is the number of parts that hosts are divided into: what is fitted on the others scores the rows of one.
const folds = 5

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
	singles := flags.String("singles", "", "corpus of single pages")
	dir := flags.String("out", "", "folder for the outcome")
	weights := flags.String("weights", "", "weights files, %s standing for the fold")
	site := flags.String("site", "", "site to show")
	index := flags.Int("page", 25, "page to show, the first being 0")
	price := flags.Float64("price", -1, "price of the decision; negative: that of the weights")
	lean := flags.Float64("lean", 0, "what is added to the lean of the decision")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	c, err := load(*sites, *singles)
	if err != nil {
		return err
	}
	switch args[0] {
	case "names":
		return writeNames(c, *dir)
	case "rows":
		return writeRows(c, *dir, *weights)
	case "score":
		return scorer{out, *weights, func(w *blend.Weights) { w.Tune(*price, *lean) }}.corpora(c)
	case "show":
		return show(out, c, *weights, *site, *index)
	}
	return fmt.Errorf("%s is none of names, rows, score, show", args[0])
}

// corpora is all that weights are fitted on.
type corpora struct {
	sites   []*evaluate.Site
	singles []*evaluate.Single
}

func load(sites, singles string) (c corpora, err error) {
	for _, dir := range strings.Split(sites, ",") {
		s, err := evaluate.LoadSites(dir)
		if err != nil {
			return c, err
		}
		c.sites = append(c.sites, s...)
	}
	if singles != "" {
		c.singles, err = evaluate.LoadSingles(singles)
	}
	return c, err
}

// each runs work for every site and single page, several at a time; i numbers them.
func (c corpora) each(site func(i int, s *evaluate.Site) error, single func(i int, s *evaluate.Single) error) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range c.sites {
		g.Go(func() error { return site(i, s) })
	}
	for i, s := range c.singles {
		g.Go(func() error { return single(len(c.sites)+i, s) })
	}
	return g.Wait()
}

// foldOf is the part that a host belongs to: what is fitted on the others scores it.
func foldOf(host string) int {
	h := fnv.New32a()
	h.Write([]byte(host))
	return int(h.Sum32() % folds)
}
