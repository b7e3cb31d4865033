package page

import (
	"bytes"

	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// costPerTag is what a tag or a text costs at most in the tree, in bytes: a node, while the tree is built; an element
// and a text, an attribute and a block, after that; and as much again for slices that have just grown.
const costPerTag = 720

// Cost estimates how many bytes of memory parsing src takes at its peak, src included. It is meant for a semaphore that
// bounds what several pages take at once, takes about a microsecond for 100 kB, and errs on the high side. A page
// beyond what [Parse] reads counts as the largest one that it does read.
func Cost(src []byte) int64 {
	return cost(int64(len(src)), int64(bytes.Count(src, []byte("<"))))
}

// MaxCost is the [Cost] of the costliest page of n bytes.
func MaxCost(n int64) int64 { return cost(n, n) }

func cost(size, tags int64) int64 {
	return 4*size + costPerTag*min(tags, htmltree.MaxTokens)
}
