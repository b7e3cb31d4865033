// Package records finds the lists of records of a page: the hits of a search, the goods of a shop, the posts of a
// thread. It follows IKM (Tseng and Kao, "The Mining and Extraction of Primary Informative Blocks and Data Objects from
// Systematic Web Pages", 2006), which ranks what MDR finds (Liu, Grossman and Zhai, "Mining Data Records in Web Pages",
// KDD 2003).
//
// It works on one page alone and learns nothing. It returns parts of the kind [page.KindRecords]: regions, the most
// important first, with their records in page order. regions.go finds groups of adjacent regular patterns, by the edit
// distance of their tags (distance.go); weight.go ranks them by coverage × similarity × diversity.
//
// We know the papers' formulas from the slides of a survey. Where this departs from them:
//
//   - MDR's constants (at most 10 siblings in a generalised node, a distance of at most 0.3, a depth of 3) are from
//     memory, because we do not have its paper. We do not know how it normalises its distance. Here the distance is the
//     number of edits divided by the number of tags in the longer string.
//   - Edit distances are bounded, by the length of the strings and by their cost on one page (Options.MaxTags,
//     MaxCost). Beyond these bounds only equal tags are similar.
//   - Areas are not those of a rendered page: text counts by its characters, and a picture as Options.PictureArea of
//     them.
//   - The slides sum up the "item styles" of a record. Here a style counts as 1 − EN, because an item that occurs in a
//     record once makes it more diverse, and a repeated item does not.
//   - Among siblings, MDR takes the widest region that starts at one of the first K. Here it is the region that starts
//     first, and of those that start there the widest; then the search goes on behind it. One pass from the left keeps
//     the cost in proportion to the page.
//   - Regions that show nothing, such as runs of empty lines, do not count.
//   - A detector says what is noise, and the papers do not. If everything outside the lists were noise, a page without
//     a list would lose its content. So nothing is noise by default. Options.Primary follows the title of the later
//     paper: everything outside the most important region is noise.
package records

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/page"
)

// Name is the detector's name.
const Name = "records"

// Detector makes models that store nothing.
type Detector = base.Detector[Options]

// Name returns "records".
func (Options) Name() string { return Name }

// NewModel implements [base.Options].
func (o Options) NewModel(model.Key) base.Model {
	return host{Name, base.OrDefault(o, DefaultOptions())}
}

// host is the model of a host: the options.
type host struct {
	base.Stateless
	opts Options
}

// Mark returns the page's lists of records as parts. Their weights are shares of the sum of their importances.
func (h host) Mark(p *page.Page, _ model.Visit) *page.Marking {
	parts := Find(p, h.opts)
	verdicts := make([]page.Verdict, len(p.Blocks))
	if h.opts.Primary && len(parts) > 0 {
		outside(verdicts, parts)
	}
	m := p.NewMarking(verdicts, 0, nil)
	m.Parts = parts
	return m
}

// outside marks everything outside the first part as noise. In other parts the score falls with the part's weight.
func outside(verdicts []page.Verdict, parts []page.Part) {
	for b := range verdicts {
		verdicts[b] = page.Verdict{Noise: true, Score: 1}
	}
	for i, part := range parts {
		for b := part.BlockStart; b < part.BlockEnd; b++ {
			if verdicts[b].Score = 1 - part.Weight; i == 0 {
				verdicts[b] = page.Verdict{Score: (1 - part.Weight) / 2}
			}
		}
	}
}
