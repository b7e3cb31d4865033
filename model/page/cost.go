package page

import (
	"bytes"

	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// costPerTag is the most memory of a tag or text in bytes: a node while the tree is built; afterwards an element and a
// text, an attribute and a block; and the same again for slices that have just grown.
const costPerTag = 720

// Cost estimates the peak memory of parsing src in bytes, including src. It is for a semaphore that bounds the memory
// of several pages. It takes about a microsecond for 100 kB and errs on the high side. A page beyond the bounds of
// [Parse] counts as the largest page within them.
func Cost(src []byte) int64 {
	return cost(int64(len(src)), int64(bytes.Count(src, []byte("<"))))
}

// MaxCost is the [Cost] of the most expensive page of n bytes.
func MaxCost(n int64) int64 { return cost(n, n) }

func cost(size, tags int64) int64 {
	return 4*size + costPerTag*min(tags, htmltree.MaxTokens)
}
