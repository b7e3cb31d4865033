package cssrules

import "slices"

// candidate is a selector with what it selects on all samples.
type candidate struct {
	selector Selector
	css      string
	spans    []span
	pages    int
	// nested says that a match lies in another.
	nested bool
}

// Bounds on the search: the selectors that are tried, the elements that all of them together are tried on, the spans
// that they may have together, and the named ancestors that an element is described by.
const (
	maxCandidates = 30_000
	maxWork       = 30_000_000
	maxSpans      = 3_000_000
	maxAncestors  = 5
)

// pool collects candidates, each once.
type pool struct {
	w    *wood
	seen map[string]bool
	list []*candidate
	// fewest is the number of pages that a selector must match.
	fewest int
	// until is the work after which no more selectors are tried, spans the number of all spans.
	until, spans int
}

func newPool(w *wood) *pool {
	return &pool{w: w, seen: map[string]bool{}, fewest: min(2, len(w.samples)), until: w.work + maxWork}
}

// add adds a selector if it is plain and new, and selects text on enough pages.
func (p *pool) add(s Selector) {
	if !s.isPlain() {
		return
	}
	css := s.String()
	if p.seen[css] || len(p.seen) >= maxCandidates || p.w.work > p.until || p.spans > maxSpans {
		return
	}
	p.seen[css] = true
	if spans, pages, nested := p.w.reach(s); pages >= p.fewest {
		p.spans += len(spans)
		p.list = append(p.list, &candidate{selector: s, css: css, spans: spans, pages: pages, nested: nested})
	}
}

// describe yields the selectors that an element has: by its own names, by those with the names of an ancestor, and by
// its position below one.
func (w *wood) describe(e int32, yield func(Selector)) {
	if tag := w.elems[e].tag; tag == "html" || tag == "tbody" { // what nothing should name, and what parsers add
		return
	}
	own := w.steps(e)
	for _, st := range own {
		if !st.isBare() {
			yield(Selector{st})
		}
	}
	parent, found := w.elems[e].parent, 0
	for up := parent; up != none && found < maxAncestors; up = w.elems[up].parent {
		names := w.names(up)
		if len(names) == 0 {
			continue
		}
		found++
		for _, a := range names {
			below(a, own, up == parent, yield)
		}
		if found <= 2 {
			yield(w.path(up, e, false))
			yield(w.path(up, e, true))
		}
	}
	yield(w.path(none, e, true))
}

// below yields the selectors of an element by its own steps with that of an ancestor.
func below(ancestor step, own []step, isParent bool, yield func(Selector)) {
	for _, st := range own {
		if st.nth == 0 && (!st.isBare() || ancestor.tag != "body") {
			yield(Selector{ancestor, st})
		}
		if isParent {
			st.child = true
			yield(Selector{ancestor, st})
		}
	}
}

// steps returns what an element can be described by: its tag, its names, pairs of them, its position.
func (w *wood) steps(e int32) []step {
	el := &w.elems[e]
	names := w.names(e)
	steps := slices.Concat(names, []step{{tag: el.tag}, {tag: el.tag, nth: el.nth}})
	for _, st := range names {
		if st.tag == "" {
			st.tag = el.tag
			steps = append(steps, st)
		}
	}
	for i, c := range el.classes {
		for _, d := range el.classes[i+1:] {
			steps = append(steps, step{classes: []string{c, d}})
		}
	}
	for i, a := range el.attrs {
		for _, b := range el.attrs[i+1:] {
			steps = append(steps, step{tag: el.tag, attrs: []attr{a, b}})
		}
	}
	return steps
}

// names returns what names an element: its id, a class or an attribute.
func (w *wood) names(e int32) (steps []step) {
	el := &w.elems[e]
	if el.id != "" {
		steps = append(steps, step{id: el.id})
	}
	for _, c := range el.classes {
		steps = append(steps, step{classes: []string{c}})
	}
	for _, a := range el.attrs {
		steps = append(steps, step{tag: el.tag, attrs: []attr{a}})
	}
	if len(steps) == 0 && isLandmark(el.tag) {
		steps = append(steps, step{tag: el.tag})
	}
	return steps
}

// isBare reports whether a step names nothing that is worth looking for anywhere in a page: a tag of any use.
func (st step) isBare() bool {
	return st.id == "" && len(st.classes)+len(st.attrs) == 0 && (st.nth > 0 || !isLandmark(st.tag) || st.tag == "section")
}

// isLandmark reports whether a tag says by itself what an element is for.
func isLandmark(tag string) bool {
	switch tag {
	case "body", "main", "article", "aside", "nav", "header", "footer", "section", "form", "h1":
		return true
	}
	return false
}

// path returns the way from an ancestor, or from the body, to an element: by children, with the positions of all of
// them or of the last alone. It skips tbody, which parsers add or don't.
func (w *wood) path(from, e int32, all bool) Selector {
	var back Selector
	for at := e; at != from && at != none && w.elems[at].tag != "html"; at = w.elems[at].parent {
		if w.elems[at].tag == "tbody" {
			if n := len(back); n > 0 {
				back[n-1].child = false
			}
			continue
		}
		st := step{child: true, tag: w.elems[at].tag}
		if st.tag != "body" && (all || at == e) {
			st.nth = w.elems[at].nth
		}
		back = append(back, st)
	}
	if from != none {
		if names := w.names(from); len(names) > 0 {
			back = append(back, names[0])
		}
	}
	slices.Reverse(back)
	back[0].child = false
	return back
}

// targets are the elements of all samples that a selector should select: the largest ones of which at least the given
// share of the weight is wanted.
func (w *wood) targets(wanted, other []float64, share float64) (found []int32) {
	good, bad := sums(wanted), sums(other)
	for e := 0; e < len(w.elems); {
		el := &w.elems[e]
		g, b := good[el.to]-good[el.from], bad[el.to]-bad[el.from]
		if el.tag == "html" || g == 0 || g < share*(g+b) {
			e++
			continue
		}
		found = w.named(found, int32(e))
		e = int(el.sub)
	}
	return found
}

// named appends an element and, as far as it has no name, what is in it.
func (w *wood) named(found []int32, e int32) []int32 {
	found = append(found, e)
	el := &w.elems[e]
	if len(w.names(e)) > 0 {
		return found
	}
	for c := e + 1; c < el.sub; c = w.elems[c].sub {
		if w.elems[c].from < w.elems[c].to {
			found = w.named(found, c)
		}
	}
	return found
}

// sums returns the sum of the weights before each text, and of all.
func sums(weights []float64) []float64 {
	s := make([]float64, len(weights)+1)
	for i, v := range weights {
		s[i+1] = s[i] + v
	}
	return s
}
