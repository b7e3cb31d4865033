package blend

import (
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
)

// The features of a block, in one table. The fitting program writes the rows that these groups compute, and reads their
// names. A hash of all names is in the header of a weights file, so that weights for other features, or for another
// order, are refused. A feature whose meaning changes gets another name.

// featureGroup appends the values of some features of block i to a row.
type featureGroup[T any] struct {
	columns []string
	fill    func(of T, row []float32, i int) []float32
}

// pageFeatures are computed from the page alone.
func pageFeatures() []featureGroup[*view] {
	return []featureGroup[*view]{
		{columns("text", "chars words linked links wordlen punct stops stoprate digits upper intitle twins leaning phrase "+
			"linkkind linktwins anchorlen maskedtwins"), (*view).textRow},
		{columns("shape", "stop colon lower copyright bar bracket date money email allupper number ellipsis clock"), (*view).shapeRow},
		{numbered("name", int(groups)), (*view).nameRow},
		{append(numbered("leaning", levels), "leaning.sum", "leaning.min", "leaning.max"), (*view).leaningRow},
		{columns("position", "rank chars first last depth alike share index prose.first prose.last title title.depth hidden"), (*view).positionRow},
		{repeated("level", levels, "chars share linked blocks wordsperblock prose images"), (*view).levelRow},
		{repeated("near", 4, "words linked stops same"), (*view).neighbourRow},
		{columns("section", "is distance level phrase leaning words blocks linked perblock prose outer.phrase outer.leaning outer.level"),
			(*view).sectionRow},
		{columns("kin", "count words linked perblock prose spread"), (*view).kinRow},
		{repeated("list", 2, "items up words linked share prose perblock images"), (*view).listRow},
		{columns("main", "in away up below share"), (*view).mainRow},
		{columns("label", "kind words value fellows twins"), (*view).labelRow},
		{columns("page", "chars blocks linked perblock prose headings hidden"), (*view).wholeRow},
		{columns("convention", "byline date caption comments grid"), (*view).conventionRow},
	}
}

// hostFeatures are computed with the earlier pages of the host.
func hostFeatures() []featureGroup[*evidence] {
	return []featureGroup[*evidence]{
		{append([]string{scoreFeature}, numbered("score", levels)...), (*evidence).scoreRow},
		{append(columns("repeat", "text.all text.since text.count masked.all masked.since masked.count link.all link.since link.count "+
			"at maskedat title target teaser"), columns("place", "since novel score fresh all count finds links words")...), (*evidence).repeatRow},
		{repeated("region", levels, "repeated fresh freshshare subtree place.since place.novel place.score place.fresh spot.since "+
			"spot.novel spot.score spot.fresh"), (*evidence).regionRow},
		{append(repeated("around", 6, "known score place"), "around.first", "around.last"), (*evidence).aroundRow},
		{repeated("tree", levels, "importance styles verdict"), (*evidence).treeRow},
		{append(repeated("learned", 1, "in away up below share pages"), repeated("mass", 1, "in away up below share")...), (*evidence).mainRow},
		{columns("labelled", "since count novel value"), (*evidence).labelRow},
		{columns("listed", "score known fresh"), (*evidence).listRow},
		{columns("kindred", "score known fresh"), (*evidence).kinRow},
		{columns("underneath", "score known fresh"), (*evidence).sectionRow},
		{columns("host", "pages repeated fresh freshwords places"), (*evidence).wholeRow},
	}
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
	page  []featureGroup[*view]
	host  []featureGroup[*evidence]
	names [2][]string
	hash  uint64
	// convention is where the features of the convention begin and end.
	convention [2]int
	// scored tells the groups in host that rest on the page scores, which are others for another convention.
	scored []bool
}

// features returns the table, which is made once.
var features = sync.OnceValue(func() *table { //nolint:gochecknoglobals // it never changes
	t := &table{page: pageFeatures(), host: hostFeatures()}
	for _, g := range t.page {
		if strings.HasPrefix(g.columns[0], "convention.") {
			t.convention = [2]int{len(t.names[0]), len(t.names[0]) + len(g.columns)}
		}
		t.names[0] = append(t.names[0], g.columns...)
	}
	t.names[1] = append(t.names[1], t.names[0]...)
	for _, g := range t.host {
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
