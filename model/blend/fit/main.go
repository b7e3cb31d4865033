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
	"bufio"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/model/page"
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

// fitter writes rows.
type fitter struct {
	weights [folds]*blend.Weights
	stage   int
	mu      sync.Mutex
	rows    *bufio.Writer
	info    *bufio.Writer
	count   int
}

func writeRows(c corpora, out, weights string) error {
	var f fitter
	for i := range f.weights {
		var err error
		if f.weights[i], err = blend.LoadWeights(strings.ReplaceAll(weights, "%s", fmt.Sprint(i))); err != nil {
			return err
		}
	}
	f.stage = f.weights[0].Stages()
	rows, err := os.Create(filepath.Join(out, "rows.bin"))
	if err != nil {
		return err
	}
	info, err := os.Create(filepath.Join(out, "info.bin"))
	if err != nil {
		return err
	}
	f.rows, f.info = bufio.NewWriterSize(rows, 1<<20), bufio.NewWriterSize(info, 1<<20)
	if err := c.each(f.site, f.single); err != nil {
		return err
	}
	if err := errors.Join(f.rows.Flush(), f.info.Flush(), rows.Close(), info.Close()); err != nil {
		return err
	}
	shape := fmt.Sprintf("%d %d\n", f.count, blend.Widths()[f.stage])
	return os.WriteFile(filepath.Join(out, "shape.txt"), []byte(shape), 0o644)
}

type labelled struct {
	p     *page.Page
	gold  []float32 // share of gold words per block
	words []float32
	// single says that the gold is text that was aligned, and not a selection of elements.
	single bool
}

func label(s *evaluate.Site, pg evaluate.Page) (*labelled, error) {
	src, err := os.ReadFile(pg.File)
	if err != nil {
		return nil, err
	}
	p, err := page.Parse(src, pg.ContentType)
	if err != nil {
		return nil, nil
	}
	in, err := s.GoldElements(src, pg.ContentType)
	if err != nil {
		return nil, err
	}
	if len(in) != len(p.Elements) {
		return nil, nil
	}
	l := &labelled{p: p, gold: make([]float32, len(p.Blocks)), words: make([]float32, len(p.Blocks))}
	any := false
	for i, b := range p.Blocks {
		g, n := 0, 0
		for _, t := range p.Texts[b.TextStart:b.TextEnd] {
			if t.Block != page.BlockID(i) {
				continue
			}
			w := 0
			for range page.Words(t.Data) {
				w++
			}
			n += w
			if in[t.Parent] {
				g += w
			}
		}
		l.words[i] = float32(n)
		if n > 0 {
			l.gold[i] = float32(g) / float32(n)
		} else if in[p.Blocks[i].Element] {
			l.gold[i] = 1
		}
		any = any || g > 0
	}
	if !any {
		return nil, nil
	}
	return l, nil
}

func (f *fitter) site(id int, s *evaluate.Site) error {
	var ls []*labelled
	for _, pg := range s.Pages {
		l, err := label(s, pg)
		if err != nil {
			return err
		}
		if l != nil {
			ls = append(ls, l)
		}
	}
	fold := foldOf(s.ID)
	w := f.weights[fold]
	rng := rand.New(rand.NewPCG(uint64(id), 7))
	if f.stage == 0 {
		h := blend.NewSampler(w)
		for i, l := range ls {
			f.write(id, fold, i, 0, h, l, rng, 120)
		}
		return nil
	}
	// The pages in order of arrival; then shuffled, with a new start every few pages, for the first pages of a host
	// count as much as the later ones.
	h := blend.NewSampler(w)
	for i, l := range ls {
		if i < 10 || i%2 == 0 {
			f.write(id, fold, i, i, h, l, rng, 80)
		}
		h.Observe(l.p, visit(i))
	}
	order := rng.Perm(len(ls))
	seen := 0
	next := 0
	for _, k := range order[:min(len(order), 24)] {
		if seen >= next {
			h = blend.NewSampler(w)
			seen, next = 0, 1+rng.IntN(10)
		}
		f.write(id, fold, k, seen, h, ls[k], rng, 80)
		h.Observe(ls[k].p, visit(k))
		seen++
	}
	return nil
}

func visit(i int) model.Visit { return model.Visit{URL: fmt.Sprintf("http://host/%d", i)} }

func (f *fitter) single(id int, s *evaluate.Single) error {
	l, host, err := labelSingle(s)
	if err != nil || l == nil {
		return err
	}
	fold := foldOf(host)
	w := f.weights[fold]
	f.write(id, fold, 0, 0, blend.NewSampler(w), l, rand.New(rand.NewPCG(uint64(id), 9)), 150)
	return nil
}

// write appends up to limit rows of one page. info has, per row: site, fold, page, pages seen, gold share, words,
// rows of the page for each written, and 1 for a single page, all float32.
func (f *fitter) write(id, fold, pageID, seen int, h *blend.Host, l *labelled, rng *rand.Rand, limit int) {
	rows := h.Sample(l.p)
	single := float32(0)
	if l.single {
		single = 1
	}
	pick := rng.Perm(len(rows))[:min(len(rows), limit)]
	scale := float32(len(rows)) / float32(max(len(pick), 1))
	var rb, ib []byte
	for _, i := range pick {
		rb, _ = binary.Append(rb, binary.LittleEndian, rows[i])
		ib, _ = binary.Append(ib, binary.LittleEndian, []float32{float32(id), float32(fold), float32(pageID), float32(seen), l.gold[i], l.words[i], scale, single})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows.Write(rb)
	f.info.Write(ib)
	f.count += len(pick)
}
