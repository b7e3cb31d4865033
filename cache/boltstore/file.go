package boltstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/winnow-proxy/winnow/model"
)

// ErrLocked says that another process has the store open.
var ErrLocked = errors.New("another process has the store open: stop it, or choose another data directory")

// file is an open bbolt file whose structure was sound when it was opened.
type file struct {
	db *bolt.DB
	// disk is the descriptor that bbolt uses; it belongs to db.
	disk *os.File
	// path is where the file should be.
	path string
	// length is the least length that the file must have.
	length atomic.Int64
	// fresh says that the file was empty when it was opened.
	fresh bool
}

// allocDivisor sets the step by which a file grows, as a part of its bound. bbolt's own step is 16 MiB.
const allocDivisor = 16

// openFile opens or creates the file and checks it. It returns errDamaged, errNewer or errOtherKey (wrapped) for a file
// that should be set aside.
func openFile(path string, o Options) (*file, error) {
	sound, err := inspect(path, o)
	if err != nil {
		return nil, err
	}
	f, err := openDB(path, bolt.Options{Timeout: o.Timeout, NoSync: o.noSync, NoGrowSync: o.noSync, MaxSize: int(o.MaxBytes)})
	if err != nil {
		return nil, err
	}
	if o.MaxBytes > 0 {
		f.db.AllocSize = int(min(int64(f.db.AllocSize), o.MaxBytes/allocDivisor))
	}
	if err := f.prepare(o.KeyID, sound); err != nil {
		return nil, errors.Join(err, f.abandon())
	}
	return f, nil
}

// openDB opens the file and does not check its structure.
func openDB(path string, o bolt.Options) (*file, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f := &file{path: path}
	o.NoStatistics = true
	o.OpenFile = func(name string, flag int, mode fs.FileMode) (_ *os.File, err error) {
		f.disk, err = os.OpenFile(name, flag, mode)
		return f.disk, err
	}
	err = contain(func() (err error) {
		f.db, err = bolt.Open(path, 0o600, &o)
		return err
	})
	if err != nil {
		if f.disk != nil {
			_ = f.disk.Close() // bbolt has done so, unless it panicked
		}
		return nil, explain(err)
	}
	return f, nil
}

// explain maps the errors of bbolt to those of this package. Errors of the operating system stay as they are: a file
// without read permission is not damaged.
func explain(err error) error {
	var path *fs.PathError
	var system syscall.Errno
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return ErrLocked
	case errors.Is(err, errDamaged), errors.As(err, &path), errors.As(err, &system):
		return err
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

// prepare lays out a new file, and checks one that is not as it was when another process found it sound.
func (f *file) prepare(keyID uint64, sound os.FileInfo) error {
	err := f.view(func(tx *bolt.Tx) error {
		f.length.Store(tx.Size())
		name, _ := tx.Cursor().Seek(nil)
		f.fresh = name == nil
		return nil
	})
	switch {
	case err != nil:
		return err
	case f.fresh:
		return f.update(func(tx *bolt.Tx) error { return layOut(tx, keyID) })
	}
	if !f.unchanged(sound) {
		if err := f.checkCounted(); err != nil {
			return err
		}
	}
	return f.view(func(tx *bolt.Tx) error { return checkLayout(tx, keyID) })
}

// view calls g in a read transaction.
func (f *file) view(g func(*bolt.Tx) error) error {
	if err := f.notCut(); err != nil {
		return err
	}
	return contain(func() error { return f.db.View(g) })
}

// update calls g in a write transaction. It refuses a file that somebody removed, because the writes would be lost.
func (f *file) update(g func(*bolt.Tx) error) error {
	if err := f.notCut(); err != nil {
		return err
	}
	opened, err := f.disk.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(f.path); err != nil || !os.SameFile(opened, there) {
		return errGone
	}
	err = contain(func() error {
		return f.db.Update(func(tx *bolt.Tx) error {
			f.length.Store(tx.Size())
			return g(tx)
		})
	})
	if errors.Is(err, bolterrors.ErrIncompatibleValue) { // a value where a bucket should be, or the other way round
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return err
}

// notCut checks the file's length before bbolt reads a missing page: bbolt would fault while it owns a lock that its
// Close needs.
func (f *file) notCut() error {
	want := f.length.Load() // first: a writer beside may be making the file longer
	info, err := f.disk.Stat()
	if err != nil {
		return err
	}
	if info.Size() < want || info.Size() == 0 {
		return damaged("it is cut short after %d of %d bytes", info.Size(), want)
	}
	return nil
}

func (f *file) close() error { return contain(f.db.Close) }

// abandonTimeout bounds the closing of a damaged file.
const abandonTimeout = time.Second

// abandon closes a file that may be damaged. bbolt may have panicked while it owned a lock that its Close needs, and
// Close then waits forever. In that case the mapping and the descriptor leak.
func (f *file) abandon() error {
	closed := make(chan error, 1)
	go func() { closed <- f.close() }()
	select {
	case err := <-closed:
		return err
	case <-time.After(abandonTimeout):
		return errors.New("the damaged file can't be closed")
	}
}

// contain calls f and returns its panics as errDamaged. bbolt's assertions fail on a damaged file. Memory faults where
// a damaged file points outside of the mapping or a truncated file no longer fills it.
func contain(f func() error) error {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	err := model.Contain(f)
	if p, ok := errors.AsType[*model.PanicError](err); ok {
		return damaged("bbolt panicked: %v", p)
	}
	return err
}

// Check checks the structure of dir/models.db without changing anything. It returns nil when the file is sound or does
// not exist yet, and ErrLocked (wrapped) while another process has it open.
func Check(dir string, timeout time.Duration) error {
	path := filepath.Join(dir, fileName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil // Open creates it
	}
	f, err := openDB(path, bolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: timeout})
	if err == nil {
		err = errors.Join(f.check(), f.abandon())
	}
	if err != nil {
		return fmt.Errorf("check the model store %s: %w", path, err)
	}
	return nil
}
