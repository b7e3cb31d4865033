package styletree

import (
	"slices"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Reading is what trees ask of a page before they look at what they have learned. Whoever marks a page and then learns
// it reads it once ([Read]). It is read-only, and good for all trees with the same key and options.
type Reading struct {
	sketch sketch
	// outline is nil for a page without body.
	outline *outline
}

// Read reads a page for trees with a key and options.
func Read(p *page.Page, h model.Hasher, o Options) *Reading {
	r := &Reading{sketch: sketchPage(p, h)}
	if p.Body != page.None {
		r.outline = newOutline(p, h, o.Attrs)
	}
	return r
}

// KnowsReading is [Tree.Knows] for a page that was read.
func (t *Tree) KnowsReading(r *Reading, v model.Visit) bool {
	return t.Base.Knows(v) || t.sketches.duplicate(r.sketch, t.opts.DuplicateShare)
}

// LearnReading is [Tree.Learn] for a page that was read.
func (t *Tree) LearnReading(r *Reading, v model.Visit) bool {
	if r.outline == nil {
		return false
	}
	t.Learned.Saw(v.At)
	if t.KnowsReading(r, v) {
		return false
	}
	t.Admit(v)
	t.sketches.add(r.sketch)
	t.insert(r.outline)
	t.Settle()
	return true
}

// KnowsPageOf reports whether t has learned the page of one, a tree of a single page, under its own or another URL.
func (t *Tree) KnowsPageOf(one *Tree) bool {
	again := func(sk sketch) bool { return t.sketches.duplicate(sk, t.opts.DuplicateShare) }
	return t.Learned.Covers(&one.Learned) || slices.ContainsFunc(one.sketches.Recent(), again)
}
