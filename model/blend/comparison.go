package blend

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// Trees ask whether a feature of a row is below a threshold, and most trees ask about the same few thresholds. So each
// threshold is compared with all rows before any tree runs, and for all forests at once.

// cutTable has the thresholds of all forests.
type cutTable struct {
	// cuts are the ranks of the thresholds of each feature in ascending order. Those of feature f are from first[f] to
	// first[f+1].
	cuts  []int32
	first []int32
	// most is the greatest number of thresholds of a feature.
	most int
	// released has comparisons for reuse.
	released sync.Pool
}

// newCutTable collects the thresholds of forests over rows of the given width.
func newCutTable(width int, forests ...encodedForest) *cutTable {
	byFeature := make([][]int32, width)
	for _, f := range forests {
		for _, t := range f.trees {
			for i := range t.size() {
				if feature, _, _, threshold := t.node(i); feature >= 0 {
					byFeature[feature] = append(byFeature[feature], rankOf(threshold))
				}
			}
		}
	}
	t := &cutTable{first: make([]int32, width+1)}
	for feature, cuts := range byFeature {
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		t.cuts, t.most = append(t.cuts, cuts...), max(t.most, len(cuts))
		t.first[feature+1] = int32(len(t.cuts))
	}
	return t
}

// index returns the index of a threshold.
func (t *cutTable) index(feature int, threshold float32) int32 {
	i, _ := slices.BinarySearch(t.cuts[t.first[feature]:t.first[feature+1]], rankOf(threshold))
	return t.first[feature] + int32(i)
}

// rowSet is a set of up to 64 rows.
type rowSet = uint64

// together is the number of rows in a rowSet.
const together = 64

// comparison records for rows which thresholds they are below.
type comparison struct {
	table *cutTable
	rows  int
	// blocks are the blocks that the rows are for, nil for all.
	blocks []int32
	// starts are the rows with which parts of the page begin. Rows of one part have the same values.
	starts starts
	// over has, for each group of 64 rows and each threshold, the rows that are not below it.
	over []rowSet
	// values, parts, column and marks are working memory: for the values of a group of features and the parts that have
	// them, for those of one feature, and for its thresholds.
	values        []float32
	parts, column runs
	marks         []rowSet
}

// newComparison returns a comparison of the given number of rows. The caller may release it after use.
func (t *cutTable) newComparison(rows int) *comparison {
	c, ok := t.released.Get().(*comparison)
	if !ok {
		c = &comparison{table: t, marks: make([]rowSet, t.most+1)}
	}
	n := (rows + together - 1) / together * len(t.cuts)
	c.rows, c.blocks, c.over = rows, nil, slices.Grow(c.over[:0], n)[:n]
	return c
}

// block returns the block that the i-th row is for.
func (c *comparison) block(i int) int {
	if c.blocks == nil {
		return i
	}
	return int(c.blocks[i])
}

// release keeps the memory of a comparison for the next page, unless it is far larger than most need. c may be nil.
func (c *comparison) release() {
	if c != nil && len(c.over) <= 32*len(c.table.cuts) {
		c.table.released.Put(c)
	}
}

// group returns the comparisons of the group that starts with the given row.
func (c *comparison) group(start int) []rowSet {
	n := len(c.table.cuts)
	return c.over[start/together*n:][:n]
}

// compare compares the features of a group for all rows. It does nothing if no tree asks about them.
func (g *featureGroup[T]) compare(c *comparison, of T) {
	width := len(g.columns)
	if c.table.first[g.first] == c.table.first[g.first+width] {
		return
	}
	c.values = slices.Grow(c.values[:0], min(c.rows, together)*width)
	values := c.values[:cap(c.values)]
	rows, column := &c.parts, &c.column
	for start := 0; start < c.rows; start += together {
		all := ^rowSet(0) >> max(together-(c.rows-start), 0)
		rows.n = 0
		for first := all & c.starts.of(g.part, start/together); first != 0; rows.n++ {
			g.fill(of, values[rows.n*width:rows.n*width:(rows.n+1)*width], c.block(start+bits.TrailingZeros64(first)))
			first &= first - 1
			rows.upTo[rows.n&(together-1)] = (first&-first - 1) & all
		}
		over := c.group(start)
		for f := range width {
			first, end := c.table.first[g.first+f], c.table.first[g.first+f+1]
			if first < end {
				column.join(rows, values[f:], width)
				column.compare(over[first:end], c.table.cuts[first:end], c.marks)
			}
		}
	}
}

// runs are runs of up to 64 neighbouring rows that have the same values. The processor cannot predict where a run ends
// or which thresholds a value is below, so that little here branches on values.
type runs struct {
	n int
	// upTo has the rows up to the end of each run, values its value.
	upTo   [together]rowSet
	values [together]float32
}

// join fills in the runs of one column. Of the given rows, more neighbours have the same value in it. The values are
// width apart.
func (r *runs) join(rows *runs, values []float32, width int) {
	last, end := math.Float32bits(values[0]), 0
	for i := range rows.n {
		x := values[i*width]
		now := math.Float32bits(x)
		other := int32(now ^ last)
		end += int(uint32(other|-other) >> 31) // 1 if there is a difference
		r.upTo[end&(together-1)], r.values[end&(together-1)] = rows.upTo[i&(together-1)], x
		last = now
	}
	r.n = end + 1
}

// compare finds for each threshold the rows that are not below it. marks is working memory, all zero before and after.
func (r *runs) compare(over []rowSet, cuts []int32, marks []rowSet) {
	before := rowSet(0)
	for i := range r.n {
		passed, above := 0, int64(rankOf(r.values[i&(together-1)]))+1
		for rest := len(cuts); rest > 0; rest >>= 1 { // a binary search: all bits of the sign are 1 if the value passes
			half := (rest + 1) >> 1
			sign := (int64(cuts[passed+half-1]) - above) >> 63
			passed += half & int(sign)
		}
		upTo := r.upTo[i&(together-1)]
		marks[passed] |= upTo &^ before
		before = upTo
	}
	rows := rowSet(0)
	for i := len(over) - 1; i >= 0; i-- {
		rows |= marks[i+1]
		over[i], marks[i+1] = rows, 0
	}
	marks[0] = 0
}

// rankOf maps numbers to integers in the same order.
func rankOf(x float32) int32 {
	b := int32(math.Float32bits(x + 0)) // the sum has no negative zero
	return b ^ int32(uint32(b>>31)>>1)
}
