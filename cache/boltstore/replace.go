package boltstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-proxy/winnow/cache"
)

// open opens the file. It replaces a file that can't be used with an empty one.
func (s *Store) open() (*file, error) {
	f, err := openFile(s.path, s.opt)
	if errors.Is(err, errDamaged) || errors.Is(err, errNewer) || errors.Is(err, errOtherKey) {
		if err := s.setFileAside(err); err != nil {
			return nil, err
		}
		return openFile(s.path, s.opt)
	}
	return f, err
}

// setFileAside renames the file, so that no data is lost that a person may still want.
func (s *Store) setFileAside(why error) error {
	label := "damaged"
	switch {
	case errors.Is(why, errNewer):
		label = "newer"
	case errors.Is(why, errOtherKey):
		label = "otherkey"
	}
	name := s.path + "." + label + "-" + s.opt.Now().UTC().Format("20060102T150405Z")
	to := name
	for i := 2; exists(to); i++ {
		to = fmt.Sprintf("%s-%d", name, i)
	}
	if err := os.Rename(s.path, to); err != nil {
		return fmt.Errorf("set it aside, since it can't be used (%w): %w", why, err)
	}
	s.opt.Logger.Error("the model store can't be used: it is set aside, and an empty one replaces it",
		"store", s.path, "kept", to, "error", why)
	return nil
}

// KeptFiles returns the files in dir that were set aside because they could not be used. Delete does not change them.
func KeptFiles(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // Open reports what is wrong with it
	}
	var kept []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), fileName+".") && !passing(e.Name()) {
			kept = append(kept, filepath.Join(dir, e.Name()))
		}
	}
	return kept
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// use calls f with the open file. After an error that points to damage, it closes the file, checks it and opens it
// again. When that replaces the file, use returns cache.ErrReset (wrapped), for this call only.
func (s *Store) use(ctx context.Context, what string, f func(*file) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s models: %w", what, err)
	}
	used, err := s.try(f)
	if errors.Is(err, errDamaged) || errors.Is(err, errGone) {
		err = s.reopen(used, err)
	}
	if err != nil {
		return fmt.Errorf("%s models: %w", what, err)
	}
	return nil
}

// try calls f with the file and also returns that file.
func (s *Store) try(f func(*file) error) (*file, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch {
	case s.closed:
		return nil, cache.ErrClosed
	case s.file == nil:
		return nil, damaged("it could not be replaced before")
	}
	return s.file, f(s.file)
}

// startAfresh sets the file aside even when it looks sound, and opens an empty one. The caller holds s.mu.
func (s *Store) startAfresh(why error) (err error) {
	err = s.file.abandon()
	s.file, s.suspect = nil, false
	if err := errors.Join(err, s.setFileAside(why)); err != nil {
		return err
	}
	s.file, err = s.open()
	return err
}

// reopen closes the file that failed, checks the file at its path and opens it, unless another call has done so
// already. A sound file stays in use.
func (s *Store) reopen(failed *file, why error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return cache.ErrClosed
	}
	if s.file != failed {
		return fmt.Errorf("%w (another call replaced it)", cache.ErrReset)
	}
	lost := failed == nil
	if failed != nil {
		s.file = nil
		if err := failed.abandon(); err != nil {
			s.opt.Logger.Warn("close the damaged model store", "store", s.path, "error", err)
			if errors.Is(why, errDamaged) { // it is still locked, so nobody can inspect it
				if err := s.setFileAside(why); err != nil {
					return err
				}
			}
		}
		if errors.Is(why, errGone) {
			lost = true
			s.opt.Logger.Error("the model store is gone: opening or creating it again", "store", s.path, "error", why)
		}
	}
	f, err := s.open()
	if err != nil {
		return fmt.Errorf("replace the damaged model store: %w", err)
	}
	s.file = f
	if !f.fresh && !lost && s.suspect {
		// It fails in use although the check finds nothing: go by the failures.
		return errors.Join(fmt.Errorf("%w: %w", cache.ErrReset, why), s.startAfresh(why))
	}
	s.suspect = !f.fresh && !lost
	if f.fresh || lost {
		return fmt.Errorf("%w: %w", cache.ErrReset, why)
	}
	return fmt.Errorf("the file looked damaged but is sound, try again: %s", why.Error())
}
