package access

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/bcrypt"
)

// Bounds of a password file. A check at cost 16 takes seconds.
const (
	maxFile = 1 << 20
	maxName = 255
	maxCost = 16
)

// Users are names with hashed passwords, immutable and safe for concurrent use.
type Users struct{ hashes map[string][]byte }

// LoadUsers reads a password file like ParseUsers. It refuses a file that everybody on the machine can read, and a file
// without users, which would lock everybody out.
func LoadUsers(path string) (*Users, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("password file: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("password file: %w", err)
	}
	if perm := info.Mode().Perm(); perm&0o007 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("password file %s can be read by everybody (mode %#o): run 'chmod 600 %s'", path, perm, path)
	}
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
	limited := &io.LimitedReader{R: r, N: maxFile + 1}
	lines := bufio.NewScanner(limited)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimRight(lines.Bytes(), " \t\r")
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if err := users.add(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if limited.N == 0 {
		return nil, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return users, nil
}

func (u *Users) add(line []byte) error {
	name, hash, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		return errors.New(`want "name:hash", as htpasswd -B and winnow passwd add write it`)
	}
	if err := CheckName(string(name)); err != nil {
		return err
	}
	if _, twice := u.hashes[string(name)]; twice {
		return fmt.Errorf("user %s is listed twice", name)
	}
	cost, err := bcrypt.Cost(hash)
	if err != nil {
		return fmt.Errorf("the hash of user %s is not bcrypt's: set it again with winnow passwd add or htpasswd -B", name)
	}
	if cost > maxCost {
		return fmt.Errorf("the hash of user %s has cost %d: more than %d takes too long", name, cost, maxCost)
	}
	u.hashes[string(name)] = bytes.Clone(hash)
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
