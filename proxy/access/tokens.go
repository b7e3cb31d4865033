package access

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// shortestToken is long enough that nobody guesses it.
const shortestToken = 16

// Tokens are the secrets by which programs say who they are (RFC 6750). They are immutable and safe for concurrent use.
type Tokens struct {
	// names has the name of each program by the hash of its token, so that looking one up takes no time that depends on
	// it.
	names map[[sha256.Size]byte]string
}

// LoadTokens reads a file with a line "name:token" for each program. Empty lines and lines that begin with # are
// ignored. A file that others can read, that has no tokens, or tokens that could be guessed, is an error that names
// file and line.
func LoadTokens(path string) (*Tokens, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("token file: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("token file: %w", err)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("token file %s can be read by others (mode %#o): run 'chmod 600 %s'", path, perm, path)
	}
	t := &Tokens{names: map[[sha256.Size]byte]string{}}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := t.add(line); err != nil {
			return nil, fmt.Errorf("token file %s: line %d: %w", path, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("token file %s: %w", path, err)
	}
	if len(t.names) == 0 {
		return nil, fmt.Errorf("token file %s has no tokens: add lines such as 'crawler:%s'", path, strings.Repeat("…", 3))
	}
	return t, nil
}

func (t *Tokens) add(line string) error {
	name, token, ok := strings.Cut(line, ":")
	if !ok {
		return errors.New(`want "name:token"`)
	}
	if err := CheckName(name); err != nil {
		return err
	}
	if len(token) < shortestToken || strings.ContainsAny(token, " \t") {
		return fmt.Errorf("the token of %s: want one word of %d characters or more", name, shortestToken)
	}
	sum := sha256.Sum256([]byte(token))
	if other, twice := t.names[sum]; twice {
		return fmt.Errorf("%s and %s have the same token", other, name)
	}
	t.names[sum] = name
	return nil
}

// Owner returns the name of the program whose token it is.
func (t *Tokens) Owner(token string) (name string, ok bool) {
	name, ok = t.names[sha256.Sum256([]byte(token))]
	return name, ok
}
