package evaluate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/cssrules"
	"github.com/winnow-proxy/winnow/model/page"
)

// RuleScore compares what the rules from a site's first pages leave of its later pages with what the detector leaves
// that learned the same pages. The figures are means of F1 over the later pages.
type RuleScore struct {
	Site string `json:"site"`
	// Learned is the number of pages that were learned, Pages that of those in the means.
	Learned int `json:"learned"`
	Pages   int `json:"pages"`
	// Own is the detector's figure. Hide is that of a page without what the rules hide, Hold that of the content which
	// they hold, without what they strip from it.
	Own  float64 `json:"own"`
	Hide float64 `json:"hide"`
	Hold float64 `json:"hold"`
	// Rules are the rules.
	Rules *cssrules.Report `json:"rules"`
}

// RulesNear is how close to the detector's figure a figure of rules is called near.
const RulesNear = .02

// TemplateRules learns the first pages of each site, makes rules of them and compares both on the pages after. It
// measures the first detector.
func (r *Runner) TemplateRules(ctx context.Context, sites []*Site, learned int) ([]RuleScore, error) {
	scores := make([]RuleScore, len(sites))
	err := r.each(ctx, len(sites), func(ctx context.Context, i int) (err error) {
		scores[i], err = r.rulesOf(ctx, sites[i], learned)
		return err
	})
	return scores, err
}

// rulesOf measures one site.
func (r *Runner) rulesOf(ctx context.Context, s *Site, learned int) (score RuleScore, err error) {
	if len(s.Pages) <= learned {
		return score, fmt.Errorf("%s: %d pages leave none to measure on after %d", s.ID, len(s.Pages), learned)
	}
	host := detectorFor(r.Detectors[0], s.ID).New(r.Key)
	samples, err := r.samples(ctx, s, host, learned)
	if err != nil {
		return score, err
	}
	score = RuleScore{Site: s.ID, Learned: len(samples)}
	if score.Rules, err = cssrules.Make(ctx, samples); err != nil {
		return score, fmt.Errorf("%s: %w", s.ID, err)
	}
	applied, err := compileRules(score.Rules)
	if err != nil {
		return score, fmt.Errorf("%s: %w", s.ID, err)
	}
	for i := learned; i < len(s.Pages) && ctx.Err() == nil; i++ {
		if err := score.page(r, s, i, host, applied); err != nil {
			return score, fmt.Errorf("%s: %w", s.ID, err)
		}
		r.step(s, i)
	}
	if n := float64(score.Pages); n > 0 {
		score.Own, score.Hide, score.Hold = score.Own/n, score.Hide/n, score.Hold/n
	}
	return score, ctx.Err()
}

// samples lets the host learn the first pages, and marks them with what it has learned then.
func (r *Runner) samples(ctx context.Context, s *Site, host model.Host, learned int) (samples []cssrules.Sample, err error) {
	pages := make([]*page.Page, learned)
	for i, pg := range s.Pages[:learned] {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		src, err := readPage(pg.File)
		if err == nil {
			pages[i], err = page.Parse(src, pg.ContentType)
		}
		if err != nil {
			if err := r.leave(s.ID, pg.ID, err); err != nil {
				return nil, err
			}
			continue
		}
		host.Observe(pages[i], s.Visit(i))
	}
	for i, p := range pages {
		if p == nil {
			continue
		}
		if m := host.Mark(p, s.Visit(i)); m.Pass == "" {
			samples = append(samples, cssrules.NewSample(p, m))
		}
		r.step(s, i)
	}
	return samples, nil
}

func (r *Runner) step(s *Site, i int) {
	if r.Progress != nil {
		r.Progress(s.ID, s.Pages[i].ID)
	}
}

// page adds the figures of one page.
func (score *RuleScore) page(r *Runner, s *Site, i int, host model.Host, rules appliedRules) error {
	pg := s.Pages[i]
	src, err := readPage(pg.File)
	if err != nil {
		return r.leave(s.ID, pg.ID, err)
	}
	ref, err := newReference(src, pg.ContentType, s.gold)
	if err != nil {
		return r.leave(s.ID, pg.ID, err)
	}
	if len(ref.gold) == 0 {
		return nil
	}
	doc, err := html.Parse(bytes.NewReader(toUTF8(src, pg.ContentType)))
	if err != nil {
		return r.leave(s.ID, pg.ID, err)
	}
	p, err := page.Parse(src, pg.ContentType)
	own, ownErr := ref.score(cleaned(host, s.Visit(i), src, p, err, page.ModeRemove).body)
	if ownErr != nil {
		return r.leave(s.ID, pg.ID, errors.Join(err, ownErr))
	}
	score.Pages++
	score.Own += own.F1
	score.Hide += ref.scoreText(rules.hidden(doc)).F1
	score.Hold += ref.scoreText(rules.held(doc)).F1
	return nil
}

// appliedRules are rules for the selector engine that reads the gold too.
type appliedRules struct{ hide, hold, strip []cascadia.Sel }

func compileRules(r *cssrules.Report) (a appliedRules, err error) {
	for _, list := range []struct {
		from cssrules.Set
		to   *[]cascadia.Sel
	}{{r.Hide, &a.hide}, {r.Hold, &a.hold}, {r.Strip, &a.strip}} {
		var css []string
		for _, rule := range list.from.Rules {
			css = append(css, rule.CSS)
		}
		if *list.to, err = compile(css); err != nil {
			return a, err
		}
	}
	return a, nil
}

// hidden is the text of a page without what the rules hide.
func (a appliedRules) hidden(doc *html.Node) string { return visibleText(doc, matchesOf(doc, a.hide)) }

// held is the text of what the rules hold, without what they strip, match after match, as feed readers put it together.
func (a appliedRules) held(doc *html.Node) string {
	var b strings.Builder
	holds, strips := matchesOf(doc, a.hold), matchesOf(doc, a.strip)
	for n := range doc.Descendants() {
		if holds[n] && !strips[n] {
			appendVisible(&b, n, strips)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// matchesOf returns the elements of a document that selectors match.
func matchesOf(doc *html.Node, sels []cascadia.Sel) map[*html.Node]bool {
	found := map[*html.Node]bool{}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && matchAny(sels, n) {
			found[n] = true
		}
	}
	return found
}
