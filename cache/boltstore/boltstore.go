// Package boltstore is the default [cache.Store]: one bbolt file, models.db, in the data directory.
//
// The file has three buckets. "meta" has the version of this layout and the ID of the installation key. "models" has a
// bucket for each detector, and in it the value of each host. "aside" has the same layout, for values that could not be
// read.
//
// bbolt maps the file into memory and trusts it: on a damaged file it panics or faults. So calls into bbolt run with
// faults turned into panics, and panics into errors. The structure of the file is checked when it is opened and again
// after an error that points to damage. A damaged file is renamed and replaced by an empty one. This package does not
// see damage inside values; the reader detects it by the checksum of the value.
//
// bbolt never returns pages to the operating system and leaves the bytes of deleted values in them. So values are
// removed by copying all others into a new file, which replaces the old one. The old file is overwritten and unlinked.
package boltstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/winnow-proxy/winnow/cache"
)

// fileName is the name of the store in the data directory.
const fileName = "models.db"

// Options configure Open. Detector and KeyID must be set; the zero value of every other field stands for its default.
type Options struct {
	// Detector is the name of the detector whose models the store serves. Each detector has models of its own, so
	// changing the detector and changing it back loses nothing.
	Detector string
	// KeyID is model.Key.ID of the installation. A file made with another key can't be used and is set aside.
	KeyID uint64
	// Timeout is how long to wait for another process to close the file. Default 3 s.
	Timeout time.Duration
	// Now is the clock for the age of models and for the names of files that are set aside. Default time.Now.
	Now func() time.Time
	// Logger logs failures. Default: nothing is logged.
	Logger *slog.Logger
	// MaxBytes bounds the file; 0 means no bound. When the file is full, the least useful models of all detectors are
	// removed, as cache.LeastUseful selects them. A longer file is shrunk when it is opened. While values are removed,
	// a copy of the file takes up to as much space again.
	MaxBytes int64
	// Inspector returns a command that calls [Inspect] for dir. With it, a file is set aside at once if checking it
	// ends the process that does so. Without it, only this process checks: such a file ends the process, and is set
	// aside after two processes have ended that way.
	Inspector func(dir string) *exec.Cmd

	// noSync skips fsync, for tests that need not wait for a disk.
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

	// writing is locked to change the file and to copy it. Loads run concurrently.
	writing sync.Mutex
	// mu is locked for writing to replace or close the file, and for reading to use it. It is acquired after writing.
	mu sync.RWMutex
	// file is nil after Close, and while a damaged file could not be replaced.
	file   *file
	closed bool
	// suspect says that a call failed as it would on a damaged file although the check found the file sound.
	suspect bool
}

var _ cache.Bounded = (*Store)(nil)

// Open opens or creates dir/models.db. A file that is damaged, or was made with another installation key or by a newer
// winnow, is renamed (models.db.damaged-TIME, .otherkey-TIME, .newer-TIME) and replaced by an empty one. That is logged
// and is no error. Open returns ErrLocked (wrapped) when another process has the file open for longer than o.Timeout.
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
	s.tidy()
	return s, nil
}

// Load implements cache.Store.
func (s *Store) Load(ctx context.Context, host string) (value []byte, err error) {
	err = s.use(ctx, "load", func(f *file) error {
		return f.view(func(tx *bolt.Tx) error {
			v := modelBucket(tx, s.opt.Detector).get(host)
			if v == nil {
				return fmt.Errorf("%s: %w", host, cache.ErrNotFound)
			}
			value = bytes.Clone(v) // v is valid only inside the transaction
			return nil
		})
	})
	return value, err
}

// Stat implements cache.Store. It reads only the head of the value.
func (s *Store) Stat(ctx context.Context, host string) (info cache.Info, err error) {
	err = s.use(ctx, "look up", func(f *file) error {
		return f.view(func(tx *bolt.Tx) error {
			v := modelBucket(tx, s.opt.Detector).get(host)
			if v == nil {
				return fmt.Errorf("%s: %w", host, cache.ErrNotFound)
			}
			info = describe(host, v)
			return nil
		})
	})
	return info, err
}

// List implements cache.Store. It reads only the heads of the values.
func (s *Store) List(ctx context.Context) (infos []cache.Info, err error) {
	err = s.use(ctx, "list", func(f *file) error {
		return f.view(func(tx *bolt.Tx) error {
			infos = nil
			return modelBucket(tx, s.opt.Detector).each(func(host, v []byte) error {
				infos = append(infos, describe(string(host), v))
				return ctx.Err()
			})
		})
	})
	return infos, err
}

func describe(host string, v []byte) cache.Info {
	return cache.Info{Host: host, Size: len(v), Summary: cache.Describe(v)}
}

// Save implements cache.Store. It returns when the values are on disk. A full store leaves out the values that are less
// useful than everything stored, and counts them as evicted.
func (s *Store) Save(ctx context.Context, values map[string][]byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.put(ctx, values)
}

// SetAside implements cache.Store.
func (s *Store) SetAside(ctx context.Context, host string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.use(ctx, "set aside", func(f *file) error {
		return f.update(func(tx *bolt.Tx) error {
			from := modelBucket(tx, s.opt.Detector)
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

// Delete implements cache.Store. It copies the values of all other hosts into a new file, so that no trace of this host
// is left. The host is deleted when Delete returns nil, and not deleted when it returns an error.
func (s *Store) Delete(ctx context.Context, host string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	found := false
	err := s.use(ctx, "delete", func(f *file) error {
		return f.view(func(tx *bolt.Tx) error {
			found = false
			return each(tx, func(id valueID, _ []byte) error {
				found = found || id.host == host
				return nil
			})
		})
	})
	if err != nil || !found {
		return err
	}
	return s.compact(ctx, "delete", func(id valueID) bool { return id.host != host })
}

// Size returns the length of the file and its bound. The bound is 0 where there is none.
func (s *Store) Size() (bytes, limit int64) {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0, s.opt.MaxBytes
	}
	return info.Size(), s.opt.MaxBytes
}

// Evicted returns how many models were removed, or not stored, to stay within the bound.
func (s *Store) Evicted() uint64 { return s.evicted.Load() }

// Close implements cache.Store. A second Close does nothing.
func (s *Store) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
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
