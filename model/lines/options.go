package lines

import (
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Options are the constants of the published system and of what is added to it. The zero value of a field means its
// default. What the comments call (ours) is not in the paper; [Published] switches it off.
type Options struct {
	// MaxPunctuation is p: a text node is content when the share of punctuation among its characters lies in (0, p].
	// In (0,1]. The paper: 0.3.
	MaxPunctuation float64
	// Bare makes text without any punctuation content too: [0, p], as the paper's formula has it. Off by default, for
	// its own reasoning says that such text is navigation and adverts.
	Bare bool
	// Punctuation lists the characters that count as punctuation. The paper: Chinese and Western full stops, commas,
	// exclamation marks and square brackets.
	Punctuation string
	// PagesPerLine is L: a line may turn up once more per L pages without being noise. The paper: 50.
	PagesPerLine int
	// Rare prunes: lines that turned up on at most one page in Rare are forgotten. The paper: 100.
	Rare int
	// PruneEvery is the number of pages from one pruning to the next. (ours) The paper does not say when it prunes. If
	// that were after every page, no line that is new after page 100 could ever become noise.
	PruneEvery int

	// Joined tells the tags that text flows through: they do not end a text node. nil means the default, all inline
	// elements, paragraphs and headings. (ours) The paper takes STRONG, FONT and P out beforehand, but not SPAN and
	// headings, so that it loses the text of pages which have many.
	Joined func(atom.Atom) bool
	// FirstPages is the number of pages, with the one that is marked, on which lines that stand mostly in links are
	// noise, because the site has not shown yet what it repeats. Negative: none. (ours)
	FirstPages int
	// LinkShare is the share of a line's characters that must stand in links for FirstPages to concern it. In [0,1].
	// (ours)
	LinkShare float64
	// HalveAt is the number of pages at which all counts are halved, so that after a redesign a line of the new
	// template is noise at the latest when it has turned up more than HalveAt/L times. Negative: never. (ours)
	HalveAt int
	// Limits are the hard budgets of one model. (ours)
	Limits model.Limits
}

// DefaultOptions returns the paper's values, and ours that mend its two weaknesses.
func DefaultOptions() Options {
	return Options{
		MaxPunctuation: 0.3,
		Punctuation:    ".,![]。．｡，,！［］【】",
		PagesPerLine:   50,
		Rare:           100,
		PruneEvery:     100,
		Joined:         flows,
		FirstPages:     10,
		LinkShare:      0.5,
		HalveAt:        1000,
		Limits:         model.DefaultLimits(),
	}
}

// Published returns the options of the paper's system, with its weaknesses.
func Published() Options {
	o := DefaultOptions()
	o.Joined = func(tag atom.Atom) bool { return tag == atom.Strong || tag == atom.Font || tag == atom.P }
	o.FirstPages, o.HalveAt = -1, -1
	return o
}

// flows tells inline elements, paragraphs and headings.
func flows(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return page.IsInline(tag)
}
