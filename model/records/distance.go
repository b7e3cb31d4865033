package records

import "slices"

// comparer computes edit distances of tag strings within a bounded total cost. Equal strings cost nothing.
type comparer struct {
	maxDistance float64
	maxTags     int
	// left is the number of remaining steps.
	left int
	rows [2][]int
}

// distance returns the Levenshtein distance of two tag strings, normalised by the length of the longer one, and whether
// it is small enough to count as similar. If it is not, or no steps are left, the distance is 1.
func (c *comparer) distance(a, b []tag) (float64, bool) {
	if len(a) > len(b) {
		a, b = b, a
	}
	if float64(len(b)-len(a)) > c.maxDistance*float64(len(b)) {
		return 1, false // the difference of the lengths alone is too large
	}
	if slices.Equal(a, b) {
		return 0, true
	}
	a, b = a[:min(len(a), c.maxTags)], b[:min(len(b), c.maxTags)]
	limit := int(c.maxDistance * float64(len(b)))
	d := c.levenshtein(a, b, limit)
	if d > limit {
		return 1, false
	}
	return float64(d) / float64(max(len(b), 1)), true
}

// levenshtein returns the edit distance of a and b, where a is the shorter, if it is at most limit, and limit+1
// otherwise. It fills in only the band of the table that a path of at most limit steps can reach (Ukkonen 1985).
func (c *comparer) levenshtein(a, b []tag, limit int) int {
	cost := len(b) * (2*limit + 1)
	if c.left < cost {
		return limit + 1
	}
	c.left -= cost
	above, row := c.row(0, len(a)+1), c.row(1, len(a)+1)
	for i := range above {
		above[i] = i
	}
	for j := 1; j <= len(b); j++ {
		from, to := max(1, j-limit), min(len(a), j+limit)
		row[from-1] = limit + 1 // outside of the band, like the end of the row above
		if from == 1 {
			row[0] = min(j, limit+1)
		}
		if j > 1 && to == j+limit {
			above[to] = limit + 1
		}
		for i := from; i <= to; i++ {
			change := above[i-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[i] = min(change, above[i]+1, row[i-1]+1, limit+1)
		}
		above, row = row, above
	}
	return above[len(a)]
}

func (c *comparer) row(i, n int) []int {
	if cap(c.rows[i]) < n {
		c.rows[i] = make([]int, n)
	}
	return c.rows[i][:n]
}
