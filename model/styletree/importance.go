package styletree

import "math"

// nodeImp is the importance of the presentation of element node e, l its style nodes and p_i the share of the m pages
// that use the i-th: NodeImp(E) = −Σ p_i·log_m p_i if m > 1; 1 if m = 1.
func (t *Tree) nodeImp(e int32) (imp float64, m fixed, l int) {
	for s := t.elems[e].styles; s != none; s = t.styles[s].next {
		m = m.Plus(t.styles[s].n)
		l += t.styles[s].count()
	}
	if m <= one {
		return 1, m, l
	}
	if l == 1 {
		return 0, m, l
	}
	logM := math.Log(m.Float())
	for s := t.elems[e].styles; s != none; s = t.styles[s].next {
		imp += styleEntropy(&t.styles[s], m) / logM
	}
	return min(max(imp, 0), 1), m, l
}

// styleEntropy is −p·ln p of a style node that n of m pages use. A node that stands for k evicted nodes counts as k
// nodes of equal share.
func styleEntropy(s *style, m fixed) float64 {
	k := max(s.count(), 1)
	p := s.n.Float() / m.Float() / float64(k)
	if p <= 0 {
		return 0
	}
	return -float64(k) * p * math.Log(p)
}

// importances computes the composite importance of every element node, bottom up.
func (t *Tree) importances() []float32 {
	comp := make([]float32, len(t.elems))
	for e := int32(len(t.elems)) - 1; e >= 0; e-- {
		comp[e] = float32(t.compImp(e, comp))
	}
	return comp
}

// compImp is the composite importance of element node e, given those of the nodes below it. For a leaf it is the
// importance of its content, otherwise CompImp(E) = (1−γ^l)·NodeImp(E) + γ^l·Σ p_i·CompImp(S_i).
func (t *Tree) compImp(e int32, comp []float32) float64 {
	node, m, l := t.nodeImp(e)
	if m <= one {
		return 1 // the formulas also give 1: everything below occurs on one page
	}
	if t.leaf(e) {
		return t.styleImp(t.elems[e].styles, node, comp)
	}
	below := 0.0
	for s := t.elems[e].styles; s != none; s = t.styles[s].next {
		below += t.styles[s].n.Float() / m.Float() * t.styleImp(s, node, comp)
	}
	weight := math.Pow(t.opts.Gamma, float64(l))
	return (1-weight)*node + weight*below
}

// leaf reports that no page has child elements in e.
func (t *Tree) leaf(e int32) bool {
	s := t.elems[e].styles
	return s != none && t.styles[s].next == none && !t.styles[s].hollow() && t.styles[s].k == 0
}

// styleImp is the composite importance of a style node: CompImp(S) = (Σ_j CompImp(E_j)) / k over its k element nodes.
// Content beside them, or instead of them, adds one leaf (ours). The contents of a hollow node are unknown, so it has
// the importance of the presentation of the element node above it, node, and changes nothing there.
func (t *Tree) styleImp(i int32, node float64, comp []float32) float64 {
	s := &t.styles[i]
	if s.hollow() {
		return node
	}
	sum, k := 0.0, float64(s.k)
	for _, c := range comp[s.first : s.first+s.k] {
		sum += float64(c)
	}
	if own := t.content(i); own != nil || s.k == 0 {
		sum += own.importance(s.n)
		k++
	}
	return sum / k
}

// content returns the content directly in the element node on the pages of style node i, or nil.
func (t *Tree) content(i int32) *content {
	if c := t.styles[i].content; c != none {
		return &t.contents[c]
	}
	return nil
}
