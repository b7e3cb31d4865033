// Package blend is the default detector: it combines all evidence. A boosted forest scores each block by the page
// alone. A second forest corrects that score by what earlier pages of the host have shown: the importance of the
// position in the Site Style Tree, texts, links and subtrees that recur, and the earlier contents of the same place.
// Then the tree of elements is labelled as a whole. Blocks whose verdict earlier pages have settled skip both forests.
//
// The weights are fitted offline by model/blend/fit and embedded.
package blend

import (
	_ "embed"
	"fmt"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// Name is the detector's name.
const Name = "blend"

//go:embed weights.bin
var embedded []byte

// Detector makes models of this package. It is safe for concurrent use.
type Detector struct {
	w          *Weights
	vocab      *vocabulary
	limits     model.Limits
	convention Convention
}

// Interface guards.
var (
	_ model.Detector = (*Detector)(nil)
	_ model.Host     = (*Host)(nil)

	_ model.Explainer   = (*Host)(nil)
	_ model.Incremental = (*Host)(nil)
)

// New returns the detector with the embedded weights.
func New() (*Detector, error) {
	w, err := readWeights(embedded)
	if err != nil {
		return nil, fmt.Errorf("embedded weights: %w", err)
	}
	return NewWith(w), nil
}

// NewWith returns the detector with other weights.
func NewWith(w *Weights) *Detector {
	d := &Detector{w: w, vocab: w.vocab, limits: model.DefaultLimits()}
	if d.vocab == nil {
		d.vocab = newVocabulary(nil)
	}
	return d
}

// Name implements model.Detector.
func (d *Detector) Name() string { return Name }

// New implements model.Detector.
func (d *Detector) New(key model.Key) model.Host { return d.newHost(key) }

func (d *Detector) newHost(key model.Key) *Host {
	return &Host{d: d, key: key, hash: key.Hasher(), tree: styletree.New(key, d.treeOptions()), memory: newMemory(d.memoryBytes())}
}

// treeOptions gives the style tree two fifths of the budget. The memory has the rest.
func (d *Detector) treeOptions() styletree.Options {
	o := styletree.DefaultOptions()
	o.Limits = model.Limits{Memory: d.limits.Memory * 2 / 5, Encoded: d.limits.Encoded * 2 / 5}
	return o
}

func (d *Detector) memoryBytes() int { return d.limits.Memory * 3 / 5 }

// Host is the model of one host. It follows the concurrency rules of model.Host.
type Host struct {
	d      *Detector
	key    model.Key
	hash   model.Hasher
	tree   *styletree.Tree
	memory *memory
	pace   pace
	// settled are the blocks whose verdict is settled.
	settled settledTable
}

// Observe implements model.Host. The style tree decides whether the page is new. Of the pages that Mark has found to
// look like earlier ones, only some are learned.
func (h *Host) Observe(p *page.Page, visit model.Visit) {
	if len(p.Blocks) == 0 {
		return
	}
	if s := h.see(p, visit); !h.leavesOut(s, visit) && h.tree.LearnReading(s.view.reading, visit) {
		h.memory.learn(s.view, h.scoresOf(s))
	}
}

// leavesOut reports whether the page looks so much like earlier ones that the model does not learn it.
func (h *Host) leavesOut(s *seenPage, visit model.Visit) bool {
	if s.scores == nil || s.learned {
		return false
	}
	skips := h.pace.skips(s.looks, h.memory.pages)
	h.settled.learn(s.settlement, h.pace.different)
	if !skips {
		return false
	}
	h.tree.Learned.Saw(visit.At)
	return true
}

// see reads a page to learn it, unless Mark has done so.
func (h *Host) see(p *page.Page, visit model.Visit) *seenPage {
	if s, ok := p.Kept().(*seenPage); ok && s.isBy(h, visit) {
		return s
	}
	return &seenPage{view: h.d.view(p, h.hash, visit.URL)}
}

// scoresOf returns the page scores of the blocks of a page.
func (h *Host) scoresOf(s *seenPage) []float32 {
	if s.scores != nil {
		return s.scores
	}
	j := h.d.w.judgePage(s.view, nil)
	j.release()
	return probabilities(j.odds)
}

// seenPage is what Mark computes for a page and Observe needs too: most pages are learned directly after they were
// marked.
type seenPage struct {
	d      *Detector
	url    string
	view   *view
	scores []float32
	looks  looks
	// learned says that the page was among the learned ones.
	learned bool
	// settlement is for the table of settled blocks.
	settlement *settlement
}

// isBy reports whether h would compute the same for a page.
func (s *seenPage) isBy(h *Host, visit model.Visit) bool {
	return s.d == h.d && s.view.hash == h.hash && s.url == visit.URL
}

// Mark implements model.Host.
func (h *Host) Mark(p *page.Page, visit model.Visit) *page.Marking {
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Pages: h.tree.Pages(), PageKind: page.PageApplication}
	if len(p.Blocks) == 0 {
		m.Pass, m.Thin = passApplication, true
		return m
	}
	v := newOutline(h.d.view(p, h.hash, visit.URL))
	if v.isShell() {
		m.Pass, m.Thin = passApplication, true
		return m
	}
	learned := h.tree.KnowsReading(v.reading, visit)
	ev := h.remember(v.view, learned)
	settlement := h.settle(ev)
	ev.judge(h.d.w, settlement)
	defer ev.page.release()
	defer p.Keep(&seenPage{h.d, visit.URL, v.view, ev.score, ev.looks(), learned, settlement})
	odds := ev.odds()
	v.dropDetails(odds)
	labels, expected := h.d.w.decide(v.view, odds)
	if h.d.convention == (Convention{}) && ev.judgeAsArticle(odds, labels) {
		labels, expected = h.d.w.decide(v.view, odds)
	}
	if comments, related := v.dropComments(odds), v.dropRelated(odds); comments || related {
		labels, expected = h.d.w.decide(v.view, odds)
	}
	settlement.decided(labels, odds)
	m.Confidence = h.d.w.calibration.at(expected)
	for i, noisy := range labels {
		m.Verdicts[i] = page.Verdict{Noise: noisy, Score: probability(odds[i])}
	}
	form := h.mainForm(v, m.Verdicts, learned)
	v.keep(form, m.Verdicts)
	m.PageKind, m.Thin = v.pageKind(m.Verdicts, form), v.isThin(m.Verdicts)
	if !v.hasEnough(m.Verdicts, form) {
		m.Pass = page.PassNoContent
		return m
	}
	m.Marks = v.findMarks(m.Verdicts, form)
	return m
}

// weigh collects the evidence for each block. learned says that the page itself is among the learned ones.
func (h *Host) weigh(v *view, learned bool) *evidence {
	ev := h.remember(v, learned)
	ev.judge(h.d.w, nil)
	return ev
}

// remember collects the part of the evidence that rests on no score.
func (h *Host) remember(v *view, learned bool) *evidence {
	r := recall{m: h.memory}
	if learned {
		r.own = 1
	}
	ev := r.evidence(v)
	ev.partners = h.partners(v, r)
	return ev
}

// judge adds the part that rests on the page scores.
func (ev *evidence) judge(w *Weights, s *settlement) {
	ev.page = w.judgePage(ev.v, s)
	ev.rescore(probabilities(ev.page.odds))
}

// odds returns the log-odds of noise for each block.
func (ev *evidence) odds() []float32 {
	j := &ev.page
	if j.w.full == nil {
		return j.odds
	}
	ev.compareHost()
	odds := j.settlement.join(j.w.full.logOdds(j.comparison), byHost)
	for i := range odds {
		odds[i] += j.odds[i]
	}
	ev.dropRecurring(odds)
	ev.liftFacts(odds)
	ev.v.keepRows(odds)
	return odds
}

// compareHost compares the host features. Once they have been, only those that rest on the page scores can be others.
func (ev *evidence) compareHost() {
	t := features()
	for n := range t.host {
		if t.scored[n] || !ev.compared {
			t.host[n].compare(ev.page.comparison, ev)
		}
	}
	ev.compared = true
}

// judgment is the result of the weights for the blocks of a page by the page alone.
type judgment struct {
	*comparison
	w *Weights
	// settlement has the blocks that need no judgment.
	settlement *settlement
	// odds are the log-odds of noise, 0 without weights.
	odds []float32
}

func (w *Weights) judgePage(v *view, s *settlement) judgment {
	if w.page == nil {
		return judgment{w: w, settlement: s, odds: make([]float32, len(v.blocks))}
	}
	c := s.newComparison(w.cuts, len(v.blocks))
	c.findStarts(v)
	for n := range features().page {
		features().page[n].compare(c, v)
	}
	return judgment{c, w, s, s.join(w.page.logOdds(c), byPage)}
}

// partners asks the style tree, unless it has learned only this page.
func (h *Host) partners(v *view, r recall) []styletree.Partner {
	if r.pages() == 0 {
		return styletree.New(h.key, h.d.treeOptions()).PartnersOf(v.reading, v.p, nil)
	}
	return h.tree.PartnersOf(v.reading, v.p, nil)
}

// Tree returns the style tree, for inspection.
func (h *Host) Tree() *styletree.Tree { return h.tree }

// Stats implements model.Host.
func (h *Host) Stats() model.Stats {
	s := h.tree.Stats()
	s.Bytes += h.memory.bytes() + h.settled.bytes()
	s.Skipped = h.pace.skipped
	s.Settled = h.settled.count
	return s
}
