package override

import "github.com/winnow-proxy/winnow/model/page"

// remainingParts returns the parts and their records without removed ones, so that results do not list what a rule
// removes. removed marks the removed blocks.
func remainingParts(parts []page.Part, removed []bool) []page.Part {
	var left []page.Part
	for _, part := range parts {
		if allRemoved(part.Extent, removed) {
			continue
		}
		var records []page.Extent
		for _, r := range part.Records {
			if !allRemoved(r, removed) {
				records = append(records, r)
			}
		}
		part.Records = records
		left = append(left, part)
	}
	return left
}

func allRemoved(x page.Extent, removed []bool) bool {
	for b := x.BlockStart; b < x.BlockEnd; b++ {
		if !removed[b] {
			return false
		}
	}
	return x.BlockEnd > x.BlockStart
}
