package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

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
	weights string
	// fold is the only one that is judged, negative for all.
	fold int
	// like names the corpus whose convention pages are judged by, empty for none.
	like string
	// tune changes the decision first.
	tune func(*blend.Weights)

	detectors [folds]*blend.Detector
	mu        sync.Mutex
	// sums are by corpus and range of arrival, hosts the means of the series.
	sums     map[string]map[string]*sum
	hosts    []hostScore
	outcomes []outcome
}

type hostScore struct {
	name string
	mean float64
}

// sum is a mean of figures over hosts, or over pages.
type sum struct{ n, f1, p, r, with, without float64 }

func (s *sum) add(o sum) {
	s.n += o.n
	s.f1 += o.f1
	s.p += o.p
	s.r += o.r
	s.with += o.with
	s.without += o.without
}

// mean is the sum over what it is of, as one.
func (s sum) mean() sum {
	n := max(s.n, 1)
	return sum{1, s.f1 / n, s.p / n, s.r / n, s.with / n, s.without / n}
}

func (c corpus) String() string {
	return [...]string{"archives", "news", "wcxb", "articles", "cleaneval", "daniel"}[c]
}

func (s *scorer) score(all []*series) error {
	s.sums = map[string]map[string]*sum{}
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
		for c := archives; c <= daniel; c++ {
			if c.String() == s.like {
				s.detectors[k] = s.detectors[k].Judging(c.convention())
			}
		}
		if c := (blend.Convention{}); strings.Contains(s.like, ",") {
			if _, err := fmt.Sscanf(s.like, "%f,%f,%f,%f,%f", &c.Byline, &c.Date, &c.Caption, &c.Comments, &c.Grid); err != nil {
				return fmt.Errorf("-like %s: %w", s.like, err)
			}
			s.detectors[k] = s.detectors[k].Judging(c)
		}
	}
	if err := each(all, s.series); err != nil {
		return err
	}
	slices.SortFunc(s.hosts, func(a, b hostScore) int { return cmp.Compare(a.mean, b.mean) })
	for _, h := range s.hosts[:min(worst, len(s.hosts))] {
		fmt.Fprintf(s.w, "%-40s %.4f\n", h.name, h.mean)
	}
	for c := archives; c <= daniel; c++ {
		for _, bucket := range []string{"1", "2-5", "6-10", "11-20", "21+", "all"} {
			if m := s.sums[c.String()][bucket]; m != nil {
				x := m.mean()
				fmt.Fprintf(s.w, "%-10s %-6s n %5.0f  F %.4f  P %.4f  R %.4f  with %.4f  without %.4f\n", c, bucket, m.n, x.f1, x.p, x.r, x.with, x.without)
			}
		}
	}
	return nil
}

// series judges the pages of one host in order of arrival.
func (s *scorer) series(x *series) error {
	h := s.detectors[x.fold].New(model.Key{})
	buckets := map[string]*sum{}
	var outcomes []outcome
	for i := range x.len() {
		l, err := x.label(i)
		if err != nil {
			return err
		}
		if l == nil {
			continue
		}
		m := h.Mark(l.p, x.visit(i))
		page, err := x.compare(i, l, m)
		if err != nil {
			return err
		}
		if m.Pass == "" {
			outcomes = append(outcomes, outcome{float64(m.Confidence), page.f1, 1 / math.Sqrt(float64(x.len())), x.fold})
		}
		for _, b := range []string{evaluate.BucketNames()[evaluate.BucketOf(i)], "all"} {
			if buckets[b] == nil {
				buckets[b] = &sum{}
			}
			buckets[b].add(page)
		}
		h.Observe(l.p, x.visit(i))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcomes = append(s.outcomes, outcomes...)
	for b, m := range buckets {
		of := s.sums[x.corpus.String()]
		if of == nil {
			of = map[string]*sum{}
			s.sums[x.corpus.String()] = of
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
	if m := buckets["all"]; m != nil && x.site != nil {
		s.hosts = append(s.hosts, hostScore{x.name, m.f1 / m.n})
	}
	return nil
}

// compare scores what is kept of page i: by words of blocks for archives, by ROUGE-L where the gold is text, and for
// WCXB by words.
func (s *series) compare(i int, l *labelled, m *page.Marking) (sum, error) {
	if s.corpus == archives || l.onlyFacts {
		return l.compare(m), nil
	}
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
	var b []byte
	for k := range l.p.Blocks {
		if m.Pass != "" || !m.Verdicts[k].Noise {
			b = append(l.p.BlockText(b, page.BlockID(k)), '\n')
		}
	}
	sc := evaluate.ScoreText(gold, string(b))
	out := sum{n: 1, f1: sc.RougeL, p: sc.P, r: sc.R, with: 1}
	if s.corpus == wcxb {
		out.f1 = sc.WordF1
	}
	if len(with) > 0 {
		out.with = evaluate.ShareFound(string(b), with)
	}
	if len(without) > 0 {
		out.without = evaluate.ShareFound(string(b), without)
	}
	return out, nil
}

// compare scores a marking by the words of the blocks.
func (l *labelled) compare(m *page.Marking) sum {
	var kept, hit, gold float64
	for b, v := range m.Verdicts {
		if l.isUnknown(page.BlockID(b)) {
			continue
		}
		w := float64(l.words[b])
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
	return out
}
