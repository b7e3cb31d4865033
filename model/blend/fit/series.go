package main

import (
	"cmp"
	"hash/fnv"
	"net/url"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// folds is the number of parts that domains are divided into: what is fitted on the others scores the rows of one. The
// last is that of the hosts that are reported on: no weights rest on them but those for all.
const (
	folds    = 4
	reported = folds - 1
)

// series is what is known of one host, in order of arrival: a site, or one single page, or several of one host.
type series struct {
	// id numbers the series.
	id int
	// name is the host's, domain the part of it that somebody registered: all hosts of a domain are in one fold.
	name, domain string
	fold         int
	corpus       corpus
	site         *evaluate.Site
	singles      []*evaluate.Single
}

// corpus says where a series comes from, for the corpora weigh the same however many pages they have.
type corpus int

const (
	archives corpus = iota // sites with selectors
	news                   // sites with gold text
	wcxb                   // single pages of seven kinds
	articles               // news of 2023
	cleanEval
	daniel // news of 2011
)

// convention is what the judges of a corpus counted as content.
func (c corpus) convention() blend.Convention {
	switch c {
	case wcxb:
		return blend.Convention{Byline: -1, Date: -1, Caption: 1, Comments: -1, Grid: 1}
	case articles:
		return blend.Convention{Byline: -1, Date: -1, Caption: -1, Comments: -1, Grid: -1}
	case cleanEval:
		return blend.Convention{Byline: 1, Date: 1, Caption: 1, Comments: 1, Grid: 1}
	case daniel, news:
		return blend.Convention{Byline: -1, Date: -1, Caption: -1, Comments: -1, Grid: -1}
	}
	return blend.Convention{}
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

// load reads all corpora. The hosts of those in report make a fold of their own.
func load(sites, singles, report string) (all []*series, err error) {
	inReport := map[string]bool{}
	for _, dir := range append(split(sites), split(report)...) {
		s, err := evaluate.LoadSites(dir)
		if err != nil {
			return nil, err
		}
		for _, x := range s {
			c := archives
			if x.HasText() {
				c = news
			}
			all = append(all, &series{name: x.ID, corpus: c, site: x})
			inReport[domainOf(x.ID)] = inReport[domainOf(x.ID)] || slices.Contains(split(report), dir)
		}
	}
	for _, dir := range split(singles) {
		s, err := evaluate.LoadSingles(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, histories(s)...)
	}
	for i, s := range all {
		s.id, s.domain = i, domainOf(s.name)
		if s.fold = foldOf(s.domain); inReport[s.domain] {
			s.fold = reported
		}
	}
	return all, nil
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// histories makes a series of the pages of each host, in order of their dates where all have one; others stay alone.
func histories(singles []*evaluate.Single) (out []*series) {
	byHost := map[string]*series{}
	for _, s := range singles {
		host := hostOf(s)
		c := corpusOf(s)
		if have := byHost[host]; have != nil && c == daniel && have.corpus == daniel {
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

func corpusOf(s *evaluate.Single) corpus {
	switch {
	case strings.HasPrefix(s.Origin, "DAnIEL"):
		return daniel
	case strings.HasPrefix(s.Origin, "CleanEval"):
		return cleanEval
	case s.Origin != "":
		return articles
	}
	return wcxb
}

// hostOf is the host that a single page came from, its id where that is not known.
func hostOf(s *evaluate.Single) string {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" {
		return s.ID
	}
	return strings.TrimPrefix(strings.ToLower(u.Host), "www.")
}

// domainOf is the registrable domain of a host, a name that is no host's as it is.
func domainOf(host string) string {
	if d, err := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(host)); err == nil {
		return d
	}
	return host
}

// foldOf is the part that a domain belongs to which is not reported on.
func foldOf(domain string) int {
	h := fnv.New32a()
	h.Write([]byte(domain))
	return int(h.Sum32() % reported)
}

// each runs work for every series, several at a time, the longest first.
func each(all []*series, work func(s *series) error) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b *series) int { return cmp.Compare(b.len(), a.len()) })
	for _, s := range order {
		g.Go(func() error { return work(s) })
	}
	return g.Wait()
}
