package features

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// The features of a block that earlier pages of the host give. The table is in features.go.

// Evidence is what the memory knows about the parts of one page.
type Evidence struct {
	memory.Recurrence
	Page   *view.Page
	Recall memory.Recall
	// Score is the probability of noise of each block by the page alone.
	Score []float32
	// means are those of the page's features.
	means []float32
	// places is what the memory knows about the place of each block.
	places []placeRecord
	// mean is the mean page score below each element.
	mean []float32
	// Partners is what the style tree knows about each element.
	Partners []styletree.Partner
	// novel are the first and the last block with a long new text.
	novel view.Reach
	// regions are the values of each element in regionRow, computed for the first block below it.
	regions []float32
	// learned is the container by what was new on earlier pages, judged that by what was content on them, massive that by
	// the page scores, or None.
	learned, judged container
	massive         page.ElementID
	// knownPlaces is the share of the blocks whose place earlier pages had.
	knownPlaces float32
	// listMeans, sectionMeans and placeMeans are the means over the blocks of each.
	listMeans, sectionMeans, placeMeans []mean
}

// placeRecord is what the place of a block has shown, with the mean page score there.
type placeRecord struct {
	memory.PlaceSums
	mean float32
}

// mean is the mean of page scores and memory over several blocks, weighted by words.
type mean struct{ words, score, known, fresh float32 }

func (o *mean) add(words int32, score, known float32) {
	w := float32(words) + 1
	o.words += w
	o.score += w * score
	o.known += w * known
	if known == 0 {
		o.fresh += w
	}
}

// appendTo appends the means.
func (o *mean) appendTo(row []float32) []float32 {
	if o.words == 0 {
		return append(row, -1, -1, -1)
	}
	return append(row, o.score/o.words, o.known/o.words, o.fresh/o.words)
}

// NewEvidence collects what rests on no score.
func NewEvidence(m memory.Recall, v *view.Page) *Evidence {
	ev := &Evidence{Recurrence: m.Read(v), Page: v, Recall: m, places: make([]placeRecord, len(v.Blocks))}
	known := 0
	for i := range ev.places {
		p := &ev.places[i]
		p.PlaceSums = m.Place(hashes.Mix(v.Blocks[i].Place, memory.SaltBlockPlace))
		p.mean = float32(p.Score) / float32(max(p.Finds, 1)) / 255
		if p.Visits > 0 {
			known++
		}
	}
	if n := len(v.Blocks); n > 0 {
		ev.knownPlaces = float32(known) / float32(n)
	}
	ev.learned = ev.findContainer(func(p memory.PlaceSums) uint32 { return p.Fresh })
	ev.judged = ev.findContainer(func(p memory.PlaceSums) uint32 { return p.Mass })
	ev.novel = view.ReachOf(len(v.Blocks), func(i int) bool { return ev.IsNew(i) && v.Blocks[i].Words >= 10 })
	return ev
}

// FormShare is the share of the other pages that have a form with this subtree, or 0 if there are too few pages.
func (ev *Evidence) FormShare(subtree uint64) float32 {
	if ev.Recall.Pages() < templatePages || subtree == 0 {
		return 0
	}
	return ev.Recall.Rate(hashes.Mix(subtree, memory.SaltSubtree)).All
}

// templatePages is the least number of pages that tell which forms are template.
const templatePages = 3

// Compared takes the page's features when they have been computed.
func (ev *Evidence) Compared(p *Input) { ev.means = p.Means() }

// Rescore takes new page scores and updates everything that follows from them.
func (ev *Evidence) Rescore(scores []float32) {
	v := ev.Page
	ev.Score, ev.mean = scores, v.MeanScores(scores)
	ev.listMeans, ev.sectionMeans, ev.placeMeans = make([]mean, len(v.Lists)), make([]mean, len(v.Sections)), make([]mean, len(v.Places))
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if l := v.ListOf(b.Home); l >= 0 {
			ev.listMeans[l].add(b.Words, ev.Score[i], ev.Texts[i].Known)
		}
		if s := v.SectionOf[i]; s >= 0 && int(v.Sections[s].Heading) != i {
			ev.sectionMeans[s].add(b.Words, ev.Score[i], ev.Texts[i].Known)
		}
		ev.placeMeans[v.PlaceOf[i]].add(b.Words, ev.Score[i], ev.Texts[i].Known)
	}
	ev.massive = v.HolderOf(v.MassOf(scores), .75)
}
