package access

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// maxFile bounds the bytes of a file of secrets.
const maxFile = 1 << 20

// shortestToken is long enough that nobody guesses it.
const shortestToken = 16

// openSecret opens a file of secrets. It refuses a file whose mode has one of the bits of forbidden.
func openSecret(path string, forbidden fs.FileMode) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if perm := info.Mode().Perm(); perm&forbidden != 0 && runtime.GOOS != "windows" {
		return nil, errors.Join(fmt.Errorf("%s can be read by others (mode %#o): run 'chmod 600 %s'", path, perm, path), f.Close())
	}
	return f, nil
}

// eachEntry calls add for each line that is neither empty nor begins with #. An error names the line.
func eachEntry(r io.Reader, add func(line string) error) error {
	limited := &io.LimitedReader{R: r, N: maxFile + 1}
	lines := bufio.NewScanner(limited)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := add(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if limited.N == 0 {
		return fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return lines.Err()
}

// ReadToken reads a file that has one token. A file that others can read, or a token that can be guessed, is an error.
func ReadToken(path string) (string, error) {
	f, err := openSecret(path, 0o077)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it was only read
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(b))
	if err := checkToken(token); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return token, nil
}

// checkToken checks that a token can be sent and can't be guessed.
func checkToken(token string) error {
	if len(token) < shortestToken || strings.ContainsAny(token, " \t\r\n") {
		return fmt.Errorf("want one word of %d characters or more", shortestToken)
	}
	return nil
}
