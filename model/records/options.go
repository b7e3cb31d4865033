package records

// Options are the constants of the system. The zero value of a field means its default. Comments marked (ours) describe
// what is not in the papers as we know them.
type Options struct {
	// MaxNodes is K, the largest number of siblings in one generalised node. MDR: 10.
	MaxNodes int
	// MaxDistance is the greatest normalised edit distance of two similar generalised nodes. In (0,1). MDR: 0.3.
	MaxDistance float64
	// MinDepth is the least depth, in levels, of the subtree of an element whose children are searched. MDR: 3, for
	// table, tr and td.
	MinDepth int

	// Primary marks everything outside the most important region as noise. (ours)
	Primary bool
	// PictureArea is the area of a picture, in characters. (ours)
	PictureArea int
	// MaxTags bounds the tags of one generalised node that are compared. (ours)
	MaxTags int
	// MaxCost bounds the steps of all edit distances on one page. (ours)
	MaxCost int
}

// DefaultOptions returns the papers' values, and ours where they give none.
func DefaultOptions() Options {
	return Options{MaxNodes: 10, MaxDistance: 0.3, MinDepth: 3, PictureArea: 100, MaxTags: 128, MaxCost: 1 << 24}
}
