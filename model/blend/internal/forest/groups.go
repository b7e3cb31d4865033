package forest

import (
	"math/bits"
	"slices"
)

// Group is some features that are computed together.
type Group[T any] struct {
	Names []string
	// Fill appends the values of block i to a row.
	Fill func(of T, row []float32, i int) []float32
	// Part is the kind of parts of the page that the values describe.
	Part Part
	// First is the index of the first of the features in a row.
	First int
	// Add takes the values of the blocks from one to before another, for means over all blocks. It may be nil.
	Add func(of T, values []float32, from, to int)
}

// Part is a kind of parts of the page. All blocks of one part have the same values.
type Part int

// eachBlock is a part of its own.
const eachBlock Part = 0

// starts tells for the rows of a comparison whether the part of some kind that their blocks are in begins with them.
type starts struct {
	// kinds is the number of kinds of parts, rows has a set for each kind and each group of 64 rows.
	kinds int
	rows  []RowSet
}

// StartParts makes room for the starts of the given number of kinds of parts. All begin with the first row of a group.
func (c *Comparison) StartParts(kinds int) {
	n := (c.Rows + GroupSize - 1) / GroupSize * kinds
	c.starts.kinds, c.starts.rows = kinds, slices.Grow(c.starts.rows[:0], n)[:n]
	for i := range c.starts.rows {
		c.starts.rows[i] = 1
	}
}

// Start notes that a part of a kind begins with a row.
func (c *Comparison) Start(kind Part, row int) {
	c.starts.rows[row/GroupSize*c.starts.kinds+int(kind)] |= 1 << (row % GroupSize)
}

// Begins returns the rows of a group of 64 with which a part of a kind begins.
func (c *Comparison) Begins(kind Part, group int) RowSet {
	if kind == eachBlock {
		return ^RowSet(0)
	}
	return c.starts.rows[group*c.starts.kinds+int(kind)]
}

// Compare compares the features of a group for all rows. It does nothing if no tree asks about them or their means.
func (g *Group[T]) Compare(c *Comparison, of T) {
	width := len(g.Names)
	if c.table.first[g.First] == c.table.first[g.First+width] && g.Add == nil {
		return
	}
	c.values = slices.Grow(c.values[:0], min(c.Rows, GroupSize)*width)
	values := c.values[:cap(c.values)]
	rows, column := &c.parts, &c.column
	for start := 0; start < c.Rows; start += GroupSize {
		all := ^RowSet(0) >> max(GroupSize-(c.Rows-start), 0)
		rows.n = 0
		for first := all & c.Begins(g.Part, start/GroupSize); first != 0; rows.n++ {
			block := start + bits.TrailingZeros64(first)
			row := g.Fill(of, values[rows.n*width:rows.n*width:(rows.n+1)*width], block)
			first &= first - 1
			if g.Add != nil {
				g.Add(of, row, block, min(start+bits.TrailingZeros64(first), c.Rows))
			}
			rows.upTo[rows.n&(GroupSize-1)] = (first&-first - 1) & all
		}
		over := c.group(start)
		for f := range width {
			first, end := c.table.first[g.First+f], c.table.first[g.First+f+1]
			if first < end {
				column.join(rows, values[f:], width)
				column.compare(over[first:end], c.table.cuts[first:end], c.marks)
			}
		}
	}
}
