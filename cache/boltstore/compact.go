package boltstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// Temporary files beside the store. A killed process may leave them; Open removes them.
const (
	// newSuffix marks the copy that will replace the store, oldSuffix the store that was replaced.
	newSuffix = ".new"
	oldSuffix = ".old"
	// checkingSuffix marks the count of attempts to check the store.
	checkingSuffix = ".checking"
)

// copyBatch is how many bytes of values are copied in one transaction.
const copyBatch = 4 << 20

// compact replaces the file with a copy of the values that keep approves. The old file is the store until a rename
// gives the copy its name, so a killed process leaves one or the other. The caller holds s.writing.
func (s *Store) compact(ctx context.Context, what string, keep func(valueID) bool) error {
	var from, to *file
	err := s.use(ctx, what, func(f *file) (err error) {
		from = f
		to, err = s.copyFile(ctx, f, keep)
		return err
	})
	if err == nil {
		err = s.swap(from, to)
	}
	if err != nil {
		return fmt.Errorf("%w: nothing was removed; the disk needs room for a copy of the store", err)
	}
	return nil
}

// copyFile writes the values that keep approves to a new file beside f. The values are on disk when it returns.
func (s *Store) copyFile(ctx context.Context, f *file, keep func(valueID) bool) (_ *file, err error) {
	path := s.path + newSuffix
	if err := s.erase(path); err != nil {
		return nil, err
	}
	o := s.opt
	o.noSync = true // copyFile syncs once, at the end
	to, err := openFile(path, o)
	if err != nil {
		return nil, copyFailed(err)
	}
	err = f.view(func(tx *bolt.Tx) error { return copyValues(ctx, to, tx, keep) })
	if err == nil && !s.opt.noSync {
		err = to.db.Sync()
	}
	to.db.NoSync, to.db.NoGrowSync = s.opt.noSync, s.opt.noSync
	if err != nil {
		return nil, errors.Join(err, to.abandon(), s.erase(path))
	}
	return to, nil
}

// copyFailed wraps err without errDamaged, so that a copy that can't be opened does not make the store look damaged.
func copyFailed(err error) error {
	return fmt.Errorf("make a copy of the store: %v", err) //nolint:errorlint // callers must not find the wrapped error
}

func copyValues(ctx context.Context, to *file, from *bolt.Tx, keep func(valueID) bool) error {
	tx, err := to.db.Begin(true)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	size := 0
	err = each(from, func(id valueID, value []byte) error {
		if !keep(id) {
			return nil
		}
		if size += len(value); size > copyBatch {
			size = 0
			if err := errors.Join(tx.Commit(), ctx.Err()); err != nil {
				return err
			}
			if tx, err = to.db.Begin(true); err != nil {
				return err
			}
		}
		b, err := makeBucket(tx, id.kind, id.detector)
		if err != nil {
			return err
		}
		b.FillPercent = 1 // the keys come in order
		return b.Put([]byte(id.host), value)
	})
	if err != nil {
		return err
	}
	return tx.Commit()
}

// swap gives the copy the name of the file and overwrites the old file. The old file keeps a name until it is
// overwritten, so that a killed process leaves no bytes that Open would not find.
func (s *Store) swap(from, to *file) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.file != from { // a load found it damaged meanwhile
		return errors.Join(errors.New("the store was replaced meanwhile"), to.abandon(), s.erase(to.path))
	}
	old := s.path + oldSuffix
	named := os.Link(s.path, old) == nil // without hard links, the old file is overwritten without a name
	if err := os.Rename(to.path, s.path); err != nil {
		return errors.Join(err, to.abandon(), s.erase(to.path), unlink(old))
	}
	to.path = s.path
	s.file = to
	err := s.syncDir()
	if !named {
		err = errors.Join(err, s.overwrite(from.disk))
	}
	if closeErr := from.close(); closeErr != nil {
		s.opt.Logger.Warn("close the model store that was replaced", "store", s.path, "error", closeErr)
	}
	if err = errors.Join(err, s.erase(old)); err != nil {
		s.opt.Logger.Error("overwrite the model store that was replaced: its bytes may still be on the disk",
			"store", s.path, "error", err)
	}
	return nil
}

// syncDir makes the rename survive a power failure.
func (s *Store) syncDir() error {
	if s.opt.noSync {
		return nil
	}
	d, err := os.Open(filepath.Dir(s.path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// erase overwrites a file and removes it. A missing file is no error. Another name of the store itself, as a process
// that is killed within swap leaves it, only loses its name.
func (s *Store) erase(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		var same bool
		if same, err = s.isStore(f); err == nil && !same {
			err = s.overwrite(f)
		}
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("overwrite %s: %w", path, err)
	}
	return unlink(path)
}

// isStore reports whether f is the file that has the store's name.
func (s *Store) isStore(f *os.File) (bool, error) {
	there, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	opened, err := f.Stat()
	return err == nil && os.SameFile(opened, there), err
}

func unlink(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// overwrite writes zeros over the whole file and syncs it.
func (s *Store) overwrite(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	w := io.NewOffsetWriter(f, 0)
	if _, err := io.CopyN(w, zeros{}, info.Size()); err != nil {
		return err
	}
	if s.opt.noSync {
		return nil
	}
	return f.Sync()
}

// zeros reads as zeros without end.
type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// tidy removes what a killed process left behind, and shrinks a file to a lowered bound. The next start retries what
// fails, because the store is usable without it.
func (s *Store) tidy() {
	err := errors.Join(s.erase(s.path+newSuffix), s.erase(s.path+oldSuffix))
	if size, limit := s.Size(); limit > 0 && size > limit {
		err = errors.Join(err, s.makeRoom(context.Background(), nil, keepShare))
	}
	if err != nil {
		s.opt.Logger.Error("remove leftovers beside the model store", "store", s.path, "error", err)
	}
}

// passing reports whether name belongs to a temporary file beside the store.
func passing(name string) bool {
	for _, suffix := range []string{newSuffix, oldSuffix, checkingSuffix} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
