package blend

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-proxy/winnow/model/page"
)

// The features of a block, in one table. The fitting program writes the rows that these groups compute, and reads their
// names. A hash of all names is in the header of a weights file, so that weights for other features, or for another
// order, are refused. A feature whose meaning changes gets another name.

// featureGroup is some features that are computed together.
type featureGroup[T any] struct {
	columns []string
	// fill appends the values of block i to a row.
	fill func(of T, row []float32, i int) []float32
	// part is the kind of parts of the page that the values describe.
	part part
	// first is the index of the first of the features in a row.
	first int
}

// byLevel makes a group for each level of a block's ancestors. at is the ancestor of block i at a level, first the kind
// of those at level 0.
func byLevel[T any](group, names string, first part, at func(of T, i, level int) page.ElementID, fill func(of T, row []float32, e page.ElementID) []float32) []featureGroup[T] {
	groups := make([]featureGroup[T], levels)
	for level := range groups {
		groups[level] = featureGroup[T]{
			columns: columns(fmt.Sprint(group, level), names),
			fill:    func(of T, row []float32, i int) []float32 { return fill(of, row, at(of, i, level)) },
			part:    first + part(level),
		}
	}
	return groups
}

// pageInput is what the page features are computed from.
type pageInput struct {
	*view
	convention Convention
}

// pageFeatures are computed from the page alone.
func pageFeatures() []featureGroup[*pageInput] {
	return slices.Concat([]featureGroup[*pageInput]{
		{columns: columns("text", "chars words linked links wordlen punct stops stoprate digits upper intitle twins leaning phrase "+
			"linkkind linktwins anchorlen maskedtwins"), fill: (*pageInput).textRow},
		{columns: columns("shape", "stop colon lower copyright bar bracket date money email allupper number ellipsis clock"),
			fill: (*pageInput).shapeRow},
		{columns: numbered("name", int(groups)), fill: (*pageInput).nameRow, part: sameNames},
		{columns: append(numbered("leaning", levels), "leaning.sum", "leaning.min", "leaning.max"), fill: (*pageInput).leaningRow,
			part: sameNames},
		{columns: columns("position", "rank chars first last depth alike share index prose.first prose.last title title.depth hidden"),
			fill: (*pageInput).positionRow},
	}, byLevel("level", "chars share linked blocks wordsperblock prose images", sameHome, (*pageInput).homeAt, (*pageInput).levelRow), []featureGroup[*pageInput]{
		{columns: repeated("near", 4, "words linked stops same"), fill: (*pageInput).neighbourRow},
		{columns: columns("section", "is distance"), fill: (*pageInput).headingRow},
		{columns: columns("section", "level phrase leaning words blocks linked perblock prose outer.phrase outer.leaning outer.level"),
			fill: (*pageInput).sectionRow, part: sameSection},
		{columns: columns("kin", "count words linked perblock prose spread"), fill: (*pageInput).kinRow, part: sameKin},
		{columns: repeated("list", 2, "items up words linked share prose perblock images"), fill: (*pageInput).listRow, part: sameHome},
		{columns: columns("main", "in away up below share"), fill: (*pageInput).mainRow},
		{columns: columns("label", "kind words value fellows twins"), fill: (*pageInput).labelRow},
		{columns: columns("page", "chars blocks linked perblock prose headings hidden"), fill: (*pageInput).wholeRow, part: wholePage},
		{columns: columns("convention", "byline date caption comments grid"), fill: (*pageInput).conventionRow, part: wholePage},
	})
}

// hostFeatures are computed with the earlier pages of the host.
func hostFeatures() []featureGroup[*evidence] {
	return slices.Concat([]featureGroup[*evidence]{
		{columns: append([]string{scoreFeature}, numbered("score", levels)...), fill: (*evidence).scoreRow},
		{columns: columns("repeat", "text.all text.since text.count masked.all masked.since masked.count link.all link.since link.count "+
			"at maskedat"), fill: (*evidence).repeatRow},
		{columns: columns("repeat", "title target teaser"), fill: (*evidence).teaserRow},
		{columns: columns("place", "since novel score fresh all count finds links words"), fill: (*evidence).blockPlaceRow},
	}, byLevel("region", "repeated fresh freshshare subtree place.since place.novel place.score place.fresh spot.since spot.novel spot.score "+
		"spot.fresh", sameHome, (*evidence).homeAt, (*evidence).regionRow), []featureGroup[*evidence]{
		{columns: append(repeated("around", 6, "known score place"), "around.first", "around.last"), fill: (*evidence).aroundRow},
	}, byLevel("tree", "importance styles verdict", sameOwner, (*evidence).elementAt, (*evidence).treeRow), []featureGroup[*evidence]{
		{columns: append(repeated("learned", 1, "in away up below share pages"), repeated("mass", 1, "in away up below share")...),
			fill: (*evidence).mainRow},
		{columns: columns("labelled", "since count novel value"), fill: (*evidence).labelRow},
		{columns: columns("listed", "score known fresh"), fill: (*evidence).listRow, part: sameHome},
		{columns: columns("kindred", "score known fresh"), fill: (*evidence).kinRow, part: sameKin},
		{columns: columns("underneath", "score known fresh"), fill: (*evidence).sectionRow, part: sameSection},
		{columns: columns("host", "pages repeated fresh freshwords places"), fill: (*evidence).wholeRow, part: wholePage},
	})
}

// scoreFeature is the probability that the page forest gives. The full forest adds to its log-odds.
const scoreFeature = "score.block"

func columns(group, names string) []string {
	out := strings.Fields(names)
	for i := range out {
		out[i] = group + "." + out[i]
	}
	return out
}

func numbered(group string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("%s.%d", group, i))
	}
	return out
}

func repeated(group string, n int, names string) (out []string) {
	for i := range n {
		out = append(out, columns(fmt.Sprintf("%s%d", group, i), names)...)
	}
	return out
}

// table is the table of features in a form for use.
type table struct {
	page  []featureGroup[*pageInput]
	host  []featureGroup[*evidence]
	names [2][]string
	hash  uint64
	// convention is the group of the convention in page.
	convention featureGroup[*pageInput]
	// scored tells the groups in host that rest on the page scores, which are others for another convention.
	scored []bool
}

// features returns the table, which is made once.
var features = sync.OnceValue(func() *table { //nolint:gochecknoglobals // it never changes
	t := &table{page: pageFeatures(), host: hostFeatures()}
	for i := range t.page {
		g := &t.page[i]
		g.first = len(t.names[0])
		t.names[0] = append(t.names[0], g.columns...)
	}
	t.convention = t.page[len(t.page)-1]
	t.names[1] = append(t.names[1], t.names[0]...)
	for i := range t.host {
		g := &t.host[i]
		g.first = len(t.names[1])
		t.names[1] = append(t.names[1], g.columns...)
		t.scored = append(t.scored, restsOnScores(g.columns[0]))
	}
	h := fnv.New64a()
	h.Write([]byte(strings.Join(t.names[1], "\n")))
	t.hash = h.Sum64()
	return t
})

// restsOnScores reports whether the group of host features that begins with a column is filled in from page scores.
func restsOnScores(column string) bool {
	group, _, _ := strings.Cut(column, ".")
	switch group {
	case "score", "around0", "learned0", "listed", "kindred", "underneath":
		return true
	}
	return false
}

// FeatureNames returns the names of the features that the page forest and the full forest see, in the order of the
// rows.
func FeatureNames() (page, full []string) {
	names := features().names
	return names[0], names[1]
}

// Convention says what the authors of a corpus called content, because published corpora differ: 1 for what they kept,
// -1 for what they dropped, 0 where that is not known. Weights are fitted with it.
type Convention struct {
	Byline, Date, Caption, Comments, Grid float32
}
