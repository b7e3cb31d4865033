package blend

import (
	"fmt"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/page"
)

// Merge implements model.Host. For pages that both models have learned see [base.Overlap].
func (h *Host) Merge(other model.Host) error {
	o, err := h.sibling(other)
	if err != nil {
		return err
	}
	pages := base.OverlapOf(&h.tree.Learned, &o.tree.Learned)
	if err := h.tree.Merge(o.tree); err != nil {
		return fmt.Errorf("merging style trees: %w", err)
	}
	switch pages {
	case base.Known:
		return nil
	case base.Covered:
		h.memory = memory.NewMemory(h.memory.Budget)
	case base.Partial:
	}
	h.memory.Merge(o.memory)
	return nil
}

// sibling returns other as a model of the same kind and key.
func (h *Host) sibling(other model.Host) (*Host, error) {
	o, ok := other.(*Host)
	if !ok || o.key.ID() != h.key.ID() {
		return nil, fmt.Errorf("merging into a blend model: %w", model.ErrMismatch)
	}
	return o, nil
}

// Increment implements model.Incremental.
func (h *Host) Increment(p *page.Page, visit model.Visit) model.Host {
	if len(p.Blocks) == 0 {
		return nil
	}
	s := h.see(p, visit)
	if h.leavesOut(s, visit) {
		return nil
	}
	h.tree.Learned.Saw(visit.At)
	one := h.d.newHost(h.key)
	if h.tree.KnowsReading(s.page.tree, visit) || !one.tree.LearnReading(s.page.tree, visit) {
		return nil
	}
	one.memory = h.memory.Increment(s.page.Page, h.scoresOf(s))
	return one
}

// Add implements model.Incremental.
func (h *Host) Add(increment model.Host) error {
	o, err := h.sibling(increment)
	if err != nil {
		return err
	}
	if o.tree.Pages() != 1 || o.memory.Pages != 1 {
		return h.Merge(o)
	}
	if h.tree.KnowsPageOf(o.tree) {
		h.tree.Learned.Saw(o.tree.Learned.Last())
		return nil
	}
	if err := h.tree.Merge(o.tree); err != nil {
		return fmt.Errorf("merging style trees: %w", err)
	}
	h.memory.Add(o.memory)
	return nil
}
