// Package boltstore is the default [cache.Store]: one bbolt file, models.db, in the data directory.
//
// The file has three buckets: "meta" with the version of this layout and the ID of the installation key, "models" with
// a bucket for each detector and in it the value of each host, and "aside", laid out alike, with the values that could
// not be read.
//
// bbolt maps the file into memory and trusts it: on a damaged file it panics, faults, or writes over good pages. So the
// structure of the file is checked before bbolt opens it and before every save, and calls into bbolt run with faults
// turned into panics and those into errors. A damaged file is renamed and a fresh one takes its place. Damage inside
// values is not seen here; their checksums tell their readers.
package boltstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/winnow-proxy/winnow/cache"
)

// fileName is the name of the store in the data directory.
const fileName = "models.db"

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

	// MaxBytes bounds the file; 0 means no bound. Where a save would go beyond, the hosts longest unseen are removed first,
	// of all detectors. A file that is longer when it is opened is brought under the bound.
	MaxBytes int64
	// LastSeen tells the age of a value; cache.LastSeen does. With nil all are of one age.
	LastSeen func(value []byte) time.Time

	// noSync is for tests that need no disk to wait for.
	noSync bool
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = 3 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Store is a [cache.Store] in one file. It is safe for concurrent use.
type Store struct {
	path    string
	opt     Options
	evicted atomic.Uint64

	// mu is held to replace or close the file, and shared to use it.
	mu sync.RWMutex
	// file is nil after Close, and while a damaged file could not be replaced.
	file   *file
	closed bool
}

var _ cache.Store = (*Store)(nil)

// Open opens or creates dir/models.db. A file that is damaged, was made under another installation key or by a newer
// winnow is renamed (models.db.damaged-TIME, .otherkey-TIME, .newer-TIME) and a fresh one made; that is logged, not an
// error. Open returns ErrLocked (wrapped) when another process holds the file past o.Timeout.
func Open(dir string, o Options) (*Store, error) {
	if o.Detector == "" {
		return nil, errors.New("open the model store: no detector given")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	s := &Store{path: filepath.Join(dir, fileName), opt: o.withDefaults()}
	f, err := s.open()
	if err != nil {
		return nil, fmt.Errorf("open the model store %s: %w", s.path, err)
	}
	s.file = f
	return s, nil
}

// Load implements cache.Store.
func (s *Store) Load(ctx context.Context, host string) (value []byte, err error) {
	err = s.use(ctx, "load", func(f *file) error {
		return f.view(func(tx *bolt.Tx) error {
			if v := models(tx, s.opt.Detector).get(host); v != nil {
				value = bytes.Clone(v) // v goes with the transaction
				return nil
			}
			return fmt.Errorf("%s: %w", host, cache.ErrNotFound)
		})
	})
	return value, err
}

// Save implements cache.Store. It returns when the values are on disk.
func (s *Store) Save(ctx context.Context, values map[string][]byte) error {
	return s.use(ctx, "save", func(f *file) error { return s.put(f, values) })
}

func (s *Store) putAll(f *file, values map[string][]byte) error {
	return f.update(func(tx *bolt.Tx) error {
		f.db.MaxSize -= f.db.MaxSize / reserveDivisor // until the next update, which bbolt makes wait for this one
		b, err := makeBucket(tx, modelsBucket, s.opt.Detector)
		if err != nil {
			return err
		}
		for host, v := range values {
			if err := b.Put([]byte(host), v); err != nil {
				return fmt.Errorf("%.60q: %w", host, err)
			}
		}
		return nil
	})
}

// SetAside implements cache.Store.
func (s *Store) SetAside(ctx context.Context, host string) error {
	return s.use(ctx, "set aside", func(f *file) error {
		return f.update(func(tx *bolt.Tx) error {
			from := models(tx, s.opt.Detector)
			v := bytes.Clone(from.get(host))
			if v == nil {
				return nil
			}
			to, err := makeBucket(tx, asideBucket, s.opt.Detector)
			if err != nil {
				return err
			}
			if err := to.Put([]byte(host), v); err != nil {
				return err
			}
			return from.Delete([]byte(host))
		})
	})
}

// Delete implements cache.Store. No trace of the host's values is left in the file.
func (s *Store) Delete(ctx context.Context, host string) error {
	err := s.use(ctx, "delete", func(f *file) error {
		return f.update(func(tx *bolt.Tx) error { return deleteAll(tx, host) })
	})
	if err != nil {
		return err
	}
	return s.scrub()
}

// deleteAll removes the values of host, of all detectors.
func deleteAll(tx *bolt.Tx, host string) error {
	for _, name := range []string{modelsBucket, asideBucket} {
		b := tx.Bucket([]byte(name))
		err := b.ForEachBucket(func(detector []byte) error { return b.Bucket(detector).Delete([]byte(host)) })
		if err != nil {
			return err
		}
	}
	return markForScrub(tx)
}

// List implements cache.Store.
func (s *Store) List(ctx context.Context) (infos []cache.Info, err error) {
	err = s.use(ctx, "list", func(f *file) error {
		return f.viewAll(func(tx *bolt.Tx) error {
			infos = nil
			return models(tx, s.opt.Detector).each(func(host, v []byte) {
				infos = append(infos, cache.Info{Host: string(host), Size: len(v)})
			})
		})
	})
	return infos, err
}

// Close implements cache.Store. A second Close does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.file == nil {
		return nil
	}
	err := s.file.close()
	s.file = nil
	if err != nil {
		return fmt.Errorf("close the model store %s: %w", s.path, err)
	}
	return nil
}
