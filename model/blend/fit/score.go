package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/model/page"
)

// worst is how many series score lists.
const worst = 12

// scorer prints how weights do, each host judged by those that were fitted without its fold; weights without %s in
// their name judge all. Figures are of blocks, which takes a fraction of the time that writing and reading pages does:
// winnow eval has the exact ones.
type scorer struct {
	w       io.Writer
	config  *config
	weights string
	// fold is the only one that is judged, negative for all.
	fold int
	// tune changes the decision first.
	tune func(*blend.Weights)

	detectors []*blend.Detector
	// sums are by corpus and range of arrival, hosts the means of the series.
	sums     map[string]map[string]*sum
	hosts    []hostScore
	outcomes []outcome
}

type hostScore struct {
	name       string
	pages      float64
	mean, cold float64
}

// sum is a mean of figures over hosts, or over pages. cold is F1 with each page as if it were its host's first.
type sum struct{ n, f1, p, r, with, without, cold float64 }

func (s *sum) add(o sum) {
	s.n += o.n
	s.f1 += o.f1
	s.p += o.p
	s.r += o.r
	s.with += o.with
	s.without += o.without
	s.cold += o.cold
}

// mean is the sum over what it is of, as one.
func (s sum) mean() sum {
	n := max(s.n, 1)
	return sum{1, s.f1 / n, s.p / n, s.r / n, s.with / n, s.without / n, s.cold / n}
}

func (s *scorer) score(all []*series) error {
	s.sums = map[string]map[string]*sum{}
	s.detectors = make([]*blend.Detector, s.config.Folds)
	for k := range s.detectors {
		if s.fold >= 0 && k != s.fold {
			continue
		}
		w, err := blend.LoadWeights(strings.ReplaceAll(s.weights, "%s", strconv.Itoa(k)))
		if err != nil {
			return err
		}
		s.tune(w)
		s.detectors[k] = blend.NewWith(w)
	}
	if err := each(all, s.series, s.take); err != nil {
		return err
	}
	slices.SortFunc(s.hosts, func(a, b hostScore) int { return cmp.Compare(a.mean, b.mean) })
	for _, h := range s.hosts[:min(worst, len(s.hosts))] {
		fmt.Fprintf(s.w, "%-40s %.4f\n", h.name, h.mean)
	}
	slices.SortFunc(s.hosts, func(a, b hostScore) int { return cmp.Compare(a.mean-a.cold, b.mean-b.cold) })
	for _, h := range s.hosts {
		if h.pages >= 10 && h.mean < h.cold-.005 {
			fmt.Fprintf(s.w, "history costs %-40s %+.4f\n", h.name, h.mean-h.cold)
		}
	}
	for _, c := range s.config.Corpora {
		for _, bucket := range []string{"1", "2-5", "6-10", "11-20", "21+", "all"} {
			if m := s.sums[c.Name][bucket]; m != nil {
				x := m.mean()
				fmt.Fprintf(s.w, "%-10s %-6s n %5.0f  F %.4f  P %.4f  R %.4f  with %.4f  without %.4f  cold %.4f  gain %+.4f\n",
					c.Name, bucket, m.n, x.f1, x.p, x.r, x.with, x.without, x.cold, x.f1-x.cold)
			}
		}
	}
	return nil
}

// writeFigures writes F1 (or ROUGE-L, or the share of facts) by corpus and range of arrival.
func (s *scorer) writeFigures(file string) error {
	if file == "" {
		return nil
	}
	type figure struct {
		F1   float64 `json:"f1"`
		Cold float64 `json:"cold"`
	}
	figures := map[string]map[string]figure{}
	for c, by := range s.sums {
		figures[c] = map[string]figure{}
		for bucket, m := range by {
			x := m.mean()
			figures[c][bucket] = figure{rounded(x.f1), rounded(x.cold)}
		}
	}
	var rows strings.Builder
	for _, h := range s.hosts {
		fmt.Fprintf(&rows, "%s\t%.0f\t%.4f\t%.4f\n", h.name, h.pages, h.mean, h.cold)
	}
	if err := os.WriteFile(file+".hosts", []byte(rows.String()), 0o644); err != nil {
		return err
	}
	b, err := json.MarshalIndent(figures, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}

func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// hostOutcome is how the pages of one host were judged, by range of arrival.
type hostOutcome struct {
	buckets  map[string]*sum
	outcomes []outcome
}

// series judges the pages of one host in order of arrival.
func (s *scorer) series(x *series) (out hostOutcome, err error) {
	d := s.detectors[x.fold]
	h := d.New(model.Key{})
	out.buckets = map[string]*sum{}
	for i := range x.len() {
		l, err := x.label(i)
		if err != nil {
			return out, err
		}
		if l == nil {
			continue
		}
		m := h.Mark(l.p, x.visit(i))
		score, err := x.compare(i, l, m)
		if err != nil {
			return out, err
		}
		if m.Pass == "" && !l.onlyFacts {
			out.outcomes = append(out.outcomes, outcome{float64(m.Confidence), score.f1, 1 / math.Sqrt(float64(x.len())), x.fold})
		}
		if score.cold = score.f1; m.Pages > 0 {
			cold, err := x.compare(i, l, d.New(model.Key{}).Mark(l.p, x.visit(i)))
			if err != nil {
				return out, err
			}
			score.cold = cold.f1
		}
		for _, b := range []string{evaluate.BucketNames()[evaluate.BucketOf(i)], "all"} {
			if out.buckets[b] == nil {
				out.buckets[b] = &sum{}
			}
			out.buckets[b].add(score)
		}
		v := x.visit(i)
		v.Reading = m.Reading
		h.Observe(l.p, v)
	}
	return out, nil
}

// take adds the outcome of a host.
func (s *scorer) take(x *series, out hostOutcome) error {
	s.outcomes = append(s.outcomes, out.outcomes...)
	for b, m := range out.buckets {
		of := s.sums[x.corpus.Name]
		if of == nil {
			of = map[string]*sum{}
			s.sums[x.corpus.Name] = of
		}
		if of[b] == nil {
			of[b] = &sum{}
		}
		if x.site == nil {
			of[b].add(*m)
		} else {
			of[b].add(m.mean())
		}
	}
	if m := out.buckets["all"]; m != nil && x.site != nil {
		s.hosts = append(s.hosts, hostScore{x.corpus.Name + " " + x.name, m.n, m.f1 / m.n, m.cold / m.n})
	}
	return nil
}

// compare scores what is kept of page i: by words of blocks for archives, by ROUGE-L where the gold is text, by words
// for the corpus that is published so, by the share of the known blocks that are right where only facts are known.
func (s *series) compare(i int, l *labelled, m *page.Marking) (sum, error) {
	var gold string
	var with, without []string
	if s.site != nil {
		text, err := s.site.Pages[i].Text()
		if err != nil {
			return sum{}, err
		}
		gold = text
	} else {
		gold, with, without = s.singles[i].Gold, s.singles[i].With, s.singles[i].Without
	}
	if gold == "" {
		return l.compare(m), nil
	}
	var b []byte
	for k := range l.p.Blocks {
		if m.Pass != "" || !m.Verdicts[k].Noise {
			b = append(l.p.BlockText(b, page.BlockID(k)), '\n')
		}
	}
	sc := evaluate.ScoreText(gold, string(b))
	out := sum{n: 1, f1: sc.RougeL, p: sc.P, r: sc.R, with: 1}
	if with != nil {
		out.f1, out.with = sc.WordF1, evaluate.ShareFound(string(b), with)
	}
	if len(without) > 0 {
		out.without = evaluate.ShareFound(string(b), without)
	}
	return out, nil
}

// compare scores a marking by the words of the blocks. Where only facts are known, F1 is the share of their blocks that
// is kept.
func (l *labelled) compare(m *page.Marking) sum {
	var kept, hit, gold float64
	for b, v := range m.Verdicts {
		if l.isUnknown(b) {
			continue
		}
		w := float64(l.words[b])
		if l.onlyFacts {
			w = 1
		}
		g := w * float64(l.gold[b])
		gold += g
		if !v.Noise || m.Pass != "" {
			kept += w
			hit += g
		}
	}
	out := sum{n: 1}
	if hit > 0 {
		out.p, out.r = hit/kept, hit/gold
		out.f1 = 2 * out.p * out.r / (out.p + out.r)
	}
	if l.onlyFacts {
		out.f1 = out.r
	}
	return out
}
