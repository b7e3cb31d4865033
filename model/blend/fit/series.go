package main

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// series is what is known of one host, in order of arrival: a site, or one single page, or several of one host.
type series struct {
	// id numbers the series.
	id int
	// name is the host's. All hosts of a registrable domain are in one fold.
	name   string
	fold   int
	corpus *corpus
	site   *evaluate.Site
	// singles are the pages where there is no site.
	singles []*evaluate.Single
}

// len is the number of pages.
func (s *series) len() int {
	if s.site != nil {
		return len(s.site.Pages)
	}
	return len(s.singles)
}

// label reads page i with its gold, nil where it can't teach anything.
func (s *series) label(i int) (*labelled, error) {
	if s.site == nil {
		src, err := s.singles[i].Source()
		if err != nil {
			return nil, err
		}
		return labelText(src, "", s.singles[i].Gold), nil
	}
	return labelPage(s.site, s.site.Pages[i])
}

// visit says where page i was seen.
func (s *series) visit(i int) model.Visit {
	if s.site == nil {
		return model.Visit{URL: s.singles[i].URL}
	}
	return s.site.Visit(i)
}

// load reads all corpora of a configuration from the data folders.
func (c *config) load(data []string) (all []*series, err error) {
	for _, x := range c.Corpora {
		for _, name := range x.Folders {
			dir, err := find(data, name)
			if err != nil {
				return nil, err
			}
			some, err := c.loadFolder(x, dir, name)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	for i, s := range all {
		s.id, s.fold = i, evaluate.Fold(s.name, c.Folds)
	}
	return all, nil
}

func (c *config) loadFolder(x *corpus, dir, name string) (all []*series, err error) {
	if !evaluate.IsSingles(dir) {
		sites, err := evaluate.LoadSites(dir)
		for _, s := range sites {
			all = append(all, &series{name: s.ID, corpus: x, site: s})
		}
		return all, err
	}
	singles, err := evaluate.LoadSingles(dir)
	if err != nil {
		return nil, err
	}
	mine := slices.DeleteFunc(singles, func(s *evaluate.Single) bool { return c.corpusOf(s, name) != x })
	if len(mine) == 0 {
		return nil, fmt.Errorf("%s: no page of corpus %s", dir, x.Name)
	}
	return x.histories(mine), nil
}

// corpusOf is the corpus that a single page of a folder belongs to.
func (c *config) corpusOf(s *evaluate.Single, folder string) (of *corpus) {
	for _, x := range c.Corpora {
		if !slices.Contains(x.Folders, folder) || !strings.HasPrefix(s.Origin, x.Origin) {
			continue
		}
		if of == nil || len(x.Origin) > len(of.Origin) {
			of = x
		}
	}
	return of
}

// histories makes a series of the pages of each host, in order of their dates, where they are dated; others stay alone.
func (c *corpus) histories(singles []*evaluate.Single) (out []*series) {
	byHost := map[string]*series{}
	for _, s := range singles {
		host := s.Host()
		if have := byHost[host]; have != nil && c.Dated {
			have.singles = append(have.singles, s)
			continue
		}
		x := &series{name: host, corpus: c, singles: []*evaluate.Single{s}}
		byHost[host] = x
		out = append(out, x)
	}
	for _, s := range out {
		slices.SortFunc(s.singles, func(a, b *evaluate.Single) int { return cmp.Compare(a.Date, b.Date) })
	}
	return out
}

// each runs work for every series, several at a time, the longest first. It takes the outcomes one after the other, in
// the same order every time, so that a fit can be repeated exactly.
func each[T any](all []*series, work func(s *series) (T, error), take func(s *series, outcome T) error) error {
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b *series) int { return cmp.Compare(b.len(), a.len()) })
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	next, done := 0, make(map[int]T)
	for turn, s := range order {
		g.Go(func() error {
			outcome, err := work(s)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			done[turn] = outcome
			for {
				outcome, ok := done[next]
				if !ok {
					return nil
				}
				delete(done, next)
				if err := take(order[next], outcome); err != nil {
					return err
				}
				next++
			}
		})
	}
	return g.Wait()
}
