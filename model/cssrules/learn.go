// Package cssrules says in a few CSS selectors what a model has learned about a host: those that hide the template of
// its pages, and those that hold their content, for blockers, feed readers and scrapers, which know nothing else.
package cssrules

import "context"

// Rules are what a host's pages taught. Each list begins with the most useful selector.
type Rules struct {
	// Hide selects the template.
	Hide []Selector
	// Hold selects the content, and Strip what is template in it. No part of a page is in two matches of Hold.
	Hold, Strip []Selector
	// Title, Author and Date are where pages show or declare them, or nil.
	Title, Author, Date *Field
}

// Bounds on the rules: the most selectors of each kind, how much more it costs to hide content than to leave template,
// and the share of what a selector hides that must be template.
const (
	maxHide = 60
	maxHold = 6
	dearer  = 1.5
	precise = .95
)

// What a selector of cost 1 must bring, as a share of the content of a page: to hide or to strip, and to hold. stripped
// is what noise costs in a part that is held where other selectors can strip it.
const (
	price     = .0006
	holdPrice = .005
	stripped  = .1
)

// Learn finds the rules for the pages of one host.
func Learn(ctx context.Context, samples []Sample) (r Rules, err error) {
	w := newWood(samples)
	per := price * float64(len(samples))
	hiding := newPool(w)
	for _, share := range []float64{1, .9} {
		for _, e := range w.targets(w.noise, w.content, share) {
			w.describe(e, hiding.add)
		}
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
	}
	hide := cover{gain: w.noise, loss: times(w.content, dearer), precise: precise, price: per, most: maxHide}.choose(hiding.list)
	hidden := w.reached(hide)

	holding := newPool(w)
	for e := range w.elems {
		w.describeHolder(holding, int32(e))
	}
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	loss := make([]float64, len(w.noise))
	for i, n := range w.noise {
		if loss[i] = n; hidden[i] {
			loss[i] *= stripped
		}
	}
	hold := cover{gain: w.content, loss: loss, price: holdPrice * float64(len(samples)), most: maxHold, apart: true}.choose(holding.list)
	held := w.reached(hold)
	strip := cover{gain: only(w.noise, held), loss: times(only(w.content, held), dearer), precise: precise, price: per, most: maxHide}.choose(hiding.list)
	r = Rules{Hide: selectorsOf(hide), Hold: selectorsOf(hold), Strip: selectorsOf(strip)}
	r.Title, r.Author, r.Date = w.fields()
	return r, ctx.Err()
}

// describeHolder adds the selectors of an element that holds much of its page's content, or little else.
func (w *wood) describeHolder(p *pool, e int32) {
	el := &w.elems[e]
	content, noise := 0., 0.
	for i := el.from; i < el.to; i++ {
		content += w.content[i]
		noise += w.noise[i]
	}
	if el.tag != "html" && content > 0 && (content > .2 || noise < content/20 && content > .01) {
		w.describe(e, p.add)
	}
}

// reached returns which texts candidates reach.
func (w *wood) reached(list []*candidate) []bool {
	reached := make([]bool, len(w.content))
	for _, c := range list {
		for _, s := range c.spans {
			for i := s.from; i < s.to; i++ {
				reached[i] = true
			}
		}
	}
	return reached
}

func times(weights []float64, by float64) []float64 {
	out := make([]float64, len(weights))
	for i, v := range weights {
		out[i] = v * by
	}
	return out
}

// only returns the weights of some texts, and 0 for the others.
func only(weights []float64, of []bool) []float64 {
	out := make([]float64, len(weights))
	for i, v := range weights {
		if of[i] {
			out[i] = v
		}
	}
	return out
}

func selectorsOf(list []*candidate) (out []Selector) {
	for _, c := range list {
		out = append(out, c.selector)
	}
	return out
}
