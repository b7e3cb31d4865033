package rules

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/facts"
	"github.com/winnow-proxy/winnow/model/page/metadata"
)

// factScore is the most probability of noise that a fact of the page's subject has.
const factScore = .1

// KeepFacts marks the facts of the page's subject as content. They are short and beside much that is noise, so that the
// labelling of the whole tree would take them with it.
func KeepFacts(v *view.Page, m *page.Marking) {
	for b, kind := range facts.Find(facts.Reader{
		Page:  v.Doc,
		Text:  func(b page.BlockID) string { return v.Texts[b].Folded },
		Names: func(e page.ElementID) facts.Names { return v.Elements[e].About },
		Profile: func(e page.ElementID) bool {
			l := v.LinkOf(e)
			return l != nil && l.Profile
		},
		Noise:   func(b page.BlockID) bool { return m.Verdicts[b].Noise },
		Unseen:  v.Unseen,
		Product: m.PageKind == page.PageProduct,
		Forum:   m.PageKind == page.PageForum,
	}) {
		if kind == metadata.NoFact {
			continue
		}
		m.Verdicts[b] = page.Verdict{Score: min(m.Verdicts[b].Score, factScore)}
	}
}
