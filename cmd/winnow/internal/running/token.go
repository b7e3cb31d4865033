package running

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// tokenFile is the name of the file with the token of the admin address, readable by its owner alone.
const tokenFile = "admin-token"

// Token returns the token for the admin address of the winnow on dir. It creates one if there is none.
func Token(dir string) (string, error) {
	file := filepath.Join(dir, tokenFile)
	token, err := access.ReadToken(file)
	switch {
	case err == nil:
		return token, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("admin token: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("admin token: %w", err)
	}
	token = rand.Text()
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("admin token: %w", err)
	}
	_, err = f.WriteString(token + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("admin token: %w", err)
	}
	return token, nil
}
