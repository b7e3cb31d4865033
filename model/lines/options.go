package lines

import (
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Options are the constants of the published system and of its additions. The zero value of a field means its default.
// Comments marked (ours) describe additions to the paper; [Published] switches them off.
type Options struct {
	// MaxPunctuation is p: a text node is content when the share of punctuation among its characters is in (0, p]. In
	// (0,1]. The paper: 0.3.
	MaxPunctuation float64
	// Bare makes text without punctuation content too: [0, p], as in the paper's formula. Off by default, because the
	// paper's reasoning calls such text navigation and adverts.
	Bare bool
	// Punctuation lists the characters that count as punctuation. The paper: Chinese and Western full stops, commas,
	// exclamation marks and square brackets.
	Punctuation string
	// PagesPerLine is L: per L pages, a line may occur once more without being noise. The paper: 50.
	PagesPerLine int
	// Rare prunes: lines that occurred on at most one page in Rare are forgotten. The paper: 100.
	Rare int
	// PruneEvery is the number of pages between two prunings. (ours) The paper does not say when it prunes. With pruning
	// after every page, no line that is new after page 100 could ever become noise.
	PruneEvery int

	// Joined reports the tags that do not end a text node. nil means the default: all inline elements, paragraphs and
	// headings. (ours) The paper removes STRONG, FONT and P beforehand, but not SPAN and headings, so it loses the text
	// of pages with many of these.
	Joined func(atom.Atom) bool
	// FirstPages is the number of first pages, including the marked one, on which lines mostly inside links are noise,
	// because the repetitions of the site are not known yet. Negative: none. (ours)
	FirstPages int
	// LinkShare is the share of a line's characters inside links from which FirstPages applies to it. In [0,1]. (ours)
	LinkShare float64
	// HalveAt is the number of pages at which all counts are halved. So after a redesign a line of the new template is
	// noise once it has occurred more than HalveAt/L times. Negative: never. (ours)
	HalveAt int
	// Limits are the hard budgets of one model. (ours)
	Limits model.Limits
}

// DefaultOptions returns the paper's values, and ours that fix its two weaknesses.
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

// flows reports inline elements, paragraphs and headings.
func flows(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return page.IsInline(tag)
}
