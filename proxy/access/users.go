package access

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/bcrypt"
)

// Bounds of a password file. A check at cost 16 takes seconds.
const (
	maxName = 255
	maxCost = 16
)

// Users are names with hashed passwords, immutable and safe for concurrent use.
type Users struct{ hashes map[string][]byte }

// LoadUsers reads a password file like ParseUsers. It refuses a file that everybody on the machine can read, and a file
// without users, which would lock everybody out.
func LoadUsers(path string) (*Users, error) {
	f, err := openSecret(path, 0o007) // a group, such as the web server's, may share it
	if err != nil {
		return nil, fmt.Errorf("password file: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	users, err := ParseUsers(f)
	if err != nil {
		return nil, fmt.Errorf("password file %s: %w", path, err)
	}
	if len(users.hashes) == 0 {
		return nil, fmt.Errorf("password file %s has no users: add one with 'winnow passwd add %s NAME'", path, path)
	}
	return users, nil
}

// ParseUsers parses the format of Apache's htpasswd: a line "name:hash" for each user. The hash must be bcrypt's, the
// only one of that format that withstands guessing. Empty lines and lines that begin with # are ignored. Errors name
// the line.
func ParseUsers(r io.Reader) (*Users, error) {
	users := &Users{hashes: map[string][]byte{}}
	if err := eachEntry(r, users.add); err != nil {
		return nil, err
	}
	return users, nil
}

func (u *Users) add(line string) error {
	name, hash, ok := strings.Cut(line, ":")
	if !ok {
		return errors.New(`want "name:hash", as htpasswd -B and winnow passwd add write it`)
	}
	if err := CheckName(name); err != nil {
		return err
	}
	if _, twice := u.hashes[name]; twice {
		return fmt.Errorf("user %s is listed twice", name)
	}
	cost, err := bcrypt.Cost([]byte(hash))
	if err != nil {
		return fmt.Errorf("the hash of user %s is not bcrypt's: set it again with winnow passwd add or htpasswd -B", name)
	}
	if cost > maxCost {
		return fmt.Errorf("the hash of user %s has cost %d: more than %d takes too long", name, cost, maxCost)
	}
	u.hashes[name] = []byte(hash)
	return nil
}

// CheckName checks a user's name: HTTP puts a colon after it (RFC 7617 §2).
func CheckName(name string) error {
	switch {
	case name == "" || len(name) > maxName:
		return fmt.Errorf("a user's name has 1 to %d bytes", maxName)
	case strings.HasPrefix(name, "#"):
		return errors.New("a user's name can't begin with #, which begins comments")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r == ':' || r < ' ' || r == 0x7f }):
		return errors.New("a user's name can have neither a colon nor control characters")
	}
	return nil
}

// cost is the highest cost among the hashes.
func (u *Users) cost() int {
	highest := bcrypt.MinCost
	for _, h := range u.hashes {
		if c, err := bcrypt.Cost(h); err == nil {
			highest = max(highest, c)
		}
	}
	return highest
}
