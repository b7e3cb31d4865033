package styletree

// Sizes in memory. The size of an element node includes its verdict.
const (
	elemBytes    = 16 + 8
	styleBytes   = 32
	contentBytes = 32
	featureBytes = 12
	treeBytes    = 512
)

// bytes is the approximate size of the tree in memory.
func (t *Tree) bytes() int {
	n := treeBytes + cap(t.elems)*elemBytes + cap(t.styles)*styleBytes + cap(t.contents)*contentBytes
	n += t.Learned.Bytes() + t.sketches.bytes()
	for i := range t.contents {
		n += cap(t.contents[i].features) * featureBytes
	}
	return n
}

// Settle implements [base.State].
func (t *Tree) Settle() {
	for t.opts.DecayEvery > 0 && t.pagesOf(0).Float() >= 2*float64(t.opts.DecayEvery) {
		t.decay()
	}
	if t.unreachable {
		t.rebuild(keepAll)
	}
	if t.bytes() > t.opts.Limits.Memory {
		t.shrink(t.opts.Limits.Memory * 3 / 4) // so that the next page does not evict again
	}
	t.verdicts.Store(nil)
}

// decay halves all sums and removes entries that fall to zero.
func (t *Tree) decay() {
	for i := range t.styles {
		t.styles[i].n /= 2
		if t.styles[i].others() {
			t.styles[i].k = (t.styles[i].k + 1) / 2
		}
	}
	for i := range t.contents {
		t.contents[i].halve()
	}
	t.rebuild(func(s *style, _ int) fate {
		if s.n == 0 {
			return drop
		}
		return keep
	})
}

// shrink evicts rare parts until the tree takes at most target bytes, if it can. Each round doubles the number of pages
// up to which a part is rare. It evicts first the content features of few pages, then style nodes that have siblings,
// then any style nodes, then the counts of style nodes.
func (t *Tree) shrink(target int) {
	for floor := one; floor != 0; floor *= 2 {
		for _, step := range t.evictions(floor) {
			step()
			if t.bytes() <= target {
				return
			}
		}
	}
}

// evictions are the steps of one round of shrink. The step that loses least comes first.
func (t *Tree) evictions(floor fixed) []func() {
	rare := func(s *style) bool { return s.n <= floor && !s.others() }
	return []func(){
		func() { t.rebuild(keepAll) },
		func() { t.evictFeatures(floor); t.rebuild(keepAll) },
		func() {
			t.rebuild(func(s *style, beside int) fate { return fateIf(rare(s) && beside > 1, hollow) })
		},
		func() { t.rebuild(func(s *style, _ int) fate { return fateIf(rare(s), hollow) }) },
		func() { t.rebuild(func(s *style, _ int) fate { return fateIf(rare(s) && s.hollow(), fold) }) },
	}
}

// evictFeatures drops the features that occurred at most floor times and on under a quarter of the pages. A feature of
// the first few pages is not rare yet, and its leaf may turn out to be template.
func (t *Tree) evictFeatures(floor fixed) {
	for i := range t.styles {
		s := &t.styles[i]
		if c := t.content(int32(i)); c != nil {
			c.evict(func(f feature) bool { return f.Total <= floor && f.Total <= s.n/4 })
		}
	}
}
