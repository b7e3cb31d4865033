package page

// Verdict is the verdict on one block.
type Verdict struct {
	Noise bool
	// Score is the probability in [0,1] that the block is noise, according to the detector.
	Score float32
}

// Mark is one maximal noisy part of a page: an element whose whole subtree is removed or, if Element is None, a run of
// blocks that no element holds alone.
type Mark struct {
	Element ElementID
	// BlockStart and BlockEnd delimit the blocks that the mark removes. They may be empty, because an element without
	// text (a banner image, an empty frame) can be noise too.
	BlockStart, BlockEnd BlockID
	Kind                 Kind
	// Score is the mean Score of the mark's blocks, weighted by their length, in [0,1].
	Score float32
}

// Marking is a detector's result for one page.
type Marking struct {
	// Verdicts has one entry per block of the page.
	Verdicts []Verdict
	// Marks are disjoint and in document order.
	Marks []Mark
	// Parts are the parts that the detector names, those of one kind by descending weight, or nil. They may nest, and
	// be in noise.
	Parts []Part
	// Pages is the number of the host's pages that the marking is based on.
	Pages int
	// PageKind is the kind of the whole page.
	PageKind PageKind
	// Confidence is the F1 of the kept words that pages marked like this one had on average, in [0,1]. It is 0 from
	// detectors that do not say.
	Confidence float32
	// Thin says that very little text is kept: the page is a shell, a notice, a picture.
	Thin bool
	// Decided marks the elements that people have decided about, or is nil. No policy changes them.
	Decided []bool
	// Pass, when not empty, says why the page should pass unchanged ("application", "no-content").
	Pass string
	// Reading is what the detector has read of the page, for learning it; nil from detectors that keep nothing.
	Reading Reading
}

// Reading is what a detector has read of a page to mark it, and needs again to learn it. It is read-only, and only the
// detector looks into it.
type Reading interface {
	// IsOf reports whether it was read of p.
	IsOf(p *Page) bool
}
