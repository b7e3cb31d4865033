package override

import (
	"slices"

	"github.com/winnow-proxy/winnow/model/page"
)

// Action is what a rule or a lesson does to an element.
type Action uint8

// None leaves the element to the decision for the elements around it and, if there is none, to the detector.
const (
	None Action = iota
	Keep
	Remove
)

// Decide returns the marking after actions, one for each element of the page; it does not change m. The action of an
// element applies to everything in it that has no action of its own. The page no longer passes for a detector's reason,
// but a page of which nothing would be left passes as "no-content".
func Decide(p *page.Page, m *page.Marking, actions []Action) *page.Marking {
	actions = inherited(p, actions)
	out := *m
	out.Pass, out.Decided = "", make([]bool, len(actions))
	for e, a := range actions {
		out.Decided[e] = a != None || e < len(m.Decided) && m.Decided[e]
	}
	out.Verdicts = slices.Clone(m.Verdicts)
	left, removed := false, make([]bool, len(p.Blocks))
	for b := range out.Verdicts {
		switch ofBlock(p, page.BlockID(b), actions) {
		case Keep:
			out.Verdicts[b] = page.Verdict{}
		case Remove:
			out.Verdicts[b] = page.Verdict{Noise: true, Score: 1}
			removed[b] = true
		}
		left = left || !out.Verdicts[b].Noise
	}
	if !left {
		out.Pass, out.Marks, out.Parts = page.PassNoContent, nil, nil
		return &out
	}
	out.Marks, out.Parts = newMarks(p, &out, m, actions), remainingParts(m.Parts, removed)
	return &out
}

// inherited returns the action that applies to every element: its own, or that of the nearest element around it.
func inherited(p *page.Page, actions []Action) []Action {
	all := slices.Clone(actions)
	for e := range p.Elements {
		if up := p.Elements[e].Parent; all[e] == None && up != page.None {
			all[e] = all[up]
		}
	}
	return all
}

// ofBlock returns the action for a block, which has one verdict: keep if any of its text must be kept, remove if all of
// it must be removed. In a block that stays, the elements to remove are marked individually.
func ofBlock(p *page.Page, b page.BlockID, actions []Action) Action {
	all := Remove
	for _, t := range p.Texts[p.Blocks[b].TextStart:p.Blocks[b].TextEnd] {
		if t.Block != b {
			continue
		}
		switch actions[t.Parent] {
		case Keep:
			return Keep
		case None:
			all = None
		}
	}
	return all
}
