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

	"github.com/winnow-proxy/winnow/model/blend"
)

// fitter writes rows.
type fitter struct {
	weights [folds]*blend.Detector
	stage   int
	mu      sync.Mutex
	rows    *bufio.Writer
	info    *bufio.Writer
	count   int
}

// writeRows writes the rows of the stage that the weights lack yet: rows.bin, info.bin, and shape.txt with the number
// of rows and the names of the features.
func writeRows(all []*series, out, weights string) error {
	var f fitter
	for i := range f.weights {
		w, err := blend.LoadWeights(strings.ReplaceAll(weights, "%s", fmt.Sprint(i)))
		if err != nil {
			return err
		}
		f.weights[i], f.stage = blend.NewWith(w), w.Stages()
	}
	rows, err := os.Create(filepath.Join(out, "rows.bin"))
	if err != nil {
		return err
	}
	info, err := os.Create(filepath.Join(out, "info.bin"))
	if err != nil {
		return err
	}
	f.rows, f.info = bufio.NewWriterSize(rows, 1<<20), bufio.NewWriterSize(info, 1<<20)
	if err := each(all, f.series); err != nil {
		return err
	}
	if err := errors.Join(f.rows.Flush(), f.info.Flush(), rows.Close(), info.Close()); err != nil {
		return err
	}
	names, full := blend.FeatureNames()
	if f.stage > 0 {
		names = full
	}
	shape := fmt.Sprintf("%d\n%s\n", f.count, strings.Join(names, "\n"))
	return os.WriteFile(filepath.Join(out, "shape.txt"), []byte(shape), 0o644)
}

// The most rows of a page, by stage: of a page of a site and of a single page.
const (
	siteRows   = 90
	singleRows = 120
	laterRows  = 70
)

// The most pages of a site that are used: for the first stage, and in order of arrival for the second.
const (
	firstPages = 12
	laterPages = 40
)

func (f *fitter) series(s *series) error {
	if f.stage == 0 {
		return f.first(s)
	}
	return f.second(s)
}

// first writes the rows of a host's pages as if each were the first.
func (f *fitter) first(s *series) error {
	rng := rand.New(rand.NewPCG(uint64(s.id), 7))
	limit := siteRows
	if s.site == nil {
		limit = singleRows
	}
	order := rng.Perm(s.len())
	for _, i := range order[:min(len(order), firstPages)] {
		l, err := s.label(i)
		if err != nil {
			return err
		}
		if l != nil {
			f.write(s, i, 0, f.sampler(s, rng), l, rng, limit)
		}
	}
	return nil
}

// sampler returns a model that has learned nothing. Every other one does not know by what convention pages were judged.
func (f *fitter) sampler(s *series, rng *rand.Rand) *blend.Host {
	c := s.corpus.convention()
	if rng.IntN(2) == 0 {
		c = blend.Convention{}
	}
	return f.weights[s.fold].Sampler(c)
}

// second writes the rows of a host's pages in order of arrival; then shuffled, with a new start every few pages, for
// the first pages of a host count as much as the later ones.
func (f *fitter) second(s *series) error {
	rng := rand.New(rand.NewPCG(uint64(s.id), 7))
	limit := laterRows
	if s.len() == 1 {
		limit = singleRows
	}
	var ls []*labelled
	for i := range min(s.len(), laterPages) {
		l, err := s.label(i)
		if err != nil {
			return err
		}
		ls = append(ls, l)
	}
	h := f.sampler(s, rng)
	for i, l := range ls {
		if l == nil {
			continue
		}
		if i < 10 || i%2 == 0 {
			f.write(s, i, i, h, l, rng, limit)
		}
		h.Observe(l.p, s.visit(i))
	}
	if len(ls) < 3 {
		return nil
	}
	order := rng.Perm(len(ls))
	seen := 0
	next := 0
	for _, k := range order[:min(len(order), 20)] {
		if ls[k] == nil {
			continue
		}
		if seen >= next {
			h = f.sampler(s, rng)
			seen, next = 0, 1+rng.IntN(10)
		}
		f.write(s, k, seen, h, ls[k], rng, limit)
		h.Observe(ls[k].p, s.visit(k))
		seen++
	}
	return nil
}

// infoWidth is the number of values that go with each row, see write.
const infoWidth = 8

// write appends up to limit rows of page i. info has, per row: series, fold, page, pages seen, gold share, words, rows
// of the page for each written, corpus, all float32.
func (f *fitter) write(s *series, i, seen int, h *blend.Host, l *labelled, rng *rand.Rand, limit int) {
	rows := h.Sample(l.p, s.visit(i))
	pick := rng.Perm(len(rows))
	if l.unknown != nil {
		known := pick[:0]
		for _, b := range pick {
			if !l.unknown[b] {
				known = append(known, b)
			}
		}
		pick = known
	}
	all := len(pick)
	pick = pick[:min(all, limit)]
	scale := float32(all) / float32(max(len(pick), 1))
	var rb, ib []byte
	for _, b := range pick {
		rb, _ = binary.Append(rb, binary.LittleEndian, rows[b])
		ib, _ = binary.Append(ib, binary.LittleEndian, [infoWidth]float32{float32(s.id), float32(s.fold), float32(i), float32(seen), l.gold[b],
			l.words[b], scale, float32(s.corpus)})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows.Write(rb) //nolint:errcheck // bufio keeps the error for Flush
	f.info.Write(ib) //nolint:errcheck // as above
	f.count += len(pick)
}
