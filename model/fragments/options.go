// Package fragments finds the service parts of a site's pages as chains of markup that many pages share, after A. P.
// Shorkin, "An algorithm for extracting significant information from the pages of web sites" (Doklady BGUIR 4 (74),
// 2013). It learns from a batch of pages of one site and produces verdicts: a chain that all pages of a cluster share
// is noise.
//
// A page is a sequence of fragments: one tag, or the text between two tags, without white space. Every six consecutive
// fragments are a chain. The two pages with the greatest length of chains in common begin a cluster, unless they are
// duplicates; the chains that they share are its service part. The page that shares most of it joins, and the service
// part shrinks to the chains that all share, as long as it keeps 80 % of its first length. A cluster of four pages is
// valid. The remaining pages are clustered in the same way, at 60 % and 40 % when no more clusters form at the share
// before. Pages that are left over are cleaned with the chains of all clusters.
//
// Where this departs from the paper:
//
//   - Fragments come from the page's tree and not from its bytes, so that quotes and cases of letters do not tell tags
//     apart, and comments do not count.
//   - Keyed 64-bit hashes of chains replace the paper's CRC32, so that a stolen model does not reveal what was read.
//   - The first pair of a cluster is not found by trying all pairs (see seed.go). The clusters are the same.
//   - On the stream of a proxy the batch is the newest pages of the host, clustered again as they change. A page that
//     is not among them takes the cluster that it would have joined.
//   - A block, which is our unit, is noise when most of its text would be deleted. The paper deletes single words of
//     it.
//
// The paper does not define "the whole length" of which duplicates share 70 %. Here it is the length of the longer
// page, because a page that another contains is not its duplicate. Nor does the paper say which of equal pairs comes
// first. Here it is the one whose later page comes first in the batch.
package fragments

import (
	"github.com/winnow-proxy/winnow/model"
)

// Options are the constants of the published system and those of its form on the stream. The zero value of a field
// means its default. Comments marked (ours) describe what is not in the paper.
type Options struct {
	// Chain is min_fragments_chain, the number of fragments in a chain: the shortest run that is deleted. The paper: 6.
	Chain int
	// Duplicate is a share of the longer page's length, in (0,1]. Two pages with more than this in common are
	// duplicates and can't begin a cluster. The paper: 0.7.
	Duplicate float64
	// NavShare is min_nav_length, the share of its first length, in (0,1], that the service part of a cluster must
	// keep. When no cluster can be built, NavShare is lowered by NavStep, down to NavLeast. The paper: 0.8, 0.2, 0.4.
	NavShare, NavStep, NavLeast float64
	// ClusterPages is the least number of pages of a valid cluster. The paper: 4.
	ClusterPages int

	// BlockShare is the share of a block's characters, in (0,1], that must be in service fragments for the block to be
	// noise. (ours) All of them by default, so that no sentence is removed for its first words; see [DefaultOptions].
	BlockShare float64
	// Pages is the number of recent pages of a host that are clustered. (ours)
	Pages int
	// RefitShare is the share of these pages, in (0,1], that must have changed before they are clustered again. (ours)
	RefitShare float64
	// MaxFragments bounds the fragments that are kept of one page. One half comes from its beginning and one from its
	// end, where service parts are. (ours)
	MaxFragments int
	// Limits are the hard budgets of one model. (ours)
	Limits model.Limits
}

// DefaultOptions returns the paper's values, and ours where the paper gives none.
//
// On the 125 training sites, which are not in the reported figures, BlockShare hardly matters: macro F1 on pages 21+ is
// 0.831 at 1, 0.833 at 0.75 and 0.832 at 0.5, and the share of content kept falls from 0.990 to 0.986. The rule on
// duplicates costs these sites more than it gains, because most of a page is now markup that all pages share: without
// it, F1 is 0.851. The rule stays because it is the paper's.
func DefaultOptions() Options {
	return Options{
		Chain:        6,
		Duplicate:    0.7,
		NavShare:     0.8,
		NavStep:      0.2,
		NavLeast:     0.4,
		ClusterPages: 4,
		BlockShare:   1,
		Pages:        64,
		RefitShare:   0.1,
		MaxFragments: 16384,
		Limits:       model.DefaultLimits(),
	}
}
