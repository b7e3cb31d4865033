// Package evalcli has the common flags and output of winnow eval and winnow-eval, the two commands that measure
// detectors.
package evalcli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// Flags are the flags that both commands have. Field tags are kong's; ${detector} is the name of the default detector.
type Flags struct {
	Detector []string           `default:"${detector}" placeholder:"NAME" help:"Detectors to measure side by side; the list of detectors and settings is above (default: ${default})."`
	Protocol *evaluate.Protocol `placeholder:"NAME" help:"What is learned before a page is cleaned: online (the pages before it), batch (all pages) or cold (nothing) (default: ${protocol})."`
	Sites    []string           `placeholder:"ID" help:"Only these sites of the corpus."`
	Classes  string             `placeholder:"FILE" help:"Classes of pages: lines of SITE: CLASS or SITE/PAGE: CLASS in YAML or JSON, with * and ? (default: classes.yaml beside the corpus, else \"class\" or \"genre\" in site.json)."`
	Out      string             `placeholder:"DIR" help:"Write the cleaned pages to DIR/<site>/<page>.html; with several detectors to DIR/<detector>/...."`
	Weights  string             `placeholder:"FILE" help:"Fitted weights to use instead of the built-in ones. With %s in the name, for weights in folds: each host is judged by those that have not seen it."`
	Without  []string           `placeholder:"RULE" help:"Switch off rules of blend (repeatable); --ablate of winnow eval lists them."`
	Format   string             `enum:"text,markdown,json" default:"text" placeholder:"FORM" help:"Print tables as text or markdown, or the figures as json (default: ${default})."`
	JSON     bool               `name:"json" help:"The same as --format json."`
}

// Detectors returns the detectors that the flags name.
func (f *Flags) Detectors() (ds []model.Detector, err error) {
	for _, name := range f.Detector {
		d, err := f.detector(name)
		switch {
		case errors.Is(err, detectors.ErrUnknown):
			return nil, console.Usagef("--detector: %w", err)
		case errors.Is(err, detectors.ErrRule):
			return nil, console.Usagef("--without: %w", err)
		case err != nil:
			return nil, console.Usagef("--weights: %w", err)
		}
		ds = append(ds, d)
	}
	return ds, nil
}

// maxFolds is the most folds that weights are looked for in.
const maxFolds = 32

// detector returns a detector by name, with weights by fold where the flag asks for them.
func (f *Flags) detector(name string) (model.Detector, error) {
	if !strings.Contains(f.Weights, "%s") {
		return detectors.ByName(name, detectors.Options{Weights: f.Weights, Without: f.Without})
	}
	var parts []model.Detector
	for k := range maxFolds {
		d, err := detectors.ByName(name, detectors.Options{Weights: strings.ReplaceAll(f.Weights, "%s", strconv.Itoa(k)), Without: f.Without})
		if k > 1 && errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, d)
	}
	return evaluate.NewFolded(parts), nil
}

// Runner returns a runner configured by the flags. Without --protocol it uses the given one.
func (f *Flags) Runner(protocol evaluate.Protocol) (*evaluate.Runner, error) {
	ds, err := f.Detectors()
	if err != nil {
		return nil, err
	}
	if f.Protocol != nil {
		protocol = *f.Protocol
	}
	return &evaluate.Runner{Detectors: ds, Protocol: protocol, Out: f.Out}, nil
}

// Classify assigns pages the classes of the file that --classes names, or of the file beside the corpus in dir.
func (f *Flags) Classify(sites []*evaluate.Site, dir string) error {
	classes, err := evaluate.ClassesFor(f.Classes, dir)
	if err != nil {
		return console.Usagef("--classes: %w", err)
	}
	if classes != nil {
		classes.Apply(sites)
	}
	return nil
}

// Print writes the results in the selected format.
func (f *Flags) Print(c *console.Console, results any, text func() error, tables func() []console.Table) error {
	switch {
	case f.JSON || f.Format == "json":
		return c.JSON(results)
	case f.Format == "markdown":
		return console.WriteMarkdown(c.Stdout, tables())
	default:
		return text()
	}
}

// PrintTable writes results that one table shows in the selected format.
func (f *Flags) PrintTable(c *console.Console, results any, table console.Table) error {
	return f.Print(c, results, func() error {
		var b strings.Builder
		table.Text(&b, c.Paint())
		_, err := io.WriteString(c.Stdout, b.String())
		return err
	}, func() []console.Table { return []console.Table{table} })
}

// Percent prints a share between 0 and 1 as a percentage.
func Percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// DetectorList has a line for each detector and each of its settings, indented so that help keeps the lines.
func DetectorList() string {
	var b strings.Builder
	for _, d := range detectors.Describe() {
		fmt.Fprintf(&b, "  %-28s %s\n", d.Name, d.About)
		for _, s := range d.Settings {
			fmt.Fprintf(&b, "  %-28s   %s\n", d.Name+":"+s.Form, s.About)
		}
	}
	return b.String()
}
