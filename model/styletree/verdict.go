package styletree

// Verdict is the tree's verdict on an element node.
type Verdict uint8

const (
	// Mixed: a part of the descendants is noise.
	Mixed Verdict = iota
	// Noisy: the element node and all its descendants have a composite importance of at most the threshold.
	Noisy
	// Meaningful: no descendant is noisy.
	Meaningful
	// Unseen: no page had this element in this position.
	Unseen
)

// String returns the verdict in lower case.
func (v Verdict) String() string {
	return [...]string{"mixed", "noisy", "meaningful", "unseen"}[v]
}

// verdicts are computed from the sums of a tree.
type verdicts struct {
	// importance is the composite importance and verdict the verdict of each element node.
	importance []float32
	verdict    []Verdict
}

// currentVerdicts returns the verdicts for the current state of the tree. Concurrent readers may compute them twice,
// with equal results.
func (t *Tree) currentVerdicts() *verdicts {
	if v := t.verdicts.Load(); v != nil {
		return v
	}
	v := &verdicts{importance: t.importances()}
	v.verdict = t.decide(v.importance)
	t.verdicts.Store(v)
	return v
}

// decide is the paper's MarkNoise and MarkMeaningful in one pass, bottom up. As printed, MarkNoise returns at the first
// child that is not noisy. But the other children have to be marked too, or maximal noisy nodes are missed.
//
// The descendants of a hollow style node are unknown, so nodes above it are never noisy; whether they are meaningful
// does not depend on it (ours).
func (t *Tree) decide(comp []float32) []Verdict {
	verdict := make([]Verdict, len(t.elems))
	for e := int32(len(t.elems)) - 1; e >= 0; e-- {
		noisy, meaningful := float64(comp[e]) <= t.opts.Threshold, true
		for i := t.elems[e].styles; i != none; i = t.styles[i].next {
			s := &t.styles[i]
			if s.hollow() {
				noisy = false
				continue
			}
			for _, v := range verdict[s.first : s.first+s.k] {
				noisy = noisy && v == Noisy
				meaningful = meaningful && v == Meaningful
			}
		}
		switch {
		case noisy:
			verdict[e] = Noisy
		case meaningful:
			verdict[e] = Meaningful
		}
	}
	return verdict
}
