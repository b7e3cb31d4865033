package blockwords

import (
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model"
)

// Options are the constants of the published system and those of its online form. The zero value of a field means its
// default. The slides that describe the system name no thresholds: all but the 32 bits of an occurrence list are marked
// (ours).
type Options struct {
	// Overlap is the number of positions that the occurrence lists of a word in two blocks must share for the blocks to
	// be of one Word-Feature Cluster, or all that the shorter list has where that is fewer: most words stand in a block
	// once. Negative: none, so that a word counts wherever in the block it stands. (ours)
	Overlap int
	// MinPages is the fewest blocks, one a page, of a cluster that makes its word a template word. (ours)
	MinPages int
	// MinShare is the share that such a cluster must have of the blocks of its Block Style Cluster, in (0,1]. (ours)
	MinShare float64
	// TemplateShare is the share of template words from which a block is template, in (0,1]. (ours)
	TemplateShare float64
	// Layout reports the tags that are layout only: the tree is built without them. The slides: TD and TR, among others.
	Layout func(atom.Atom) bool
	// Attrs are the attributes that tell blocks apart beside their position. nil means the default, an empty list that
	// positions alone count. (ours) The list: the attributes of HTML 4 that say how an element looks. class and id can
	// be added, but don't pay: pages write their state and their own name there.
	Attrs []string
	// MaxWords is the most entries of the index, a word in a block each, that are kept of one page, one half from its
	// beginning and one from its end, where templates are. (ours)
	MaxWords int
	// Limits are the hard budgets of one model. (ours)
	Limits model.Limits
}

// Window is the number of pages that are kept: as many as a bitmap has bits. (ours)
const Window = 32

// DefaultOptions returns the values of the slides, and ours where they are silent.
//
// MinPages, MinShare, TemplateShare: chosen on every fourth of the 125 training sites, not on those that figures are
// reported on. On pages 21+ macro F1 rises from 0.79 with shares of 0.1 and 0.5 to 0.86 with 0.7 and 0.9; three pages
// in place of two give 0.87 there, but cost 0.05 of F1 on pages 2 to 5. Attrs: the same with class added loses 0.02 of
// F1.
func DefaultOptions() Options {
	return Options{
		Overlap:       1,
		MinPages:      2,
		MinShare:      0.7,
		TemplateShare: 0.9,
		MaxWords:      8192, // so that three pages at the least fit into the encoding
		Layout:        placing,
		Attrs:         []string{"align", "background", "bgcolor", "border", "color", "face", "height", "size", "valign", "width"},
		Limits:        model.DefaultLimits(),
	}
}

// placing reports the parts of a table.
func placing(tag atom.Atom) bool {
	switch tag {
	case atom.Td, atom.Tr, atom.Th, atom.Tbody, atom.Thead, atom.Tfoot:
		return true
	}
	return false
}
