package running

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tokenFile is the name of the file with the token of the admin address, readable by its owner alone.
const tokenFile = "admin-token"

// Token returns the token that the admin address of the winnow on dir asks for, and makes one where there is none.
func Token(dir string) (string, error) {
	file := filepath.Join(dir, tokenFile)
	token, err := ReadToken(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
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

// shortestToken is long enough that nobody guesses it.
const shortestToken = 16

// ReadToken reads a token from a file. One that others can read, or that could be guessed, is an error.
func ReadToken(file string) (string, error) {
	st, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("admin token: %w", err)
	}
	if mode := st.Mode().Perm(); mode&0o077 != 0 && os.PathSeparator == '/' {
		return "", fmt.Errorf("admin token %s can be read by others (mode %#o): run 'chmod 600 %s'", file, mode, file)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("admin token: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if len(token) < shortestToken || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("admin token %s: want one word of %d characters or more", file, shortestToken)
	}
	return token, nil
}
