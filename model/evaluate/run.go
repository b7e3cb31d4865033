package evaluate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// Runner runs detectors over corpora. Its fields must not change while it runs.
type Runner struct {
	// Detectors run side by side: each page is read, parsed and compared with its gold once for all.
	Detectors []model.Detector
	// Protocol says what is learned before a page is marked.
	Protocol Protocol
	// Key keys the models' hashes. The zero key is good enough: nothing is stored, and figures repeat exactly.
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
	// LeftOut, when set, is called from several goroutines with each page that can't be read, is not a page or makes a
	// detector panic. The run continues. Without LeftOut, the first such page ends the run.
	LeftOut func(site, page string, err error)
}

// SiteResult is what one detector scored on the sites of a corpus.
type SiteResult struct {
	Detector string `json:"detector"`
	Summary
	Sites []SiteScore `json:"sites"`
	// Diffs are of the worst pages, the worst first.
	Diffs []*Diff `json:"diffs,omitempty"`
}

// Sites runs every detector over every site and returns one result per detector, in their order. It stops at the
// first page that can't be written, and when ctx ends. All sites must have gold.
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
func diffsOf(r SiteResult) (diffs []*Diff) {
	for _, s := range r.Sites {
		for _, p := range s.Pages {
			if p.Diff != nil && p.Gold > 0 {
				p.Diff.Site, p.Diff.Page = s.Site, p.Page
				diffs = append(diffs, p.Diff)
			}
		}
	}
	return diffs
}

// each calls work for 0..n-1 in the runner's workers.
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
	pages := make([][]PageScore, len(r.Detectors))
	err := r.walk(ctx, s, page.ModeRemove, func(i int, src []byte, outs []output) error {
		scores, err := r.score(s, i, src, outs)
		if err != nil {
			return r.leave(s.ID, s.Pages[i].ID, err)
		}
		for d := range outs {
			pages[d] = append(pages[d], scores[d])
		}
		return r.saveAll(outs, s.ID, s.Pages[i].ID)
	})
	if err != nil {
		return nil, err
	}
	out := make([]SiteScore, len(r.Detectors))
	for d := range out {
		out[d] = newSiteScore(s.ID, pages[d])
		out[d].Class = s.Class
	}
	return out, nil
}

// output is a page as one detector cleaned it.
type output struct {
	body []byte
	// passed is the reason why the body is the original, empty where it was cleaned.
	passed string
	// reading is what the detector has read of the page, for learning it.
	reading page.Reading
}

// walk goes through a site's pages in arrival order and calls visit with each page and its output from each detector,
// written in the mode. The protocol decides what the detectors have learned by then. Pages that can't be read are left
// out.
func (r *Runner) walk(ctx context.Context, s *Site, mode page.Mode, visit func(i int, src []byte, outs []output) error) error {
	hosts := make([]model.Host, len(r.Detectors))
	for d, det := range r.Detectors {
		hosts[d] = detectorFor(det, s.ID).New(r.Key)
	}
	if r.Protocol == Batch {
		if err := r.learnAll(ctx, s, hosts, mode); err != nil {
			return err
		}
	}
	for i := range s.Pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.page(s, i, hosts, mode, visit); err != nil {
			return err
		}
		if r.Progress != nil {
			r.Progress(s.ID, s.Pages[i].ID)
		}
	}
	return nil
}

// learnAll lets the hosts observe every page of the site. Pages are parsed again when they are marked, because keeping
// them would cost too much memory. Pages that can't be read or learned are reported then.
func (r *Runner) learnAll(ctx context.Context, s *Site, hosts []model.Host, mode page.Mode) error {
	for i, pg := range s.Pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		src, err := readPage(pg.File)
		if err != nil {
			continue
		}
		p, err := parsed(src, pg.ContentType, mode)
		if err != nil {
			continue
		}
		if err := r.observe(hosts, p, s.Visit(i), nil); err != nil {
			if err := r.leave(s.ID, pg.ID, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// observe lets every host learn a page; outs are their outputs for it, if they have just marked it. If one panics, the
// others still learn.
func (r *Runner) observe(hosts []model.Host, p *page.Page, v model.Visit, outs []output) (err error) {
	for d, h := range hosts {
		if outs != nil {
			v.Reading = outs[d].reading
		}
		err = errors.Join(err, contained(r.Detectors[d].Name(), func() { h.Observe(p, v) }))
	}
	if err != nil {
		return fmt.Errorf("not learned: %w", err)
	}
	return nil
}

// page cleans one page with each host. Afterwards it learns the page if the protocol says so.
func (r *Runner) page(s *Site, i int, hosts []model.Host, mode page.Mode, visit func(int, []byte, []output) error) error {
	pg := s.Pages[i]
	src, err := readPage(pg.File)
	if err != nil {
		return r.leave(s.ID, pg.ID, err)
	}
	p, parseErr := parsed(src, pg.ContentType, mode)
	outs := make([]output, len(hosts))
	for d, h := range hosts {
		broke := contained(r.Detectors[d].Name(), func() { outs[d] = cleaned(h, s.Visit(i), src, p, parseErr, mode) })
		err = errors.Join(err, broke)
	}
	if err == nil {
		if err := visit(i, src, outs); err != nil {
			return err
		}
	}
	if r.Protocol == Online && parseErr == nil {
		err = errors.Join(err, r.observe(hosts, p, s.Visit(i), outs))
	}
	if err != nil {
		return r.leave(s.ID, pg.ID, err)
	}
	return nil
}

// score compares each detector's output for a page with the gold.
func (r *Runner) score(s *Site, i int, src []byte, outs []output) ([]PageScore, error) {
	ref, err := newReference(src, s.Pages[i].ContentType, s.gold)
	if err != nil {
		return nil, err
	}
	ref.diff = r.Worst > 0
	scores := make([]PageScore, len(outs))
	for d, out := range outs {
		if scores[d], err = ref.score(out.body); err != nil {
			return nil, err
		}
		scores[d].Page, scores[d].Passed = s.Pages[i].ID, out.passed
	}
	return scores, nil
}

// parsed reads a page for an output in a mode.
func parsed(src []byte, contentType string, mode page.Mode) (*page.Page, error) {
	p, err := page.Parse(src, contentType)
	if err != nil {
		return nil, err
	}
	return write.Form{Mode: mode}.Basis(context.Background(), p), nil
}

// cleaned returns the page as a client would get it in the mode: without its noise, or the original bytes and the
// reason. In a mode other than HTML, a page that passes is written whole.
func cleaned(h model.Host, v model.Visit, src []byte, p *page.Page, parseErr error, mode page.Mode) output {
	if parseErr != nil {
		return output{body: src, passed: "parse: " + parseErr.Error()}
	}
	m := h.Mark(p, v)
	reading := m.Reading
	if m.Pass != "" {
		if mode == page.ModeRemove {
			return output{src, m.Pass, reading}
		}
		m = &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Pass: m.Pass}
	}
	out, err := write.Page(p, m, mode)
	if err != nil {
		return output{src, "write: " + err.Error(), reading}
	}
	return output{out.Body, m.Pass, reading}
}

// saveAll writes each detector's output for a page. name is the path below the detector's folder, without extension.
func (r *Runner) saveAll(outs []output, name ...string) error {
	for d, out := range outs {
		if err := r.save(out.body, d, ".html", name...); err != nil {
			return err
		}
	}
	return nil
}

// save writes the output of detector d under a name with an extension.
func (r *Runner) save(body []byte, d int, extension string, name ...string) error {
	if r.Out == "" {
		return nil
	}
	dir := r.Out
	if len(r.Detectors) > 1 {
		dir = filepath.Join(dir, folderName(r.Detectors[d].Name()))
	}
	file := filepath.Join(append([]string{dir}, name...)...) + extension
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, body, 0o644)
}

// folderName is the detector's name with its settings ("purify:beta=0.65") in a form that every system allows for
// folders.
func folderName(detector string) string { return strings.ReplaceAll(detector, ":", "-") }
