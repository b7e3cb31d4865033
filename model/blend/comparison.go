package blend

import (
	"slices"
	"sync"
)

// Trees ask whether a feature of a row is below a threshold, and most trees ask about the same few thresholds. So each
// threshold is compared with all rows before any tree runs, and for all forests at once.

// cutTable has the thresholds of all forests.
type cutTable struct {
	// cuts are the thresholds of each feature in ascending order. Those of feature f are from first[f] to first[f+1].
	cuts  []float32
	first []int32
	// released has comparisons for reuse.
	released sync.Pool
}

// newCutTable collects the thresholds of forests over rows of the given width.
func newCutTable(width int, forests ...encodedForest) *cutTable {
	byFeature := make([][]float32, width)
	for _, f := range forests {
		for _, t := range f.trees {
			for i := range t.size() {
				if feature, _, _, threshold := t.node(i); feature >= 0 {
					byFeature[feature] = append(byFeature[feature], threshold)
				}
			}
		}
	}
	t := &cutTable{first: make([]int32, width+1)}
	for feature, cuts := range byFeature {
		slices.Sort(cuts)
		t.cuts = append(t.cuts, slices.Compact(cuts)...)
		t.first[feature+1] = int32(len(t.cuts))
	}
	return t
}

// index returns the index of a threshold.
func (t *cutTable) index(feature int, threshold float32) int32 {
	i, _ := slices.BinarySearch(t.cuts[t.first[feature]:t.first[feature+1]], threshold)
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
	// over has, for each group of 64 rows and each threshold, the rows that are not below it.
	over []rowSet
	// values is working memory for the values of a group.
	values []float32
}

// newComparison returns a comparison of the given number of rows. The caller may release it after use.
func (t *cutTable) newComparison(rows int) *comparison {
	c, ok := t.released.Get().(*comparison)
	if !ok {
		c = &comparison{table: t}
	}
	n := (rows + together - 1) / together * len(t.cuts)
	c.rows, c.over = rows, slices.Grow(c.over[:0], n)[:n]
	return c
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

// compare compares the features [from, to) of all rows. row appends these of the i-th row to an empty slice.
func (c *comparison) compare(from, to int, row func(dst []float32, i int) []float32) {
	width := to - from
	c.values = slices.Grow(c.values[:0], min(c.rows, together)*width)
	values := c.values[:cap(c.values)]
	for start := 0; start < c.rows; start += together {
		n, over := min(together, c.rows-start), c.group(start)
		for i := range n {
			row(values[i*width:i*width:(i+1)*width], start+i)
		}
		for f := range width {
			first, end := c.table.first[from+f], c.table.first[from+f+1]
			compareColumn(over[first:end], c.table.cuts[first:end], values[f:], width, n)
		}
	}
}

// compareColumn compares the thresholds of one feature with n rows. Their values are width apart. Neighbouring rows
// have many values in common.
func compareColumn(over []rowSet, cuts, values []float32, width, n int) {
	clear(over)
	if len(cuts) == 0 {
		return
	}
	passed := 0 // the number of thresholds that a row is not below
	for i := 0; i < n; {
		x := values[i*width]
		end := i + 1
		for end < n && values[end*width] == x {
			end++
		}
		for passed < len(cuts) && x >= cuts[passed] {
			passed++
		}
		for passed > 0 && x < cuts[passed-1] {
			passed--
		}
		if passed > 0 {
			over[passed-1] |= 1<<end - 1<<i
		}
		i = end
	}
	for i := len(over) - 2; i >= 0; i-- {
		over[i] |= over[i+1]
	}
}
