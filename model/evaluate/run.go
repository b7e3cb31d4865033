package evaluate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Runner runs detectors over corpora. Its fields are read only while it runs.
type Runner struct {
	// Detectors are run side by side: a page is read, parsed and its gold found once for all.
	Detectors []model.Detector
	// Protocol says what is learned before a page is judged.
	Protocol Protocol
	// Key keys the models' hashes. The zero key serves: nothing is stored, and figures repeat exactly.
	Key model.Key
	// Out, when not empty, is the folder that cleaned pages go to: Out/<site>/<page>.html, or
	// Out/<detector>/<site>/<page>.html with more than one detector.
	Out string
	// Worst is the number of pages of each detector, the worst, whose differences from the gold are collected.
	Worst int
	// Workers is the number of sites worked on at once, GOMAXPROCS when 0.
	Workers int
	// Progress, when set, is called after each page, from several goroutines.
	Progress func(site, page string)
}

// SiteResult is what one detector scored on the sites of a corpus.
type SiteResult struct {
	Detector string `json:"detector"`
	Summary
	Sites []SiteScore `json:"sites"`
	// Diffs are of the worst pages, the worst first.
	Diffs []Diff `json:"diffs,omitempty"`
}

// Sites runs every detector over every site and returns one result per detector, in their order. It stops at the
// first page that can't be read or written, and when ctx ends.
func (r *Runner) Sites(ctx context.Context, sites []*Site) ([]SiteResult, error) {
	scores := make([][]SiteScore, len(sites))
	err := r.each(ctx, len(sites), func(ctx context.Context, i int) (err error) {
		scores[i], err = r.site(ctx, sites[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	results := make([]SiteResult, len(r.Detectors))
	for d, det := range r.Detectors {
		results[d].Detector = det.Name()
		for i := range sites {
			results[d].Sites = append(results[d].Sites, scores[i][d])
		}
		results[d].Summary = Summarize(results[d].Sites)
		results[d].Diffs = worst(diffsOf(results[d]), r.Worst)
	}
	return results, nil
}

// diffsOf collects the diffs of pages that have gold.
func diffsOf(r SiteResult) (diffs []Diff) {
	for _, s := range r.Sites {
		for _, p := range s.Pages {
			if p.Diff != nil && p.Gold > 0 {
				p.Diff.Site, p.Diff.Page = s.Site, p.Page
				diffs = append(diffs, *p.Diff)
			}
		}
	}
	return diffs
}

// each calls work for 0..n-1 on the runner's workers.
func (r *Runner) each(ctx context.Context, n int, work func(context.Context, int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, r.Workers))
	if r.Workers <= 0 {
		g.SetLimit(runtime.GOMAXPROCS(0))
	}
	for i := range n {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return work(ctx, i)
		})
	}
	return g.Wait()
}

// site runs the detectors over one site and returns a score for each.
func (r *Runner) site(ctx context.Context, s *Site) ([]SiteScore, error) {
	hosts := make([]model.Host, len(r.Detectors))
	for d, det := range r.Detectors {
		hosts[d] = det.New(r.Key)
	}
	if r.Protocol == Batch {
		if err := learnAll(ctx, s, hosts); err != nil {
			return nil, err
		}
	}
	pages := make([][]PageScore, len(hosts))
	for i := range s.Pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		scores, err := r.page(s, i, hosts)
		if err != nil {
			return nil, fmt.Errorf("%s, page %s: %w", s.ID, s.Pages[i].ID, err)
		}
		for d := range hosts {
			pages[d] = append(pages[d], scores[d])
		}
		if r.Progress != nil {
			r.Progress(s.ID, s.Pages[i].ID)
		}
	}
	out := make([]SiteScore, len(hosts))
	for d := range hosts {
		out[d] = newSiteScore(s.ID, pages[d])
	}
	return out, nil
}

// learnAll lets the hosts observe every page of the site. Pages are parsed again when they are judged: keeping them
// would cost more memory than parsing costs time.
func learnAll(ctx context.Context, s *Site, hosts []model.Host) error {
	for i, pg := range s.Pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		src, err := os.ReadFile(pg.File)
		if err != nil {
			return err
		}
		if p, err := page.Parse(src, pg.ContentType); err == nil {
			observeAll(hosts, p, s.visit(i))
		}
	}
	return nil
}

func observeAll(hosts []model.Host, p *page.Page, v model.Visit) {
	for _, h := range hosts {
		h.Observe(p, v)
	}
}

// page cleans and scores one page with each host, and learns it afterwards where the protocol says so.
func (r *Runner) page(s *Site, i int, hosts []model.Host) ([]PageScore, error) {
	pg := s.Pages[i]
	src, err := os.ReadFile(pg.File)
	if err != nil {
		return nil, err
	}
	ref, err := newReference(src, pg.ContentType, s.gold)
	if err != nil {
		return nil, err
	}
	ref.diff = r.Worst > 0
	p, parseErr := page.Parse(src, pg.ContentType)
	scores := make([]PageScore, len(hosts))
	for d, h := range hosts {
		body, passed := cleaned(h, s.visit(i), src, p, parseErr)
		if scores[d], err = ref.score(body); err != nil {
			return nil, err
		}
		scores[d].Page, scores[d].Passed = pg.ID, passed
		if err := r.save(body, d, s.ID, pg.ID); err != nil {
			return nil, err
		}
	}
	if r.Protocol == Online && parseErr == nil {
		observeAll(hosts, p, s.visit(i))
	}
	return scores, nil
}

// cleaned returns the page as the client would get it: without its noise, or the origin's bytes and the reason.
func cleaned(h model.Host, v model.Visit, src []byte, p *page.Page, parseErr error) (body []byte, passed string) {
	if parseErr != nil {
		return src, "parse: " + parseErr.Error()
	}
	m := h.Mark(p, v)
	if m.Pass != "" {
		return src, m.Pass
	}
	out, err := page.Write(p, m, page.ModeRemove)
	if err != nil {
		return src, "write: " + err.Error()
	}
	return out.Body, ""
}

// save writes the output of detector d. name is the path below its folder, without extension.
func (r *Runner) save(body []byte, d int, name ...string) error {
	if r.Out == "" {
		return nil
	}
	dir := r.Out
	if len(r.Detectors) > 1 {
		dir = filepath.Join(dir, r.Detectors[d].Name())
	}
	file := filepath.Join(append([]string{dir}, name...)...) + ".html"
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, body, 0o644)
}
