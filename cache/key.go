package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/winnow-proxy/winnow/cache/durable"
	"github.com/winnow-proxy/winnow/model"
)

// keyName is the file of the installation key in the data directory.
const keyName = "key"

// InstallationKey returns the key in dir/key and creates it on first use, readable by the owner alone. Processes that
// create it at the same moment get the same key. It refuses a file that others can read.
func InstallationKey(dir string) (model.Key, error) {
	path := filepath.Join(dir, keyName)
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return model.Key{}, fmt.Errorf("make the data directory: %w", err)
	}
	if err := createKey(path, model.NewKey()); err != nil {
		return model.Key{}, fmt.Errorf("write the installation key: %w", err)
	}
	return readKey(path) // this process's key, or that of a faster process
}

func readKey(path string) (model.Key, error) {
	info, err := os.Stat(path)
	if err != nil {
		return model.Key{}, fmt.Errorf("read the installation key: %w", err)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 && runtime.GOOS != "windows" {
		return model.Key{}, fmt.Errorf("the installation key %s can be read by others (mode %#o): run 'chmod 600 %s'",
			path, perm, path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return model.Key{}, fmt.Errorf("read the installation key: %w", err)
	}
	key, err := model.ParseKey(strings.TrimSpace(string(b)))
	if err != nil {
		return model.Key{}, fmt.Errorf("%s: %w: restore it, or remove it to start with a new key and fresh models", path, err)
	}
	return key, nil
}

// createKey creates the file. An existing one stays as it is and is no error.
func createKey(path string, key model.Key) error {
	return durable.Create(path, []byte(key.String()+"\n"), 0o600)
}
