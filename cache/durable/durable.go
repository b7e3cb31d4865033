// Package durable replaces files so that a crash leaves either the old or the new content.
package durable

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace replaces the content of a file, which need not exist and gets mode 0600. When it returns nil, the new content
// survives a crash; until then, the old one does.
func Replace(file string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(content)
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return syncFolder(filepath.Dir(file))
}

// syncFolder makes a rename in a folder survive a crash. Windows can't, and needs no such call.
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
