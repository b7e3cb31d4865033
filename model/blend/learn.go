package blend

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// pageReading is a page as the stages read it.
type pageReading struct {
	*view.Page
	// tree is what the style tree reads of it.
	tree *styletree.Reading
}

// read reads a page of a visit.
func (h *Host) read(p *page.Page, visit model.Visit) pageReading {
	return pageReading{h.d.reader.Read(p, h.hash, visit), styletree.Read(p, h.hash, h.d.treeOptions())}
}

// Observe implements model.Host. The style tree decides whether the page is new. Of the pages that Mark has found to
// look like earlier ones, only some are learned.
func (h *Host) Observe(p *page.Page, visit model.Visit) {
	if len(p.Blocks) == 0 {
		return
	}
	s := h.see(p, visit)
	if !h.leavesOut(s, visit) && h.tree.LearnReading(s.page.tree, visit) {
		h.memory.Learn(s.page.Page, h.scoresOf(s))
	}
	s.release()
}

// leavesOut reports whether the page looks so much like earlier ones that the model does not learn it.
func (h *Host) leavesOut(s *seenPage, visit model.Visit) bool {
	if s.scores == nil || s.learned {
		return false
	}
	skips := h.pace.Skips(s.looks, h.memory.Pages)
	if !skips {
		return false
	}
	h.tree.Learned.Saw(visit.At)
	return true
}

// see reads a page to learn it, unless the visit has what Mark has read.
func (h *Host) see(p *page.Page, visit model.Visit) *seenPage {
	if s, ok := visit.Reading.(*seenPage); ok && s.IsOf(p) && s.isBy(h, visit) {
		return s
	}
	return &seenPage{page: h.read(p, visit)}
}

// scoresOf returns the page scores of the blocks of a page.
func (h *Host) scoresOf(s *seenPage) []float32 {
	if s.scores != nil {
		return s.scores
	}
	j := h.d.w.Judge(&features.Input{Page: s.page.Page, Convention: h.d.convention}, nil)
	defer j.Release()
	return forest.Probabilities(j.ByPage)
}

// seenPage is what Mark computes for a page and Observe needs too: most pages are learned directly after they were
// marked. It is the Reading of the marking.
type seenPage struct {
	d      *Detector
	doc    *page.Page
	url    string
	page   pageReading
	scores []float32
	looks  memory.Looks
	// learned says that the page was among the learned ones.
	learned bool
}

// IsOf implements page.Reading.
func (s *seenPage) IsOf(p *page.Page) bool { return s.doc == p }

// isBy reports whether h would compute the same for a page, and nobody has learned it.
func (s *seenPage) isBy(h *Host, visit model.Visit) bool {
	return s.page.Page != nil && s.d == h.d && s.page.Hash == h.hash && s.url == visit.URL
}

// release gives the memory of a learned page to another one.
func (s *seenPage) release() {
	s.page.Release()
	s.page = pageReading{}
}
