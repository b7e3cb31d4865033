package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

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
// rows of the page for each written, all float32.
func (f *fitter) write(id, fold, pageID, seen int, h *blend.Host, l *labelled, rng *rand.Rand, limit int) {
	rows := h.Sample(l.p)
	pick := rng.Perm(len(rows))[:min(len(rows), limit)]
	scale := float32(len(rows)) / float32(max(len(pick), 1))
	var rb, ib []byte
	for _, i := range pick {
		rb, _ = binary.Append(rb, binary.LittleEndian, rows[i])
		ib, _ = binary.Append(ib, binary.LittleEndian, []float32{float32(id), float32(fold), float32(pageID), float32(seen), l.gold[i], l.words[i], scale})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows.Write(rb) //nolint:errcheck // bufio keeps the error for Flush
	f.info.Write(ib) //nolint:errcheck // as above
	f.count += len(pick)
}
