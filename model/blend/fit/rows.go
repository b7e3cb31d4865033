package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/blend"
)

// fitter writes rows.
type fitter struct {
	weights []*blend.Detector
	stage   int
}

// rows are those of one host, with what info says of each.
type rows struct {
	values, info []byte
	count        int
}

// writeRows writes the rows of the stage that the weights lack yet: rows.bin, info.bin, and shape.txt with the number
// of rows and the names of the features.
func writeRows(all []*series, folds int, out, weights string) error {
	f := fitter{weights: make([]*blend.Detector, folds)}
	for i := range f.weights {
		w, err := blend.LoadWeights(strings.ReplaceAll(weights, "%s", fmt.Sprint(i)))
		if err != nil {
			return err
		}
		f.weights[i], f.stage = blend.NewWith(w), w.Stages()
	}
	values, err := os.Create(filepath.Join(out, "rows.bin"))
	if err != nil {
		return err
	}
	info, err := os.Create(filepath.Join(out, "info.bin"))
	if err != nil {
		return err
	}
	count := 0
	err = each(all, f.series, func(_ *series, r *rows) error {
		count += r.count
		_, failed := values.Write(r.values)
		_, alsoFailed := info.Write(r.info)
		return errors.Join(failed, alsoFailed)
	})
	if err = errors.Join(err, values.Close(), info.Close()); err != nil {
		return err
	}
	names, full := blend.FeatureNames()
	if f.stage > 0 {
		names = full
	}
	shape := fmt.Sprintf("%d\n%s\n", count, strings.Join(names, "\n"))
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

func (f *fitter) series(s *series) (*rows, error) {
	into := &rows{}
	if f.stage == 0 {
		return into, f.first(s, into)
	}
	return into, f.second(s, into)
}

// first writes the rows of a host's pages as if each were the first.
func (f *fitter) first(s *series, into *rows) error {
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
			into.add(s, i, 0, f.sampler(s, rng), l, rng, limit)
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
func (f *fitter) second(s *series, into *rows) error {
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
			into.add(s, i, i, h, l, rng, limit)
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
		into.add(s, k, seen, h, ls[k], rng, limit)
		h.Observe(ls[k].p, s.visit(k))
		seen++
	}
	return nil
}

// infoWidth is the number of values that go with each row, see add.
const infoWidth = 8

// add appends up to limit rows of page i. info has, per row: series, fold, page, pages seen, gold share, words, rows
// of the page for each written, corpus, all float32.
func (r *rows) add(s *series, i, seen int, h *blend.Host, l *labelled, rng *rand.Rand, limit int) {
	page := h.Sample(l.p, s.visit(i))
	pick := slices.DeleteFunc(rng.Perm(len(page)), l.isUnknown)
	all := len(pick)
	pick = pick[:min(all, limit)]
	scale := float32(all) / float32(max(len(pick), 1))
	for _, b := range pick {
		r.values, _ = binary.Append(r.values, binary.LittleEndian, page[b])
		r.info, _ = binary.Append(r.info, binary.LittleEndian, [infoWidth]float32{float32(s.id), float32(s.fold), float32(i), float32(seen),
			l.gold[b], l.words[b], scale, float32(s.corpus.index)})
	}
	r.count += len(pick)
}
