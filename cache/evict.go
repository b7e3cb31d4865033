package cache

import "context"

// eviction says what to do with a changed model that is in the way.
type eviction int

const (
	stopAtChanged eviction = iota
	passOverChanged
	loseChanged
)

// evict takes the least recently used models out of memory until the others fit into limit. It returns false when it
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
			m.entries.Get(e.host) // to the young end, so that the next oldest gets its turn
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

// makeRoom brings the models in memory under the bound, saving the changed ones first. With wait it waits for a save
// under way: learners do, so that the models grow no faster than the store takes them. A load instead makes room
// among the models that need no saving; the one it brought is among them.
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

// saveAndEvict saves all that changed rather than the oldest alone: one batch costs the store little more than one
// model, and the oldest models are clean for a long while after. m.saving is held.
func (m *Models) saveAndEvict(ctx context.Context) {
	m.mu.Lock()
	fails := m.storeFails
	m.mu.Unlock()
	if !fails && m.saveChanged(ctx) == nil {
		// What was learned during the save may be in the way again; the next call takes care of it.
		m.evict(m.opt.MaxBytes, stopAtChanged)
		return
	}
	m.evict(m.opt.MaxBytes, passOverChanged)
	m.evict(2*m.opt.MaxBytes, loseChanged)
}
