package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/winnow-proxy/winnow/model"
)

// HostInfo describes the model of one host.
type HostInfo struct {
	Host string `json:"host"`
	model.Stats
	// Stored is the size of the saved model in bytes, 0 when it was never saved.
	Stored int `json:"stored"`
	// InMemory says that the model is loaded, Unsaved that it changed since it was saved.
	InMemory bool `json:"in_memory"`
	Unsaved  bool `json:"unsaved"`
}

// Hosts lists the hosts that have learned at least one page, in memory or stored, by name. For models that are not in
// memory, Bytes is 0.
func (m *Models) Hosts(ctx context.Context) ([]HostInfo, error) {
	if err := m.begin(); err != nil {
		return nil, fmt.Errorf("list the host models: %w", err)
	}
	defer m.calls.Done()
	infos := m.inMemory()
	if m.opt.Store != nil {
		stored, err := m.opt.Store.List(ctx)
		if err != nil {
			return nil, fmt.Errorf("list the stored host models: %w", err)
		}
		for _, s := range stored {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("list the stored host models: %w", err)
			}
			infos[s.Host] = infos[s.Host].withStored(s)
		}
	}
	maps.DeleteFunc(infos, func(_ string, i HostInfo) bool { return i.empty() })
	hosts := make([]HostInfo, 0, len(infos))
	for _, host := range slices.Sorted(maps.Keys(infos)) {
		hosts = append(hosts, infos[host])
	}
	return hosts, nil
}

func (m *Models) inMemory() map[string]HostInfo {
	m.mu.Lock()
	entries := m.entries.Values()
	m.mu.Unlock()
	infos := make(map[string]HostInfo, len(entries))
	for _, e := range entries {
		if info, ok := m.describe(e); ok {
			infos[e.host] = info
		}
	}
	return infos
}

// describe returns what is known of a model in memory. It returns false after a panic and while the model is loading,
// because the store has the better figures then.
func (m *Models) describe(e *entry) (HostInfo, bool) {
	select {
	case <-e.ready:
	default:
		return HostInfo{}, false
	}
	stats, err := m.stats(e)
	m.mu.Lock()
	defer m.mu.Unlock()
	return HostInfo{Host: e.host, Stats: stats, InMemory: true, Unsaved: e.dirty()}, err == nil
}

func (m *Models) stats(e *entry) (s model.Stats, err error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.model == nil {
		return s, errDiscarded
	}
	err = m.contain("stats", e.host, func() { s = e.model.Stats() })
	return s, err
}

// withStored adds the store's figures of the host. Figures from memory take precedence.
func (h HostInfo) withStored(s Info) HostInfo {
	h.Host, h.Stored = s.Host, s.Size
	if !h.InMemory {
		h.Pages, h.LastSeen = s.Pages, s.LastSeen
	}
	return h
}

// Host describes the model of one host. It loads no model. It returns ErrNotFound (wrapped) when nothing was learned of
// host.
func (m *Models) Host(ctx context.Context, host string) (HostInfo, error) {
	if err := m.begin(); err != nil {
		return HostInfo{}, fmt.Errorf("look up the model of %.60q: %w", host, err)
	}
	defer m.calls.Done()
	m.mu.Lock()
	e, known := m.entries.Peek(host)
	m.mu.Unlock()
	info := HostInfo{Host: host}
	if known {
		if live, ok := m.describe(e); ok {
			info = live
		}
	}
	if m.opt.Store != nil {
		switch stored, err := m.opt.Store.Stat(ctx, host); {
		case err == nil:
			info = info.withStored(stored)
		case !errors.Is(err, ErrNotFound):
			return HostInfo{}, fmt.Errorf("look up the model of %.60q: %w", host, err)
		}
	}
	if info.empty() {
		return HostInfo{}, fmt.Errorf("look up the model of %.60q: %w", host, ErrNotFound)
	}
	return info, nil
}

// empty reports that nothing was learned of the host.
func (h HostInfo) empty() bool { return h.Pages == 0 && h.Stored == 0 && h.Taught == 0 }

// Export returns the model of host in the form of the store, which Import reads: an envelope with the detector's name
// and a checksum. It returns ErrNotFound (wrapped) when nothing was learned of host.
func (m *Models) Export(ctx context.Context, host string) ([]byte, error) {
	e, err := m.entry(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("export the model of %s: %w", host, err)
	}
	b, err := m.encode(e)
	if errors.Is(err, errDiscarded) {
		return nil, fmt.Errorf("export the model of %s: %w", host, ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	sealed, err := openEnvelope(b)
	if err != nil || sealed.Pages == 0 && m.Taught(host) == 0 {
		return nil, fmt.Errorf("export the model of %s: %w", host, errors.Join(ErrNotFound, err))
	}
	sealed.Client = 0 // only this store's quota needs the first client
	return sealed.seal(), nil
}

// Import replaces the model of host with b, which Export wrote for this or another host. With merge set, it adds b to
// the existing model. It returns model.ErrFormat when b is no model and model.ErrMismatch when b belongs to another
// detector or key. Pages queued before are learned first. When ctx ends first, the import may still happen.
func (m *Models) Import(ctx context.Context, host string, b []byte, merge bool) error {
	sealed, err := openEnvelope(b)
	if err == nil {
		var imported model.Host
		if imported, err = m.decodeModel(sealed); err == nil {
			sealed.host, sealed.Client = host, 0
			change := Change{Kind: Replaced, Host: host, Value: sealed.seal()}
			if merge {
				change.Kind = Merged
			}
			err = m.inTurn(ctx, host, func(ctx context.Context) error {
				err := m.adopt(ctx, host, imported, merge)
				if err == nil {
					m.publish(change)
				}
				return err
			})
		}
	}
	if err != nil {
		return fmt.Errorf("import a model of %s: %w", host, err)
	}
	return nil
}

func (m *Models) adopt(ctx context.Context, host string, imported model.Host, merge bool) error {
	e, err := m.acquire(ctx, host)
	if err != nil {
		return err
	}
	if merge {
		err = m.merge(e, imported)
		m.trust(e)
	} else {
		err = m.replace(e, imported)
	}
	m.release(e)
	m.makeRoom(ctx, true)
	return err
}

func (m *Models) replace(e *entry, by model.Host) error {
	var stats model.Stats
	if err := m.contain("stats", e.host, func() { stats = by.Stats() }); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.model = by
	e.noteTaught()
	m.mu.Lock()
	defer m.mu.Unlock()
	e.changes++
	e.unread = false // the stored model is replaced, whatever it is
	e.trusted = true
	m.resize(e, stats)
	m.epoch++
	return nil
}

// Forget removes the model of host from memory and from the store, including values that were set aside and pages
// queued before. An unknown host is no error. When ctx ends first, the removal may still happen.
func (m *Models) Forget(ctx context.Context, host string) error {
	err := m.inTurn(ctx, host, func(ctx context.Context) error {
		err := m.forget(ctx, host)
		if err == nil {
			m.publish(Change{Kind: Forgotten, Host: host})
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("forget the model of %s: %w", host, err)
	}
	return nil
}

// forget removes the stored model first. A load that begins later finds nothing. The entry of a load that began before
// is removed afterwards.
func (m *Models) forget(ctx context.Context, host string) error {
	if err := m.saving.Acquire(ctx, 1); err != nil {
		return err
	}
	defer m.saving.Release(1)
	if m.opt.Store != nil {
		err := m.opt.Store.Delete(ctx, host)
		m.health.note(err)
		if err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.epoch++
	if e, ok := m.entries.Peek(host); ok {
		m.remove(e)
	}
	return nil
}
