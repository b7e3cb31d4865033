package access

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// Tokens are the secrets by which programs say who they are (RFC 6750). They are immutable and safe for concurrent use.
type Tokens struct {
	// names has each program's name under the hash of its token, so that the time of a look-up says nothing of the token.
	names map[[sha256.Size]byte]string
}

// LoadTokens reads a file with a line "name:token" for each program. Empty lines and lines that begin with # are
// ignored. A file that others can read or that has no tokens is an error, and so is a token that can be guessed. Errors
// name file and line.
func LoadTokens(path string) (*Tokens, error) {
	f, err := openSecret(path, 0o077)
	if err != nil {
		return nil, fmt.Errorf("token file: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	t := &Tokens{names: map[[sha256.Size]byte]string{}}
	if err := eachEntry(f, t.add); err != nil {
		return nil, fmt.Errorf("token file %s: %w", path, err)
	}
	if len(t.names) == 0 {
		return nil, fmt.Errorf("token file %s has no tokens: add lines such as 'crawler:………'", path)
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
	if err := checkToken(token); err != nil {
		return fmt.Errorf("the token of %s: %w", name, err)
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
