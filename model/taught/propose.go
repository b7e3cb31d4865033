package taught

import (
	"time"

	"github.com/winnow-proxy/winnow/model/page"
)

// Propose returns the lesson that e is noise or content, from one page and its marking. The lesson is as wide as
// possible without harm on this page: what is marked correctly stays so. Parts with the same id or class change
// together if they are the smaller part of what the page keeps. Propose returns false for elements that no lesson can
// describe, such as body.
func (h *Host) Propose(p *page.Page, m *page.Marking, e page.ElementID, v Verdict, at time.Time) (Lesson, bool) {
	if e <= max(p.Body, 0) || int(e) >= len(p.Elements) || len(m.Verdicts) != len(p.Blocks) || v == Revoked {
		return Lesson{}, false
	}
	s := placesOf(p, h.key.Hasher())
	for lv := named; lv <= worded; lv++ {
		key := s.at(lv, e)
		if key == 0 {
			continue
		}
		f := s.effect(m, lv, key, e, v)
		if f.others > 0 && (s.bare[e] || maxOthers*(f.others+f.own) > f.kept) {
			continue
		}
		share := uint8(0)
		if v == Noise && f.kept > 0 {
			share = uint8(255 * (f.own + f.others) / f.kept)
		}
		return Lesson{Key: key, Verdict: v, Tag: p.Elements[e].Tag, At: at.UnixMilli(), level: lv, share: share}, true
	}
	return Lesson{}, false
}

// maxOthers bounds a lesson that changes other elements too: it may change one part in three of what the page keeps.
const maxOthers = 3

// effect is what a lesson would do to a page: the ink that the page keeps now, and the ink that would change in the
// chosen element and in others.
type effect struct{ kept, own, others int }

func (s *places) effect(m *page.Marking, lv level, key uint64, e page.ElementID, v Verdict) (f effect) {
	p := s.p
	in := make([]bool, len(p.Blocks))
	for x := s.body + 1; int(x) < len(p.Elements); x++ {
		if s.at(lv, x) == key {
			for b := p.Elements[x].BlockStart; b < p.Elements[x].BlockEnd; b++ {
				in[b] = true
			}
		}
	}
	for b, verdict := range m.Verdicts {
		ink := p.BlockLen(page.BlockID(b))
		if !verdict.Noise {
			f.kept += ink
		}
		switch {
		case !in[b] || verdict.Noise == (v == Noise):
		case isIn(p, e, page.BlockID(b)):
			f.own += ink
		default:
			f.others += ink
		}
	}
	return f
}

// isIn reports whether a block is in e.
func isIn(p *page.Page, e page.ElementID, b page.BlockID) bool {
	return p.Elements[e].BlockStart <= b && b < p.Elements[e].BlockEnd
}
