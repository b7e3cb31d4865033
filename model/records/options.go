package records

// Options are the constants of the system. The zero value of a field means its default; what the comments call (ours)
// is not in the papers as we know them.
type Options struct {
	// MaxNodes is K, the most siblings that make up one generalised node. MDR: 10.
	MaxNodes int
	// MaxDistance is the greatest normalised edit distance of two generalised nodes that are similar. In (0,1). MDR: 0.3.
	MaxDistance float64
	// MinDepth is the least depth, in levels, of the subtree of an element whose children are looked at. MDR: 3, as
	// table, tr and td.
	MinDepth int

	// Primary marks as noise what lies outside the most important region. (ours)
	Primary bool
	// PictureArea is the area of a picture, in characters. (ours)
	PictureArea int
	// MaxTags is the most tags of one generalised node that are compared. (ours)
	MaxTags int
	// MaxCost is the most steps that edit distances may take on one page. (ours)
	MaxCost int
}

// DefaultOptions returns the papers' values, and ours where they are silent.
func DefaultOptions() Options {
	return Options{MaxNodes: 10, MaxDistance: 0.3, MinDepth: 3, PictureArea: 100, MaxTags: 128, MaxCost: 1 << 24}
}
