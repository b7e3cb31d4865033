package blend

import (
	"math/bits"

	"github.com/winnow-proxy/winnow/model"
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

// settledTable is what a host knows of blocks. Mark only reads it.
type settledTable struct {
	// newer are the blocks of the newest pages. When there are too many, they become the older ones, and those before
	// are forgotten.
	newer, older map[uint64]settledBlock
	// pages is the number of pages.
	pages uint32
	// count has the totals, lately those since the table was empty.
	count, lately model.Settled
}

func (t *settledTable) find(key uint64) (settledBlock, bool) {
	b, ok := t.newer[key]
	if !ok {
		b, ok = t.older[key]
	}
	return b, ok
}

func (t *settledTable) put(key uint64, b settledBlock) {
	if len(t.newer) >= settledKept {
		t.newer, t.older = nil, t.newer
	}
	if t.newer == nil {
		t.newer = map[uint64]settledBlock{}
	}
	t.newer[key] = b
}

// forget empties the table.
func (t *settledTable) forget() {
	t.newer, t.older = nil, nil
	t.lately = model.Settled{}
}

func (t *settledTable) bytes() int { return (len(t.newer) + len(t.older)) * settledBytes }

// settlement is what the table gives for one page, and what the page gives for the table. A nil settlement means that
// all blocks are judged.
type settlement struct {
	// keys are those of all blocks, fresh says which have a new text.
	keys  []uint64
	fresh []bool
	// rows are the blocks to judge, settled the others, reused what is known of these.
	rows, settled []int32
	reused        []settledBlock
	// news says that the convention of news matters, whole that all blocks are judged to compare.
	news, whole bool
	// convention is the index of the convention in force, found what the forests gave for the rows, by convention and
	// forest.
	convention int
	found      [2][2][]float32
	// noisy and odds are the verdicts and the final log-odds of all blocks.
	noisy []bool
	odds  []float32
}

// settle looks up the blocks of a page.
func (h *Host) settle(ev *evidence) *settlement {
	v := ev.v
	if ev.m.own > 0 || h.d.w.full == nil {
		return nil
	}
	s := &settlement{keys: make([]uint64, len(v.blocks)), fresh: make([]bool, len(v.blocks)),
		rows: make([]int32, 0, len(v.blocks)), news: h.d.convention == (Convention{}) && v.total.prose >= leastProse,
		whole: v.elems[0].subtree%settledCheck == 0 || !h.pace.isFamiliar(ev.looks())}
	for i := range v.blocks {
		s.keys[i], s.fresh[i] = ev.settledKey(i), ev.isNew(i)
		if b, ok := h.settled.find(s.keys[i]); ok && !s.whole && b.isSettled(s.news) {
			s.settled, s.reused = append(s.settled, int32(i)), append(s.reused, b)
		} else {
			s.rows = append(s.rows, int32(i))
		}
	}
	return s
}

// settledKey is the place of a block with its text. If the text is new, its length and its share of links count
// instead.
func (ev *evidence) settledKey(i int) uint64 {
	b := &ev.v.blocks[i]
	if !ev.isNew(i) {
		return mix(b.place, b.masked)
	}
	size := uint64(bits.Len32(uint32(b.words)))
	return mix(mix(b.place, size<<3|uint64(b.linkChars*4/max(b.chars, 1))), saltText)
}

// newComparison returns a comparison of the blocks to judge, of n blocks in all.
func (s *settlement) newComparison(t *cutTable, n int) *comparison {
	if s == nil {
		return t.newComparison(n)
	}
	c := t.newComparison(len(s.rows))
	c.blocks = s.rows
	return c
}

// join returns the log-odds of all blocks from those that a forest gave for the rows.
func (s *settlement) join(rows []float32, forest int) []float32 {
	if s == nil {
		return rows
	}
	s.found[s.convention][forest] = rows
	odds := make([]float32, len(s.keys))
	for k, i := range s.rows {
		odds[i] = rows[k]
	}
	for k, i := range s.settled {
		odds[i] = s.reused[k].odds[s.convention][forest]
	}
	return odds
}

// turnToNews says that the log-odds that follow are by the convention of news.
func (s *settlement) turnToNews() {
	if s != nil {
		s.convention = 1
	}
}

// decided notes the verdicts.
func (s *settlement) decided(noisy []bool, odds []float32) {
	if s != nil {
		s.noisy, s.odds = noisy, odds
	}
}

// learn takes a marked page into the table. different is the running share of pages that look different.
func (t *settledTable) learn(s *settlement, different float32) {
	if s == nil || s.noisy == nil {
		return
	}
	t.pages++
	t.count.Reused += len(s.settled)
	for k, i := range s.rows {
		b, known := t.find(s.keys[i])
		if s.whole && known && b.isSettled(s.news) {
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
		t.put(s.keys[i], b)
	}
	for k, i := range s.settled {
		b := s.reused[k]
		if b.noise != s.noisy[i] { // by its surroundings
			b.visits = 0
		}
		t.put(s.keys[i], b)
	}
	if different > upheaval || t.lately.Differed > 1+t.lately.Agreed/settledDoubt {
		t.forget()
	}
}

func (t *settledTable) compare(same bool) {
	for _, n := range []*model.Settled{&t.count, &t.lately} {
		if same {
			n.Agreed++
		} else {
			n.Differed++
		}
	}
}

// judged takes what the forests gave for the k-th row.
func (b *settledBlock) judged(s *settlement, k int) {
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
