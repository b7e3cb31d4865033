package storetest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/winnow-proxy/winnow/cache"
)

// Memory is a store in memory, for tests of stores that rest on another one. It is safe for concurrent use.
type Memory struct {
	mu     sync.Mutex
	values map[string][]byte
	closed bool
}

// NewMemory returns a store with the values of an earlier one, nil for none.
func NewMemory(earlier *Memory) *Memory {
	m := &Memory{values: map[string][]byte{}}
	if earlier != nil {
		maps.Copy(m.values, earlier.values)
	}
	return m
}

// use calls f unless ctx has ended or the store is closed.
func (m *Memory) use(ctx context.Context, f func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return cache.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f()
}

// Load implements cache.Store.
func (m *Memory) Load(ctx context.Context, host string) (value []byte, err error) {
	err = m.use(ctx, func() error {
		v, ok := m.values[host]
		if !ok {
			return fmt.Errorf("%s: %w", host, cache.ErrNotFound)
		}
		value = bytes.Clone(v)
		return nil
	})
	return value, err
}

// Save implements cache.Store.
func (m *Memory) Save(ctx context.Context, models map[string][]byte) error {
	return m.use(ctx, func() error {
		for host, v := range models {
			m.values[host] = bytes.Clone(v)
		}
		return nil
	})
}

// SetAside implements cache.Store.
func (m *Memory) SetAside(ctx context.Context, host string) error { return m.Delete(ctx, host) }

// Delete implements cache.Store.
func (m *Memory) Delete(ctx context.Context, host string) error {
	return m.use(ctx, func() error {
		delete(m.values, host)
		return nil
	})
}

// Stat implements cache.Store.
func (m *Memory) Stat(ctx context.Context, host string) (cache.Info, error) {
	v, err := m.Load(ctx, host)
	if err != nil {
		return cache.Info{}, err
	}
	return cache.Info{Host: host, Size: len(v), Summary: cache.Describe(v)}, nil
}

// List implements cache.Store.
func (m *Memory) List(ctx context.Context) (infos []cache.Info, err error) {
	err = m.use(ctx, func() error {
		for _, host := range slices.Sorted(maps.Keys(m.values)) {
			v := m.values[host]
			infos = append(infos, cache.Info{Host: host, Size: len(v), Summary: cache.Describe(v)})
		}
		return nil
	})
	return infos, err
}

// Close implements cache.Store.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}
