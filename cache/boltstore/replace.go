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

// open opens the file, or a fresh one in its place when it can't be used.
func (s *Store) open() (*file, error) {
	f, err := openFile(s.path, s.opt)
	if unusable(err) {
		if err := s.setFileAside(err); err != nil {
			return nil, err
		}
		return openFile(s.path, s.opt)
	}
	if err != nil {
		return nil, err
	}
	return s.tidy(f)
}

// tidy does what an earlier process left undone. What fails is left for the next start, as the file is of use without it.
func (s *Store) tidy(f *file) (*file, error) {
	if err := f.scrub(s.opt.noSync); err != nil {
		s.opt.Logger.Error("tidy the model store", "store", s.path, "error", err)
	}
	shrunk, err := s.shrink(f)
	if shrunk == nil {
		return nil, err
	}
	if err != nil {
		s.opt.Logger.Error("the model store is larger than its bound", "store", s.path, "error", err)
	}
	return shrunk, nil
}

func unusable(err error) bool {
	return errors.Is(err, errDamaged) || errors.Is(err, errNewer) || errors.Is(err, errOtherKey)
}

// setFileAside renames the file, so that nothing is thrown away that a person may still want.
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
	s.opt.Logger.Error("the model store can't be used: it is set aside, and a fresh one takes its place",
		"store", s.path, "kept", to, "error", why)
	return nil
}

// KeptFiles returns the stores in dir that were set aside because they could not be used. Delete does not reach them.
func KeptFiles(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // Open says what is wrong with it
	}
	var kept []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), fileName+".") {
			kept = append(kept, filepath.Join(dir, e.Name()))
		}
	}
	return kept
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// use calls f with the open file. When that shows the file to be damaged, it is replaced and use returns
// cache.ErrReset (wrapped), for this call and for no other.
func (s *Store) use(ctx context.Context, what string, f func(*file) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s models: %w", what, err)
	}
	used, err := s.try(f)
	if errors.Is(err, errDamaged) || errors.Is(err, errGone) {
		err = s.replace(used, err)
	}
	if err != nil {
		return fmt.Errorf("%s models: %w", what, err)
	}
	return nil
}

// try calls f with the file, and returns that file too.
func (s *Store) try(f func(*file) error) (*file, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch {
	case s.closed:
		return nil, cache.ErrClosed
	case s.file == nil:
		return nil, fmt.Errorf("%w, and could not be replaced before", errDamaged)
	}
	return s.file, f(s.file)
}

// replace sets the damaged file aside and opens a fresh one, unless another call has done so already. Where the file is
// gone, whatever stands at its path is opened.
func (s *Store) replace(unusable *file, why error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return cache.ErrClosed
	}
	if s.file != unusable {
		return fmt.Errorf("%w (it was replaced just now)", cache.ErrReset)
	}
	if s.file != nil && !errors.Is(why, errFault) && s.file.check() == nil {
		// Nothing else uses the file now, so this look is the one to believe.
		return fmt.Errorf("the file looked damaged and is not, try again: %s", why.Error())
	}
	if s.file != nil {
		if err := s.file.abandon(); err != nil {
			s.opt.Logger.Warn("close the damaged model store", "store", s.path, "error", err)
		}
		s.file = nil
		if errors.Is(why, errDamaged) {
			if err := s.setFileAside(why); err != nil {
				return err
			}
		} else {
			s.opt.Logger.Error("the model store is gone: it is opened or made anew", "store", s.path, "error", why)
		}
	}
	f, err := s.open()
	if err != nil {
		return fmt.Errorf("replace the damaged model store: %w", err)
	}
	s.file = f
	return fmt.Errorf("%w: %w", cache.ErrReset, why)
}
