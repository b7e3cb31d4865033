// Package features has the one table of features of a block, by the page alone and by what its host has shown.
package features

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
)

// The features of a block, in one table. The fitting program writes the rows that these groups compute, and reads their
// names. A hash of all names is in the header of a weights file, so that weights for other features, or for another
// order, are refused. A feature whose meaning changes gets another name.

// byLevel makes a group for each level of a block's ancestors. at is the ancestor of block i at a level, first the kind
// of those at level 0.
func byLevel[T any](group, names string, first forest.Part, at func(of T, i, level int) page.ElementID, fill func(of T, row []float32, e page.ElementID) []float32) []forest.Group[T] {
	groups := make([]forest.Group[T], view.Levels)
	for level := range groups {
		groups[level] = forest.Group[T]{
			Names: columns(fmt.Sprint(group, level), names),
			Fill:  func(of T, row []float32, i int) []float32 { return fill(of, row, at(of, i, level)) },
			Part:  first + forest.Part(level),
		}
	}
	return groups
}

// Input is what the page features are computed from.
type Input struct {
	*view.Page
	Convention Convention
	sums       sums
}

// pageFeatures are computed from the page alone.
func pageFeatures() []forest.Group[*Input] {
	return slices.Concat([]forest.Group[*Input]{
		{Names: columns("text", "chars words linked links wordlen punct stops stoprate digits upper intitle twins leaning phrase "+
			"linkkind linktwins anchorlen maskedtwins"), Fill: (*Input).textRow},
		{Names: columns("shape", "stop colon lower copyright bar bracket date money email allupper number ellipsis clock"),
			Fill: (*Input).shapeRow},
		{Names: numbered("name", int(vocab.Groups)), Fill: (*Input).nameRow, Part: sameNames},
		{Names: append(numbered("leaning", view.Levels), "leaning.sum", "leaning.min", "leaning.max"), Fill: (*Input).leaningRow,
			Part: sameNames},
		{Names: columns("position", "rank chars first last depth alike share index prose.first prose.last title title.depth hidden"),
			Fill: (*Input).positionRow},
	}, byLevel("level", "chars share linked blocks wordsperblock prose images", sameHome, (*Input).homeAt, (*Input).levelRow), []forest.Group[*Input]{
		{Names: repeated("near", 4, "words linked stops same"), Fill: (*Input).neighbourRow},
		{Names: columns("section", "is distance"), Fill: (*Input).headingRow},
		{Names: columns("section", "level phrase leaning words blocks linked perblock prose outer.phrase outer.leaning outer.level"),
			Fill: (*Input).sectionRow, Part: sameSection},
		{Names: columns("kin", "count words linked perblock prose spread"), Fill: (*Input).placeRow, Part: samePlace},
		{Names: repeated("list", 2, "items up words linked share prose perblock images"), Fill: (*Input).listRow, Part: sameHome},
		{Names: columns("main", "in away up below share"), Fill: (*Input).mainRow},
		{Names: columns("label", "kind words value fellows twins"), Fill: (*Input).labelRow},
		{Names: columns("like", "block list list.own list.money section section.own section.money page"), Fill: (*Input).likeRow},
	}, byLevel("like", "share money", sameHome, (*Input).homeAt, (*Input).likeLevelRow), []forest.Group[*Input]{
		{Names: columns("declared", "article product recipe forum list manual og depth root query"), Fill: (*Input).declaredRow,
			Part: wholePage},
		{Names: columns("page", "chars blocks linked perblock prose headings hidden"), Fill: (*Input).wholeRow, Part: wholePage},
		{Names: columns("convention", "byline date caption comments grid"), Fill: (*Input).conventionRow, Part: wholePage},
	})
}

// hostFeatures are computed with the earlier pages of the host.
func hostFeatures() []forest.Group[*Evidence] {
	return slices.Concat([]forest.Group[*Evidence]{
		{Names: append([]string{scoreFeature}, numbered("score", view.Levels)...), Fill: (*Evidence).scoreRow},
		{Names: columns("repeat", "text.all text.since text.count masked.all masked.since masked.count link.all link.since link.count "+
			"at maskedat"), Fill: (*Evidence).repeatRow},
		{Names: columns("repeat", "title target teaser"), Fill: (*Evidence).teaserRow},
		{Names: columns("place", "since novel score fresh all count finds links words"), Fill: (*Evidence).blockPlaceRow},
	}, byLevel("region", "repeated fresh freshshare subtree place.since place.novel place.score place.fresh spot.since spot.novel spot.score "+
		"spot.fresh", sameHome, (*Evidence).homeAt, (*Evidence).regionRow), []forest.Group[*Evidence]{
		{Names: append(repeated("around", 6, "known score place"), "around.first", "around.last"), Fill: (*Evidence).aroundRow},
	}, byLevel("tree", "importance styles verdict", sameOwner, (*Evidence).elementAt, (*Evidence).treeRow), []forest.Group[*Evidence]{
		{Names: slices.Concat(repeated("learned", 1, "in away up below share pages"), repeated("judged", 1, "in away up below share pages"),
			repeated("mass", 1, "in away up below share")), Fill: (*Evidence).mainRow},
		{Names: columns("labelled", "since count novel value"), Fill: (*Evidence).labelRow},
		{Names: columns("listed", "score known fresh"), Fill: (*Evidence).listRow, Part: sameHome},
		{Names: columns("kindred", "score known fresh"), Fill: (*Evidence).placeMeanRow, Part: samePlace},
		{Names: columns("underneath", "score known fresh"), Fill: (*Evidence).sectionRow, Part: sameSection},
		{Names: columns("host", "pages repeated fresh freshwords places"), Fill: (*Evidence).wholeRow, Part: wholePage},
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

// Table is the table of features in a form for use.
type Table struct {
	Page  []forest.Group[*Input]
	Host  []forest.Group[*Evidence]
	Names [2][]string
	Hash  uint64
	// Convention is the group of the convention in page.
	Convention forest.Group[*Input]
	// Scored tells the groups in host that rest on the page scores, which are others for another convention.
	Scored []bool
}

// All returns the table, which is made once.
var All = sync.OnceValue(func() *Table { //nolint:gochecknoglobals // it never changes
	t := &Table{Page: pageFeatures()}
	t.Host = append(hostFeatures(), sumUp(t.Page))
	for i := range t.Page {
		g := &t.Page[i]
		g.First = len(t.Names[0])
		t.Names[0] = append(t.Names[0], g.Names...)
	}
	t.Convention = t.Page[len(t.Page)-1]
	t.Names[1] = append(t.Names[1], t.Names[0]...)
	for i := range t.Host {
		g := &t.Host[i]
		g.First = len(t.Names[1])
		t.Names[1] = append(t.Names[1], g.Names...)
		t.Scored = append(t.Scored, restsOnScores(g.Names[0]))
	}
	h := fnv.New64a()
	h.Write([]byte(strings.Join(t.Names[1], "\n")))
	t.Hash = h.Sum64()
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
	names := All().Names
	return names[0], names[1]
}

// Convention says what the authors of a corpus called content, because published corpora differ: 1 for what they kept,
// -1 for what they dropped, 0 where that is not known. Weights are fitted with it.
type Convention struct {
	Byline, Date, Caption, Comments, Grid float32
}
