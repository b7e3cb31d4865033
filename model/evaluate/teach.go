package evaluate

import (
	"context"
	"errors"
	"sort"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/taught"
)

// TaughtSite says what a few taps of a reader changed on one site. The reader opens the pages in arrival order. On a
// page with a wrong part, the reader taps the largest such part: "this is noise" or "bring this back".
type TaughtSite struct {
	Site string `json:"site"`
	// All is the mean F1 of all pages without taps.
	All float64 `json:"all"`
	// Taps are the numbers of the pages, the first being 1, on which the reader tapped.
	Taps []int `json:"taps"`
	// Pages is the number of pages after the last tap, Before and After are their mean F1 without and with the lessons.
	Pages  int     `json:"pages"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	// Worse is the number of pages after the first tap whose F1 fell, Better the number whose F1 rose.
	Worse  int `json:"worse"`
	Better int `json:"better"`
}

// The simulated reader taps where that raises the page's F1 by more than tapGain. It considers at most tapsWeighed
// parts.
const (
	tapGain     = 0.05
	tapsWeighed = 12
)

// Teach runs the first detector over every site by the online protocol, with a reader who taps at most taps times on
// each site and once on a page. The gold of the sites is selectors or text.
func (r *Runner) Teach(ctx context.Context, sites []*Site, taps int) ([]TaughtSite, error) {
	out := make([]TaughtSite, len(sites))
	err := r.each(ctx, len(sites), func(ctx context.Context, i int) (err error) {
		t := teaching{runner: r, site: sites[i], taps: taps, host: taught.Wrap(detectorFor(r.Detectors[0], sites[i].ID)).New(r.Key).(*taught.Host),
			tapped: map[uint64]bool{}}
		out[i], err = t.run(ctx)
		return err
	})
	return out, err
}

// teaching is one site with its reader.
type teaching struct {
	runner *Runner
	site   *Site
	taps   int
	host   *taught.Host
	// tapped are the places that the reader has tapped.
	tapped map[uint64]bool
	// before and after are the scores of the pages, in order.
	before, after []float64
	out           TaughtSite
}

func (t *teaching) run(ctx context.Context) (TaughtSite, error) {
	t.out.Site = t.site.ID
	for i, pg := range t.site.Pages {
		if err := ctx.Err(); err != nil {
			return t.out, err
		}
		if err := t.page(i); err != nil {
			if err := t.runner.leave(t.site.ID, pg.ID, err); err != nil {
				return t.out, err
			}
		}
		if t.runner.Progress != nil {
			t.runner.Progress(t.site.ID, pg.ID)
		}
	}
	return t.summary(), nil
}

// page scores a page with and without the lessons so far, lets the reader tap, and learns the page.
func (t *teaching) page(i int) error {
	pg, v := t.site.Pages[i], t.site.Visit(i)
	src, err := readPage(pg.File)
	if err != nil {
		return err
	}
	p, err := page.Parse(src, pg.ContentType)
	if err != nil {
		return err
	}
	text, err := pg.Text()
	if err != nil {
		return err
	}
	bare, m := t.host.Unwrap().Mark(p, v), t.host.Mark(p, v)
	learned := v
	learned.Reading = m.Reading
	before, err := t.score(i, src, text, t.host.Unwrap(), p, v)
	if err != nil || before < 0 {
		return errors.Join(err, contained("learn", func() { t.host.Observe(p, learned) }))
	}
	after := before
	if m != bare && len(t.out.Taps) > 0 {
		if after, err = t.score(i, src, text, t.host, p, v); err != nil {
			return err
		}
	}
	t.before, t.after = append(t.before, before), append(t.after, after)
	gold, err := t.gold(i, src, text, p)
	if err != nil {
		return err
	}
	if gold != nil && len(t.out.Taps) < t.taps && m.Pass == "" {
		tapped, err := t.tap(i, src, text, p, m, gold, v)
		if err != nil {
			return err
		}
		if tapped {
			t.out.Taps = append(t.out.Taps, len(t.before))
		}
	}
	return contained("learn", func() { t.host.Observe(p, learned) })
}

// score returns the page's F1, or a negative number where it has no gold.
func (t *teaching) score(i int, src []byte, text string, h model.Host, p *page.Page, v model.Visit) (float64, error) {
	if text != "" {
		return ScoreText(text, string(cleaned(h, v, src, p, nil, page.ModeText).body)).WordF1, nil
	}
	if !t.site.HasGold() {
		return -1, nil
	}
	ref, err := newReference(src, t.site.Pages[i].ContentType, t.site.gold)
	if err != nil {
		return 0, err
	}
	s, err := ref.score(cleaned(h, v, src, p, nil, page.ModeRemove).body)
	if s.Gold == 0 {
		return -1, err
	}
	return s.F1, err
}

// gold says of each block what it is. It is nil where that is not known.
func (t *teaching) gold(i int, src []byte, text string, p *page.Page) ([]Truth, error) {
	gold := make([]Truth, len(p.Blocks))
	if text != "" {
		textBlocks(p, text, gold)
		return gold, nil
	}
	in, err := t.site.GoldElements(src, t.site.Pages[i].ContentType)
	if err != nil || len(in) != len(p.Elements) {
		return nil, err
	}
	for b := range p.Blocks {
		var ink [Optional + 1]int
		for _, x := range p.Texts[p.Blocks[b].TextStart:p.Blocks[b].TextEnd] {
			if x.Block == page.BlockID(b) {
				ink[in[x.Parent]] += page.Ink(x.Data)
			}
		}
		switch {
		case ink[Optional] > ink[Content]+ink[Noise]:
			gold[b] = Optional
		case ink[Content] > ink[Noise]:
			gold[b] = Content
		}
	}
	return gold, nil
}

// textBlocks finds the blocks that are in the gold text: most of their runs of three words are. A shorter block takes
// the result of the block before it.
func textBlocks(p *page.Page, text string, gold []Truth) {
	runs := map[string]bool{}
	words := rougeWords(text)
	for i := range max(0, len(words)-2) {
		runs[strings.Join(words[i:i+3], " ")] = true
	}
	for b := range p.Blocks {
		words := rougeWords(string(p.BlockText(nil, page.BlockID(b))))
		if len(words) < 3 {
			if b > 0 {
				gold[b] = gold[b-1]
			}
			continue
		}
		hits := 0
		for i := range len(words) - 2 {
			if runs[strings.Join(words[i:i+3], " ")] {
				hits++
			}
		}
		if 2*hits > len(words)-2 {
			gold[b] = Content
		}
	}
}

// tap lets the reader tap the wrong part whose correction improves the page most, and reports whether there was one.
// The reader does not tap for less than tapGain, nor twice on one place.
func (t *teaching) tap(i int, src []byte, text string, p *page.Page, m *page.Marking, gold []Truth, v model.Visit) (bool, error) {
	now, err := t.score(i, src, text, t.host, p, v)
	if err != nil {
		return false, err
	}
	best, most := taught.Lesson{}, now+tapGain
	for _, l := range t.lessons(p, m, gold, v) {
		t.host.Teach(l)
		then, err := t.score(i, src, text, t.host, p, v)
		if err != nil {
			return false, err
		}
		if then > most {
			best, most = l, then
		}
		t.host.Revoke(l.Key, l.At)
	}
	if best.Key == 0 {
		return false, nil
	}
	best.At += 2 // after the time when it was revoked
	t.host.Teach(best)
	t.tapped[best.Key] = true
	return true, nil
}

// lessons returns the lessons that the reader might teach on a page: those about the wrong parts with the most text.
// Parts of one place count together.
func (t *teaching) lessons(p *page.Page, m *page.Marking, gold []Truth, v model.Visit) []taught.Lesson {
	var all []taught.Lesson
	ink := map[uint64]int{}
	for _, w := range wrongParts(p, m, gold) {
		verdict := taught.Noise
		if w.truth == Content {
			verdict = taught.Content
		}
		l, ok := t.host.Propose(p, m, w.e, verdict, v.At)
		if !ok || t.tapped[l.Key] {
			continue
		}
		if ink[l.Key] == 0 {
			all = append(all, l)
		}
		ink[l.Key] += w.ink
	}
	sort.SliceStable(all, func(i, j int) bool { return ink[all[i].Key] > ink[all[j].Key] })
	return all[:min(len(all), tapsWeighed)]
}

func (t *teaching) summary() TaughtSite {
	out := &t.out
	last := len(t.before)
	if len(out.Taps) > 0 {
		last = out.Taps[len(out.Taps)-1]
	}
	for i := range t.before {
		out.All += t.before[i] / float64(len(t.before))
		switch d := t.after[i] - t.before[i]; {
		case d < 0:
			out.Worse++
		case d > 0:
			out.Better++
		}
		if i >= last {
			out.Pages++
			out.Before += t.before[i]
			out.After += t.after[i]
		}
	}
	if out.Pages > 0 {
		out.Before /= float64(out.Pages)
		out.After /= float64(out.Pages)
	}
	return *out
}
