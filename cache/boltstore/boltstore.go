// Package boltstore is the default [cache.Store]: one bbolt file, models.db, in the data directory.
package boltstore

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/winnow-proxy/winnow/cache"
)

// Options are what Open needs to know. Detector and KeyID must be set; the zero value of every other field stands for
// its default.
type Options struct {
	// Detector is the name of the detector whose models the store serves. Each detector has models of its own, so that
	// changing the detector and back loses nothing.
	Detector string
	// KeyID is model.Key.ID of the installation. A file made under another key is of no use and is set aside.
	KeyID uint64
	// Timeout is how long to wait for another process to let go of the file. Default 3 s.
	Timeout time.Duration
	// Now gives the time for the names of files set aside. Default time.Now.
	Now func() time.Time
	// Logger gets what goes wrong. Default: nothing is logged.
	Logger *slog.Logger
}

// Store is a [cache.Store] in one file. It is safe for concurrent use.
type Store struct{}

var _ cache.Store = (*Store)(nil)

var errTODO = errors.New("not written yet")

// ErrLocked says that another process has the store open.
var ErrLocked = errors.New("another process has the store open")

// Open opens or creates dir/models.db. A damaged file is renamed to models.db.damaged-TIME and a fresh one made; that
// is logged, not an error. It returns ErrLocked (wrapped) when another process holds the file past o.Timeout.
func Open(dir string, o Options) (*Store, error) { return nil, errTODO }

// Load implements cache.Store.
func (s *Store) Load(ctx context.Context, host string) ([]byte, error) { return nil, errTODO }

// Save implements cache.Store.
func (s *Store) Save(ctx context.Context, models map[string][]byte) error { return errTODO }

// SetAside implements cache.Store.
func (s *Store) SetAside(ctx context.Context, host string) error { return errTODO }

// Delete implements cache.Store.
func (s *Store) Delete(ctx context.Context, host string) error { return errTODO }

// List implements cache.Store.
func (s *Store) List(ctx context.Context) ([]cache.Info, error) { return nil, errTODO }

// Close implements cache.Store.
func (s *Store) Close() error { return errTODO }
