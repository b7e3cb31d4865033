package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnow-proxy/winnow/model"
)

// batchBytes and batchModels bound one batch for the store: enough models to share the cost of a commit, few enough to
// keep two copies in memory.
const (
	batchBytes  = 8 << 20
	batchModels = 256
)

// flushOnTimer saves the changed models every FlushEvery. This bounds what a crash loses.
func (m *Models) flushOnTimer() {
	tick := time.NewTicker(m.opt.FlushEvery)
	defer tick.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-tick.C:
			ctx, cancel := context.WithTimeout(m.ctx, saveTimeout)
			if err := m.flush(ctx); err != nil {
				m.opt.Logger.Error("save host models: they are kept in memory and tried again", "error", err)
			}
			cancel()
		}
	}
}

// Flush saves every model that changed since it was last saved.
func (m *Models) Flush(ctx context.Context) error {
	if err := m.begin(); err != nil {
		return fmt.Errorf("save the host models: %w", err)
	}
	defer m.calls.Done()
	return m.flush(ctx)
}

func (m *Models) flush(ctx context.Context) error {
	if err := m.saving.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("save the host models: %w", err)
	}
	defer m.saving.Release(1)
	return m.saveChanged(ctx)
}

// saveChanged saves every changed model, in batches. A failed batch does not prevent the others. The caller holds
// m.saving.
func (m *Models) saveChanged(ctx context.Context) error {
	if m.opt.Store == nil {
		return nil
	}
	saved := m.checkpoint()
	var failed error
	b := batch{values: map[string][]byte{}}
	for _, e := range m.unsaved() {
		failed = errors.Join(failed, m.addTo(ctx, &b, e))
		if b.size >= batchBytes || len(b.saves) >= batchModels {
			failed = errors.Join(failed, m.save(ctx, &b))
		}
	}
	failed = errors.Join(failed, m.save(ctx, &b))
	if failed == nil {
		failed = saved(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.storeFails = failed != nil
	return failed
}

// checkpoint returns the function that tells a shared store that everything changed until now has been saved.
func (m *Models) checkpoint() (saved func(context.Context) error) {
	if m.shared == nil {
		return func(context.Context) error { return nil }
	}
	return m.shared.Checkpoint()
}

// unsaved returns the entries with changes to save and those whose stored model was not loaded yet.
func (m *Models) unsaved() []*entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	var es []*entry
	for _, e := range m.entries.Values() {
		if m.toSave(e) || e.unread {
			es = append(es, e)
		}
	}
	return es
}

// batch is a set of models that the store saves at once.
type batch struct {
	values map[string][]byte
	saves  []save
	size   int
	// unread is set once a stored model could not be loaded; this save then makes no further attempt to load one.
	unread bool
}

// save is one model of a batch: the entry, and the number of its changes that the encoding contains.
type save struct {
	e       *entry
	changes uint64
}

func (m *Models) addTo(ctx context.Context, b *batch, e *entry) error {
	changes, dirty, unread := m.state(e)
	if unread && b.unread {
		return nil
	}
	if unread {
		if err := m.catchUp(ctx, e); err != nil {
			b.unread = true
			m.count.flushErrors.Add(1)
			return fmt.Errorf("load the model of %s to merge it: %w", e.host, err)
		}
		changes, dirty, _ = m.state(e)
	}
	if !dirty {
		return nil
	}
	value, err := m.encode(e)
	if errors.Is(err, errDiscarded) {
		return nil
	}
	if err != nil {
		m.count.flushErrors.Add(1)
		return err
	}
	b.values[e.host] = value
	b.saves = append(b.saves, save{e, changes})
	b.size += len(value)
	return nil
}

func (m *Models) state(e *entry) (changes uint64, dirty, unread bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return e.changes, m.toSave(e), e.unread
}

// save writes the batch to the store and empties it.
func (m *Models) save(ctx context.Context, b *batch) error {
	if len(b.saves) == 0 {
		return nil
	}
	err := m.opt.Store.Save(ctx, b.values)
	m.health.note(err)
	if err == nil {
		m.markSaved(b.saves)
	} else {
		m.count.flushErrors.Add(1)
		m.noteReset(err)
		err = fmt.Errorf("save %d host models: %w", len(b.saves), err)
	}
	*b = batch{values: map[string][]byte{}, unread: b.unread}
	return err
}

func (m *Models) markSaved(saves []save) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range saves {
		s.e.saved = s.changes
	}
}

// noteReset marks every model in memory as unsaved when err says that the store lost its values.
func (m *Models) noteReset(err error) {
	if !errors.Is(err, ErrReset) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.entries.Values() {
		if e.saved > 0 || e.stored {
			e.changes++
		}
	}
}

// catchUp merges in the stored model that could not be loaded earlier, so that saving e loses nothing.
func (m *Models) catchUp(ctx context.Context, e *entry) error {
	stored, summary, err := m.read(ctx, e.host)
	if err != nil {
		return err
	}
	if stored != nil {
		err = m.merge(e, stored)
		if errors.Is(err, errDiscarded) {
			return nil
		}
		if err != nil {
			err = m.setAside(ctx, e.host, err)
		}
	}
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e.unread = false
	if stored != nil {
		e.stored = true
		e.client = summary.Client
		e.uses.Add(summary.Uses)
	}
	return nil
}

// merge adds other to e's model.
func (m *Models) merge(e *entry, other model.Host) error {
	err := m.change(e, "merge", func() (changed bool, err error) {
		err = e.model.Merge(other)
		e.noteTaught()
		return true, err
	})
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.epoch++
	}
	return err
}

// encode returns e's model, sealed for the store.
func (m *Models) encode(e *entry) (sealed []byte, err error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.model == nil {
		return nil, errDiscarded
	}
	var encoded []byte
	var stats model.Stats
	panicked := m.contain("encode", e.host, func() {
		encoded, err = e.model.Encode()
		stats = e.model.Stats()
	})
	if err := errors.Join(panicked, err); err != nil {
		return nil, fmt.Errorf("encode the model of %s: %w", e.host, err)
	}
	m.mu.Lock()
	client := e.client
	m.mu.Unlock()
	return envelope{
		detector: m.opt.Detector.Name(), keyID: m.opt.Key.ID(), host: e.host,
		Summary: Summary{Pages: stats.Pages, LastSeen: stats.LastSeen, Uses: e.uses.Load(), Client: client}, model: encoded,
	}.seal(), nil
}
