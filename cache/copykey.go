package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrOtherKey says that a data directory has a key already, and not the one that it was to get.
var ErrOtherKey = errors.New("the data directory has another key")

// CopyKey gives a new data directory the key in a file, so that its models can be merged with those of other
// directories with this key. A directory that has this key stays as it is; one with another key gives ErrOtherKey
// (wrapped).
func CopyKey(file, dir string) error {
	want, err := readKey(file)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, keyName)
	has, err := readKey(path)
	switch {
	case err == nil && has != want:
		return fmt.Errorf("%w: %s differs from %s", ErrOtherKey, path, file)
	case err == nil || !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	if err := createKey(path, want); err != nil {
		return fmt.Errorf("write the installation key: %w", err)
	}
	// Another process may have been faster.
	if has, err = readKey(path); err == nil && has != want {
		err = fmt.Errorf("%w: %s differs from %s", ErrOtherKey, path, file)
	}
	return err
}

// HasKey reports whether dir has an installation key.
func HasKey(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, keyName))
	return err == nil
}
