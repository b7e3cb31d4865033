package blend

import (
	"fmt"

	"github.com/winnow-proxy/winnow/model"
)

// Merge implements model.Host. Pages that both have learned count twice in the memory. In the style tree they count
// once, as far as its sketches reach.
func (h *Host) Merge(other model.Host) error {
	o, ok := other.(*Host)
	if !ok || o.key.ID() != h.key.ID() {
		return fmt.Errorf("merging into a blend model: %w", model.ErrMismatch)
	}
	if err := h.tree.Merge(o.tree); err != nil {
		return fmt.Errorf("merging style trees: %w", err)
	}
	h.memory.merge(o.memory)
	return nil
}

// merge adds the sums of o. Spans add up too: a thing that both know was looked for on the pages of both, and a thing
// that only one knows on the pages of that one.
func (m *memory) merge(o *memory) {
	pages := m.pages + o.pages
	for k, s := range m.seen {
		s.age = age{s.on(m.pages), pages}
		m.seen[k] = s
	}
	for k, s := range o.seen {
		mine := m.seen[k]
		m.seen[k] = sighting{mine.count + s.count, age{mine.span + s.on(o.pages), pages}}
	}
	for k, p := range m.places {
		p.age = age{p.on(m.pages), pages}
		m.places[k] = p
	}
	for k, p := range o.places {
		mine := m.places[k]
		m.places[k] = placeStat{visits: mine.visits + p.visits, finds: mine.finds + p.finds, novel: mine.novel + p.novel,
			score: mine.score + p.score, links: mine.links + p.links, words: mine.words + p.words, fresh: mine.fresh + p.fresh,
			age: age{mine.span + p.on(o.pages), pages}}
	}
	m.pages = pages
	m.settle()
}
