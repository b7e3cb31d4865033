package styletree

import (
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Mark maps the page onto the tree (the paper's MapSST). An element with a noisy partner is noise with all its
// contents, and an element with a meaningful partner is content with all its contents. Otherwise its children are
// mapped if the partner knows their sequence, and are content if not. Until two pages were learned, everything is
// content.
//
// The unit of marking is the block. So an element that contains only a part of a block's text is never marked, and no
// sentence loses words. An element that shows nothing is not marked either (ours).
func (t *Tree) Mark(p *page.Page, _ model.Visit) *page.Marking {
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Pages: t.Pages()}
	if p.Body == page.None || len(p.Blocks) == 0 {
		m.Pass = page.PassNoContent
		return m
	}
	mk := marker{t: t, p: p, out: m, partners: t.Partners(p, nil)}
	mk.blocks()
	mk.element(p.Body)
	if !page.HasContent(m.Verdicts) {
		m.Pass = page.PassNoContent
	}
	return m
}

// marker turns the partners of a page's elements into a marking.
type marker struct {
	t        *Tree
	p        *page.Page
	out      *page.Marking
	partners []Partner
}

// blocks scores the blocks as content, each by its nearest element with a partner.
func (m *marker) blocks() {
	for i, b := range m.p.Blocks {
		for e := b.Element; e != page.None; e = m.p.Elements[e].Parent {
			if part := &m.partners[e]; part.Verdict != Unseen {
				m.out.Verdicts[i].Score = min(m.score(part.Importance), 0.5)
				break
			}
		}
	}
}

// element marks the maximal noisy elements of the subtree of e.
func (m *marker) element(e page.ElementID) {
	part := &m.partners[e]
	switch {
	case part.Verdict == Unseen || part.Verdict == Meaningful:
		return
	case part.Verdict == Noisy && m.markable(e):
		m.mark(e, m.score(part.Importance))
		return
	}
	for c := range m.p.Children(e) {
		m.element(c)
	}
}

// markable reports whether e consists of whole blocks, or of pictures and the like without text.
func (m *marker) markable(e page.ElementID) bool {
	el := &m.p.Elements[e]
	return m.p.HoldsWholeBlocks(e) && (el.BlockStart < el.BlockEnd || m.shows(e))
}

// shows reports whether something without text is visible in e's subtree.
func (m *marker) shows(e page.ElementID) bool {
	for d := e; d < m.p.Elements[e].Sub; d++ {
		switch m.p.Elements[d].Tag {
		case atom.Img, atom.Picture, atom.Svg, atom.Iframe, atom.Frame, atom.Embed, atom.Object, atom.Video, atom.Audio,
			atom.Canvas, atom.Input, atom.Button, atom.Select, atom.Textarea:
			return true
		}
	}
	return false
}

// mark marks e as noise.
func (m *marker) mark(e page.ElementID, score float32) {
	el := &m.p.Elements[e]
	for b := el.BlockStart; b < el.BlockEnd; b++ {
		m.out.Verdicts[b] = page.Verdict{Noise: true, Score: score}
	}
	m.out.Marks = append(m.out.Marks, page.Mark{
		Element: e, BlockStart: el.BlockStart, BlockEnd: el.BlockEnd, Kind: page.KindOther, Score: score,
	})
}

// score turns an importance into the probability of noise: 1 at importance 0, one half at the threshold, 0 at 1, linear
// in between (ours).
func (m *marker) score(importance float32) float32 {
	t := float32(m.t.opts.Threshold)
	if importance <= t {
		return 1 - 0.5*importance/t
	}
	return 0.5 * (1 - importance) / (1 - t)
}
