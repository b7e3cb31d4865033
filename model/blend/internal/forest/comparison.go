package forest

import (
	"math"
	"slices"
)

// RowSet is a set of up to 64 rows.
type RowSet = uint64

// GroupSize is the number of rows in a RowSet.
const GroupSize = 64

// Comparison records for rows which thresholds they are below.
type Comparison struct {
	table *CutTable
	Rows  int
	// starts are the rows with which parts of the page begin. Rows of one part have the same values.
	starts starts
	// over has, for each group of 64 rows and each threshold, the rows that are not below it.
	over []RowSet
	// values, parts, column and marks are working memory: for the values of a group of features and the parts that have
	// them, for those of one feature, and for its thresholds.
	values        []float32
	parts, column runs
	marks         []RowSet
}

// NewComparison returns a comparison of the given number of rows. The caller may release it after use.
func (t *CutTable) NewComparison(rows int) *Comparison {
	c, ok := t.released.Get().(*Comparison)
	if !ok {
		c = &Comparison{table: t, marks: make([]RowSet, t.maxCuts+1)}
	}
	n := (rows + GroupSize - 1) / GroupSize * len(t.cuts)
	c.Rows, c.over = rows, slices.Grow(c.over[:0], n)[:n]
	return c
}

// Release keeps the memory of a comparison for the next page, unless it is far larger than most need. c may be nil.
func (c *Comparison) Release() {
	if c != nil && len(c.over) <= 32*len(c.table.cuts) {
		c.table.released.Put(c)
	}
}

// group returns the comparisons of the group that starts with the given row.
func (c *Comparison) group(start int) []RowSet {
	n := len(c.table.cuts)
	return c.over[start/GroupSize*n:][:n]
}

// runs are runs of up to 64 neighbouring rows that have the same values. The processor cannot predict where a run ends
// or which thresholds a value is below, so that little here branches on values.
type runs struct {
	n int
	// upTo has the rows up to the end of each run, values its value.
	upTo   [GroupSize]RowSet
	values [GroupSize]float32
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
		r.upTo[end&(GroupSize-1)], r.values[end&(GroupSize-1)] = rows.upTo[i&(GroupSize-1)], x
		last = now
	}
	r.n = end + 1
}

// compare finds for each threshold the rows that are not below it. marks is working memory, all zero before and after.
func (r *runs) compare(over []RowSet, cuts []int32, marks []RowSet) {
	before := RowSet(0)
	for i := range r.n {
		passed, above := 0, int64(rankOf(r.values[i&(GroupSize-1)]))+1
		for rest := len(cuts); rest > 0; rest >>= 1 { // a binary search: all bits of the sign are 1 if the value passes
			half := (rest + 1) >> 1
			sign := (int64(cuts[passed+half-1]) - above) >> 63
			passed += half & int(sign)
		}
		upTo := r.upTo[i&(GroupSize-1)]
		marks[passed] |= upTo &^ before
		before = upTo
	}
	rows := RowSet(0)
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
