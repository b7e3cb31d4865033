package cssrules

import (
	"slices"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// wood is the trees of all samples, one after the other, with the elements and texts of all numbered in one row.
type wood struct {
	samples []Sample
	elems   []elem
	// content and noise are the weight of each text: the share that it has in its page, so that every page counts the
	// same. One of the two is 0.
	content, noise []float64
	// first is the first element of each sample.
	first []int32
	// having are the elements with an id, a class, an attribute or a tag.
	having map[string][]int32
	// work counts the elements that selectors were tried on.
	work int
}

// elem is one element of one page.
type elem struct {
	sample, parent int32
	// sub is one past the last element of the subtree.
	sub int32
	tag string
	id  string
	// classes and attrs can be used in selectors.
	classes []string
	attrs   []attr
	// nth is the position among the siblings of that tag, from 1.
	nth int
	// from and to delimit the texts of the subtree.
	from, to int32
}

// none stands for no element.
const none = -1

// lightest is the content, in words, that each page has at least, so that the words of nearly empty pages do not
// outweigh those of others. noisiest is how many times as much as its content a page's noise can weigh.
const (
	lightest = 40
	noisiest = 3
)

func newWood(samples []Sample) *wood {
	w := &wood{samples: samples, having: map[string][]int32{}}
	for i := range samples {
		w.add(int32(i))
	}
	for i := range w.elems {
		w.index(int32(i))
	}
	return w
}

// add adds the tree of one sample.
func (w *wood) add(sample int32) {
	s := w.samples[sample]
	p := s.Page
	elems, texts := int32(len(w.elems)), int32(len(w.content))
	words := make([]float64, len(p.Texts))
	content, noise := 0., 0.
	for i, t := range p.Texts {
		if t.Block == page.None || s.Labels[t.Block] == Unknown {
			continue
		}
		if words[i] = wordsIn(t.Data); s.Labels[t.Block] == Noise {
			noise += words[i]
		} else {
			content += words[i]
		}
	}
	w.first = append(w.first, elems)
	whole := max(content, noise/noisiest, lightest)
	for i, t := range p.Texts {
		var c, n float64
		if t.Block != page.None && s.Labels[t.Block] == Noise {
			n = words[i] / whole
		} else {
			c = words[i] / whole
		}
		w.content, w.noise = append(w.content, c), append(w.noise, n)
	}
	for e := range p.Elements {
		el := &p.Elements[e]
		one := elem{sample: sample, parent: none, sub: elems + int32(el.Sub), tag: el.Name, from: texts + el.TextStart, to: texts + el.TextEnd}
		if el.Parent != page.None {
			one.parent = elems + int32(el.Parent)
		}
		if el.Tag != atom.Html {
			one.classes, one.attrs = classesOf(p, page.ElementID(e)), attrsOf(p, page.ElementID(e))
			if id, _ := p.Attr(page.ElementID(e), "id"); isName(id) {
				one.id = id
			}
		}
		w.elems = append(w.elems, one)
	}
	w.number(elems, p)
}

// wordsIn is the number of words of a text: they are what people miss, and what is measured.
func wordsIn(text string) (n float64) {
	for range page.Words(text) {
		n++
	}
	return n
}

// number counts the siblings of each name, for the elements from first on.
func (w *wood) number(first int32, p *page.Page) {
	counts := map[string]int{}
	for e := range p.Elements {
		clear(counts)
		for c := range p.Children(page.ElementID(e)) {
			child := &w.elems[first+int32(c)]
			counts[child.tag]++
			child.nth = counts[child.tag]
		}
	}
	w.elems[first].nth = 1
}

// index adds an element to those that have what it has.
func (w *wood) index(e int32) {
	el := &w.elems[e]
	put := func(key string) { w.having[key] = append(w.having[key], e) }
	put(el.tag)
	if el.id != "" {
		put("#" + el.id)
	}
	for i, c := range el.classes {
		if !slices.Contains(el.classes[:i], c) {
			put("." + c)
		}
	}
	for _, a := range el.attrs {
		put("[" + a.key + "=" + a.val)
	}
}

// rarest returns the elements that have the rarest thing of a step.
func (w *wood) rarest(st step) []int32 {
	least := []int32(nil)
	take := func(key string) {
		if l := w.having[key]; least == nil || len(l) < len(least) {
			least = l
			if least == nil {
				least = []int32{}
			}
		}
	}
	if st.tag != "" {
		take(st.tag)
	}
	if st.id != "" {
		take("#" + st.id)
	}
	for _, c := range st.classes {
		take("." + c)
	}
	for _, a := range st.attrs {
		take("[" + a.key + "=" + a.val)
	}
	return least
}

// is reports whether an element is as a step says.
func (el *elem) is(st step) bool {
	if st.tag != "" && el.tag != st.tag || st.id != "" && el.id != st.id || st.nth != 0 && el.nth != st.nth {
		return false
	}
	for _, c := range st.classes {
		if !slices.Contains(el.classes, c) {
			return false
		}
	}
	for _, a := range st.attrs {
		if !slices.Contains(el.attrs, a) {
			return false
		}
	}
	return true
}

// matches reports whether an element is the last of a selector.
func (w *wood) matches(s Selector, e int32) bool {
	w.work++
	last := s[len(s)-1]
	if !w.elems[e].is(last) {
		return false
	}
	if len(s) == 1 {
		return true
	}
	for up := w.elems[e].parent; up != none; up = w.elems[up].parent {
		if w.matches(s[:len(s)-1], up) {
			return true
		}
		if last.child {
			return false
		}
	}
	return false
}

// span is a range of texts.
type span struct{ from, to int32 }

// reach returns the texts of what a selector selects, as disjoint spans in order, the number of pages with a match, and
// whether a match lies in another.
func (w *wood) reach(s Selector) (spans []span, pages int, nested bool) {
	end, sample := int32(-1), int32(-1)
	for _, e := range w.rarest(s[len(s)-1]) {
		el := &w.elems[e]
		if el.from >= el.to || !w.matches(s, e) {
			continue
		}
		if el.to <= end {
			nested = true
			continue
		}
		if el.sample != sample {
			sample = el.sample
			pages++
		}
		spans, end = append(spans, span{el.from, el.to}), el.to
	}
	return spans, pages, nested
}
