package boltstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// ErrLocked says that another process has the store open.
var ErrLocked = errors.New("another process has the store open: stop it, or choose another data directory")

// file is an open bbolt file whose structure was sound when it was opened.
type file struct {
	db *bolt.DB
	// disk is the descriptor that bbolt uses; it belongs to db.
	disk *os.File
	path string
	// maxBytes bounds the file; 0 means no bound.
	maxBytes int64
}

// openFile opens or creates the file. It returns errDamaged, errNewer or errOtherKey (wrapped) for a file that should
// be set aside.
func openFile(path string, o Options) (*file, error) {
	if err := checkBeforeOpen(path, o.Timeout); err != nil {
		return nil, err
	}
	f := &file{path: path, maxBytes: o.MaxBytes}
	opener := func(name string, flag int, mode fs.FileMode) (_ *os.File, err error) {
		f.disk, err = os.OpenFile(name, flag, mode)
		return f.disk, err
	}
	err := contain(func() (err error) {
		f.db, err = bolt.Open(path, 0o600, &bolt.Options{
			Timeout: o.Timeout, NoStatistics: true, OpenFile: opener, NoSync: o.noSync, NoGrowSync: o.noSync,
		})
		if err == nil && o.MaxBytes > 0 { // else it grows by 16 MiB at a time
			f.db.AllocSize = int(min(int64(f.db.AllocSize), o.MaxBytes/allocDivisor))
		}
		return err
	})
	if err != nil {
		return nil, explain(err)
	}
	if err := f.prepare(o.KeyID); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// checkBeforeOpen checks the structure of an existing file while no process can write to it. bbolt itself is only
// asked to lock it: read-only, it looks at no more than the two meta pages, which have checksums.
func checkBeforeOpen(path string, timeout time.Duration) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil // bbolt makes it
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is not a file")
	}
	var db *bolt.DB
	err = contain(func() (err error) {
		db, err = bolt.Open(path, 0, &bolt.Options{ReadOnly: true, Timeout: timeout, NoStatistics: true})
		return err
	})
	if err != nil {
		return explain(err)
	}
	return errors.Join(checkPath(path), db.Close())
}

// checkPath checks the structure of the file at path.
func checkPath(path string) error {
	disk, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(check(diskImage{disk}), disk.Close())
}

// diskImage is the image of an open file.
type diskImage struct{ *os.File }

// Size implements image.
func (d diskImage) Size() (int64, error) {
	info, err := d.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// explain turns what bbolt says of a file into our errors. Errors of the operating system stay what they are: a file
// that may not be read is not a damaged one.
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

// prepare lays out a new file and checks the layout of an old one.
func (f *file) prepare(keyID uint64) error {
	return contain(func() error {
		fresh := false
		err := f.db.View(func(tx *bolt.Tx) error {
			if name, _ := tx.Cursor().First(); name == nil {
				fresh = true
				return nil
			}
			return checkLayout(tx, keyID)
		})
		if err != nil || !fresh {
			return err
		}
		return f.db.Update(func(tx *bolt.Tx) error { return lay(tx, keyID) })
	})
}

// glance looks at the length and the meta pages before bbolt does, which would panic with a lock in hand that its Close
// waits for.
func (f *file) glance() error {
	_, err := readMeta(diskImage{f.disk})
	return err
}

// view takes all but the meta pages on trust, since a load stands between a request and its answer.
func (f *file) view(g func(*bolt.Tx) error) error {
	if err := f.glance(); err != nil {
		return err
	}
	return contain(func() error { return f.db.View(g) })
}

// viewAll checks the file before it lets g walk over all of it: bbolt walks a tree with a cycle forever.
func (f *file) viewAll(g func(*bolt.Tx) error) error {
	return f.view(func(tx *bolt.Tx) error {
		if err := f.check(); err != nil {
			return err
		}
		return g(tx)
	})
}

// update checks the file before it lets bbolt write: with a damaged list of free pages, bbolt would write over good
// ones.
func (f *file) update(g func(*bolt.Tx) error) error {
	if err := f.glance(); err != nil {
		return err
	}
	err := contain(func() error {
		return f.db.Update(func(tx *bolt.Tx) error {
			f.db.MaxSize = int(f.maxBytes)
			if err := f.check(); err != nil {
				return err
			}
			return g(tx)
		})
	})
	if errors.Is(err, bolterrors.ErrIncompatibleValue) { // a value where a bucket should be, or the other way round
		return fmt.Errorf("%w: %w: %w", errDamaged, errFault, err)
	}
	return err
}

// check checks the structure of the file, and that it is still the one at its path: what is written into a file that
// somebody removed is lost. It must be called in a transaction, so that no page is reused meanwhile.
func (f *file) check() error {
	opened, err := f.disk.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(f.path); err != nil || !os.SameFile(opened, there) {
		return errGone
	}
	return check(diskImage{f.disk})
}

func (f *file) close() error {
	return contain(f.db.Close)
}

// abandonTimeout is how long a damaged file gets to be closed.
const abandonTimeout = time.Second

// abandon closes a damaged file. bbolt may have panicked with a lock in hand, and then its Close waits forever; in
// that case the mapping and the descriptor are left behind.
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

// contain calls f and returns its panics as errDamaged: bbolt asserts what a damaged file breaks, and memory faults
// where a damaged file leads it outside of the mapping, or a shortened file no longer fills it.
func contain(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %w: %v", errDamaged, errFault, r)
		}
	}()
	return f()
}

// Check checks the structure of dir/models.db without changing anything: nil says that it is sound, or not there yet. It
// returns ErrLocked (wrapped) while another process has it open.
func Check(dir string, timeout time.Duration) error {
	path := filepath.Join(dir, fileName)
	if err := checkBeforeOpen(path, timeout); err != nil {
		return fmt.Errorf("check the model store %s: %w", path, err)
	}
	return nil
}
