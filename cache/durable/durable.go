// Package durable writes files so that a crash leaves the old content or the new one, and never a part of it.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace replaces the content of a file, which need not exist and gets mode 0600. When it returns nil, the new content
// survives a crash; until then, the old one does.
func Replace(file string, content []byte) error {
	tmp, err := write(file, content, 0o600)
	if err != nil {
		return err
	}
	if err = os.Rename(tmp, file); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return syncFolder(filepath.Dir(file))
}

// Create creates a file with all of its content, unless it exists: an existing file stays as it is and is no error, so
// that of several processes the fastest decides. When it returns nil, the file survives a crash.
func Create(file string, content []byte, mode fs.FileMode) error {
	tmp, err := write(file, content, mode)
	if err != nil {
		return err
	}
	// A rename would replace the file of a faster process.
	if err = os.Link(tmp, file); errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err = errors.Join(err, os.Remove(tmp)); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(file))
}

// write writes content to a new temporary file beside file and returns its name.
func write(file string, content []byte, mode fs.FileMode) (name string, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*") // made with mode 0600
	if err != nil {
		return "", err
	}
	_, err = tmp.Write(content)
	if err == nil && mode != 0o600 {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return "", errors.Join(err, os.Remove(tmp.Name()))
	}
	return tmp.Name(), nil
}

// syncFolder makes a change of names in a folder survive a crash. Windows can't, and needs no such call.
func syncFolder(dir string) error {
	if os.PathSeparator != '/' {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
