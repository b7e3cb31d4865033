package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

// Errors of CheckFolder.
var (
	// ErrFolderWritable says that other users may replace files of a data directory, including the key and the CA.
	ErrFolderWritable = errors.New("other users can write to the data directory")
	// ErrFolderReadable says that other users may list a data directory. The files in it have modes of their own.
	ErrFolderReadable = errors.New("other users can read the data directory")
)

// CheckFolder checks whether other users of the machine can access the data directory. It returns ErrFolderWritable
// (wrapped), after which a program should not start, or ErrFolderReadable (wrapped), after which it should warn. A
// missing directory is no error. On Windows, where modes carry no meaning, it always returns nil.
func CheckFolder(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("check the data directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("check the data directory: %s is not a directory", dir)
	}
	perm := info.Mode().Perm()
	reason := ErrFolderReadable
	switch {
	case runtime.GOOS == "windows" || perm&0o077 == 0:
		return nil
	case perm&0o022 != 0:
		reason = ErrFolderWritable
	}
	return fmt.Errorf("%w: %s has mode %#o: run 'chmod 700 %s'", reason, dir, perm, dir)
}
