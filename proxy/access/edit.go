package access

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/winnow-proxy/winnow/cache/durable"
	"golang.org/x/crypto/bcrypt"
)

// passwordCost is the bcrypt cost of new hashes: about a tenth of a second. Verified passwords are cached, so that
// nobody waits twice.
const passwordCost = 11

// ErrNoUser says that a password file has no user of that name.
var ErrNoUser = errors.New("there is no such user")

// SetPassword adds a user to the password file at path, or changes the password of an existing user. It creates the
// file if needed, readable by its owner alone, and keeps all other lines. A password has 1 to 72 bytes, the length that
// bcrypt supports.
func SetPassword(path, name, password string) error {
	return setPassword(path, name, password, passwordCost)
}

func setPassword(path, name, password string, cost int) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if password == "" {
		return errors.New("the password is empty")
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), cost)
	if errors.Is(err, bcrypt.ErrPasswordTooLong) {
		return errors.New("the password is longer than the 72 bytes that bcrypt supports")
	}
	if err != nil {
		return fmt.Errorf("hash the password: %w", err)
	}
	line := append([]byte(name+":"), hash...)
	return edit(path, func(lines [][]byte) ([][]byte, error) {
		if i := find(lines, name); i >= 0 {
			lines[i] = line
			return lines, nil
		}
		return append(lines, line), nil
	})
}

// RemoveUser removes a user from the password file at path. It returns ErrNoUser (wrapped) where there is none.
func RemoveUser(path, name string) error {
	return edit(path, func(lines [][]byte) ([][]byte, error) {
		i := find(lines, name)
		if i < 0 {
			return nil, fmt.Errorf("%s: %w", name, ErrNoUser)
		}
		return append(lines[:i], lines[i+1:]...), nil
	})
}

func find(lines [][]byte, name string) int {
	for i, l := range lines {
		if bytes.HasPrefix(l, []byte(name+":")) {
			return i
		}
	}
	return -1
}

// edit changes the lines of the file at path. It refuses to write anything that is not a valid password file.
func edit(path string, change func([][]byte) ([][]byte, error)) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("password file: %w", err)
	}
	var lines [][]byte
	if old = bytes.TrimRight(old, "\r\n"); len(old) > 0 {
		lines = bytes.Split(old, []byte("\n"))
	}
	if lines, err = change(lines); err != nil {
		return fmt.Errorf("password file %s: %w", path, err)
	}
	text := append(bytes.Join(lines, []byte("\n")), '\n')
	if _, err := ParseUsers(bytes.NewReader(text)); err != nil {
		return fmt.Errorf("password file %s: %w", path, err)
	}
	// Atomically, so that a proxy never reads half of it.
	if err := durable.Replace(path, text); err != nil {
		return fmt.Errorf("password file: %w", err)
	}
	return nil
}
