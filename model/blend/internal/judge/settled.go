package judge

import (
	"math/bits"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
)

// Most blocks of a page need not be judged by the forests: a menu, a footer, the paragraphs of an article. Blocks like
// them were at the same place of earlier pages, and their verdicts were the same each time and by a wide margin. So a
// host keeps the log-odds that such blocks had, under keyed hashes. The rules and the labels of the tree see all
// blocks as before.
//
// Some pages are judged whole, to compare: one in settledCheck, chosen by its text, and those that look different from
// the usual ones (pace.go). A host forgets everything here when more than one in settledDoubt blocks differ, when it
// looks different from before, and when it merges with another model. This is not part of the encoding, because a few
// pages bring most of it back.

const (
	// settledMargin is the least log-odds, on the side of the verdict, that a settled block had. settledVisits is the
	// least number of pages that had it. A block with a new text, of which only place and size are known, needs more.
	settledMargin, settledFreshMargin = 3, 4
	settledVisits, settledFreshVisits = 3, 6
	// settledMean is the weight of the newest log-odds in their running means.
	settledMean = 1. / 4
	// settledCheck is the number of pages of which one is judged whole.
	settledCheck = 16
	// settledDoubt is the number of compared blocks of which one may differ.
	settledDoubt = 1000
	// settledKept is the most blocks in each of the two halves of the table, settledBytes the bytes that one takes.
	settledKept  = 1024
	settledBytes = 60
)

// settledBlock is what earlier pages gave for a block.
type settledBlock struct {
	// odds are means of the log-odds of noise, by convention and by forest.
	odds [2]oddsByForest
	// margin is the least log-odds on the side of the verdict. It recovers slowly.
	margin float32
	// visits is the number of pages with this verdict, newest the last of them.
	visits, newest uint32
	// fresh says that its text is new each time, news that odds has those by the convention of news, noise what the
	// verdict is.
	fresh, news, noise bool
}

// oddsByForest has what the page forest gives, and what the full forest adds.
type oddsByForest [2]float32

const (
	byPage = 0
	byHost = 1
)

// isSettled reports whether the block need not be judged again. news says that the convention of news matters too.
func (b *settledBlock) isSettled(news bool) bool {
	if b.fresh && (b.visits < settledFreshVisits || b.margin < settledFreshMargin) {
		return false
	}
	return b.visits >= settledVisits && b.margin >= settledMargin && (b.news || !news)
}

// Settled is what a host knows of blocks. Mark only reads it.
type Settled struct {
	// newer are the blocks of the newest pages. When there are too many, they become the older ones, and those before
	// are forgotten.
	newer, older map[uint64]settledBlock
	// pages is the number of pages.
	pages uint32
	// Count has the totals, lately those since the table was empty.
	Count, lately model.Settled
}

func (t *Settled) find(key uint64) (settledBlock, bool) {
	b, ok := t.newer[key]
	if !ok {
		b, ok = t.older[key]
	}
	return b, ok
}

func (t *Settled) put(key uint64, b settledBlock) {
	if len(t.newer) >= settledKept {
		t.newer, t.older = nil, t.newer
	}
	if t.newer == nil {
		t.newer = map[uint64]settledBlock{}
	}
	t.newer[key] = b
}

// Forget empties the table.
func (t *Settled) Forget() {
	t.newer, t.older = nil, nil
	t.lately = model.Settled{}
}

// Bytes is the size of the table in memory.
func (t *Settled) Bytes() int { return (len(t.newer) + len(t.older)) * settledBytes }

// Lookup is what the table gives for one page, and what the page gives for the table. A nil settlement means that
// all blocks are judged.
type Lookup struct {
	// Keys are those of all blocks, fresh says which have a new text.
	Keys  []uint64
	fresh []bool
	// rows are the blocks to judge, settled the others, reused what is known of these.
	rows, Settled []int32
	reused        []settledBlock
	// news says that the convention of news matters, whole that all blocks are judged to compare.
	news, Whole bool
	// convention is the index of the convention in force, found what the forests gave for the rows, by convention and
	// forest.
	convention int
	found      [2][2][]float32
	// noisy and odds are the verdicts and the final log-odds of all blocks.
	noisy []bool
	odds  []float32
}

// LookUp looks up the blocks of a page. news says that the convention of news matters, whole that all blocks should be
// judged.
func (t *Settled) LookUp(ev *features.Evidence, news, whole bool) *Lookup {
	v := ev.Page
	n := len(v.Blocks)
	s := &Lookup{Keys: make([]uint64, n), fresh: make([]bool, n), rows: make([]int32, 0, n), news: news,
		Whole: whole || v.Elements[0].Subtree%settledCheck == 0}
	if !s.Whole && len(t.newer) > 0 {
		s.Settled, s.reused = make([]int32, 0, n), make([]settledBlock, 0, n)
	}
	for i := range v.Blocks {
		s.Keys[i], s.fresh[i] = settledKey(ev, i), ev.IsNew(i)
		if b, ok := t.find(s.Keys[i]); ok && !s.Whole && b.isSettled(s.news) {
			s.Settled, s.reused = append(s.Settled, int32(i)), append(s.reused, b)
		} else {
			s.rows = append(s.rows, int32(i))
		}
	}
	return s
}

// settledKey is the place of a block with its text. If the text is new, its length and its share of links count
// instead.
func settledKey(ev *features.Evidence, i int) uint64 {
	b := &ev.Page.Blocks[i]
	if !ev.IsNew(i) {
		return hashes.Mix(b.Place, b.Masked)
	}
	size := uint64(bits.Len32(uint32(b.Words)))
	return hashes.Mix(hashes.Mix(b.Place, size<<3|uint64(b.LinkChars*4/max(b.Chars, 1))), memory.SaltText)
}

// newComparison returns a comparison of the blocks to judge, of n blocks in all.
func (s *Lookup) newComparison(t *forest.CutTable, n int) *forest.Comparison {
	if s == nil {
		return t.NewComparison(n)
	}
	c := t.NewComparison(len(s.rows))
	c.Blocks = s.rows
	return c
}

// join returns the log-odds of all blocks from those that a forest gave for the rows.
func (s *Lookup) join(rows []float32, forest int) []float32 {
	if s == nil {
		return rows
	}
	s.found[s.convention][forest] = rows
	odds := make([]float32, len(s.Keys))
	for k, i := range s.rows {
		odds[i] = rows[k]
	}
	for k, i := range s.Settled {
		odds[i] = s.reused[k].odds[s.convention][forest]
	}
	return odds
}

// turnToNews says that the log-odds that follow are by the convention of news.
func (s *Lookup) turnToNews() {
	if s != nil {
		s.convention = 1
	}
}

// Decided notes the verdicts.
func (s *Lookup) Decided(noisy []bool, odds []float32) {
	if s != nil {
		s.noisy, s.odds = noisy, odds
	}
}

// Learn takes a marked page into the table. different is the running share of pages that look different.
func (t *Settled) Learn(s *Lookup, different float32) {
	if s == nil || s.noisy == nil {
		return
	}
	t.pages++
	t.Count.Reused += len(s.Settled)
	for k, i := range s.rows {
		b, known := t.find(s.Keys[i])
		if s.Whole && known && b.isSettled(s.news) {
			t.compare(b.noise == s.noisy[i])
		}
		if b.noise != s.noisy[i] {
			b = settledBlock{noise: s.noisy[i]}
		}
		b.fresh = s.fresh[i]
		b.judged(s, k)
		if b.newest != t.pages {
			b.visits, b.newest = b.visits+1, t.pages
		}
		t.put(s.Keys[i], b)
	}
	for k, i := range s.Settled {
		b := s.reused[k]
		if b.noise != s.noisy[i] { // by its surroundings
			b.visits = 0
		}
		t.put(s.Keys[i], b)
	}
	if different > memory.RedesignShare || t.lately.Differed > 1+t.lately.Agreed/settledDoubt {
		t.Forget()
	}
}

func (t *Settled) compare(same bool) {
	for _, n := range []*model.Settled{&t.Count, &t.lately} {
		if same {
			n.Agreed++
		} else {
			n.Differed++
		}
	}
}

// judged takes what the forests gave for the k-th row.
func (b *settledBlock) judged(s *Lookup, k int) {
	margin := s.odds[s.rows[k]]
	if !b.noise {
		margin = -margin
	}
	if b.visits == 0 || margin < b.margin {
		b.margin = margin
	} else {
		b.margin += (margin - b.margin) / 16
	}
	for c := range s.convention + 1 {
		weight := float32(settledMean)
		if b.visits == 0 || c > 0 && !b.news {
			weight = 1
		}
		for forest, odds := range s.found[c] {
			b.odds[c][forest] += weight * (odds[k] - b.odds[c][forest])
		}
	}
	b.news = b.news || s.convention > 0
}
