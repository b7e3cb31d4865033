package cache

import "context"

// eviction says what evict does with a changed model that it meets.
type eviction int

const (
	stopAtChanged eviction = iota
	passOverChanged
	loseChanged
)

// evict removes the least recently used models from memory until the others fit into limit. It returns false when it
// stopped at a model that must be saved first.
func (m *Models) evict(limit int64, how eviction) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for n := m.entries.Len(); n > 0 && m.bytes > limit; n-- {
		_, e, ok := m.entries.GetOldest()
		if !ok {
			break
		}
		unsaved := m.toSave(e)
		switch {
		case e.users > 0, unsaved && how == passOverChanged:
			m.entries.Get(e.host) // marks it as recently used, so that the next oldest follows
			continue
		case unsaved && how == stopAtChanged:
			return false
		}
		m.remove(e)
		m.count.evicted.Add(1)
		if unsaved {
			m.count.lost.Add(1)
			m.opt.Logger.Error("host model lost: the store fails and memory is full", "host", e.host)
		}
	}
	return true
}

// makeRoom evicts models until memory is under its bound, and saves the changed ones first. With wait it waits for a
// running save: learners do so, so that the models grow no faster than the store saves them. A load does not wait and
// evicts only models that need no saving; the model that it loaded is among them.
func (m *Models) makeRoom(ctx context.Context, wait bool) {
	if m.evict(m.opt.MaxBytes, stopAtChanged) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	if wait {
		if m.saving.Acquire(ctx, 1) != nil {
			return
		}
	} else if !m.saving.TryAcquire(1) {
		m.evict(m.opt.MaxBytes, passOverChanged)
		return
	}
	defer m.saving.Release(1)
	m.saveAndEvict(ctx)
}

// saveAndEvict saves all changed models rather than only the oldest: one batch costs the store little more than one
// model, and the oldest models then stay clean for a long time. The caller holds m.saving.
func (m *Models) saveAndEvict(ctx context.Context) {
	m.mu.Lock()
	fails := m.storeFails
	m.mu.Unlock()
	if !fails && m.saveChanged(ctx) == nil {
		// Models that changed during the save may block the eviction again; the next call handles them.
		m.evict(m.opt.MaxBytes, stopAtChanged)
		return
	}
	m.evict(m.opt.MaxBytes, passOverChanged)
	m.evict(2*m.opt.MaxBytes, loseChanged)
}
