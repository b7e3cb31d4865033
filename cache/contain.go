package cache

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/winnow-proxy/winnow/model"
)

// contain calls f, which calls the detector, and returns a panic as ErrPanic.
func (m *Models) contain(call, host string, f func()) error {
	return m.contained(ErrPanic, call+" for "+host, func() error { f(); return nil },
		slog.String("detector", m.opt.Detector.Name()), slog.String("host", host))
}

// contained calls f and returns its error, or a panic as an error of a kind, which is counted and logged.
func (m *Models) contained(kind error, call string, f func() error, attrs ...slog.Attr) error {
	err := model.Contain(f)
	p, ok := errors.AsType[*model.PanicError](err)
	if !ok {
		return err
	}
	m.count.panics.Add(1)
	m.opt.Logger.LogAttrs(context.Background(), slog.LevelError, kind.Error(), append(attrs, slog.String("call", call),
		slog.String("panic", p.Error()), slog.String("stack", string(p.Stack)))...)
	return fmt.Errorf("%s: %w: %w", call, kind, p)
}

// errStorePanicked says that a store panicked. The stack is in the log.
var errStorePanicked = errors.New("store panicked")

// containedStore turns panics of a store into errors. Learners and the flush timer call the store, and a panic there
// would end the process. A damaged file must not do that.
type containedStore struct {
	Store
	models *Models
}

// contained calls f, which uses the store, and returns a panic as an error.
func (s containedStore) contained(call string, f func() error) error {
	return s.models.contained(errStorePanicked, call, f)
}

// Load implements Store.
func (s containedStore) Load(ctx context.Context, host string) (b []byte, err error) {
	err = s.contained("load", func() error { b, err = s.Store.Load(ctx, host); return err })
	return b, err
}

// Save implements Store.
func (s containedStore) Save(ctx context.Context, models map[string][]byte) error {
	return s.contained("save", func() error { return s.Store.Save(ctx, models) })
}

// SetAside implements Store.
func (s containedStore) SetAside(ctx context.Context, host string) error {
	return s.contained("set aside", func() error { return s.Store.SetAside(ctx, host) })
}

// Delete implements Store.
func (s containedStore) Delete(ctx context.Context, host string) error {
	return s.contained("delete", func() error { return s.Store.Delete(ctx, host) })
}

// Stat implements Store.
func (s containedStore) Stat(ctx context.Context, host string) (info Info, err error) {
	err = s.contained("look up", func() error { info, err = s.Store.Stat(ctx, host); return err })
	return info, err
}

// List implements Store.
func (s containedStore) List(ctx context.Context) (infos []Info, err error) {
	err = s.contained("list", func() error { infos, err = s.Store.List(ctx); return err })
	return infos, err
}

// Close implements Store.
func (s containedStore) Close() error { return s.contained("close", s.Store.Close) }

// size returns the sizes that a Bounded store reports, and zeros for any other store.
func (s containedStore) size() (bytes, limit int64, evicted uint64) {
	b, ok := s.Store.(Bounded)
	if !ok {
		return 0, 0, 0
	}
	_ = s.contained("size", func() error { // contained counts and logs it; there is no caller to tell
		bytes, limit = b.Size()
		evicted = b.Evicted()
		return nil
	})
	return bytes, limit, evicted
}
