package natsstore

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/nats-io/nats.go"
)

// seedLength is the length of an nkey's seed in base32.
const seedLength = 58

// logIn adds the credentials in a file to opts. What the file has says what they are: the JWT and key of a user (as nsc
// and nats write them), the bare seed of an nkey, NAME:PASSWORD, or a token. The file is read again at every
// connection, so that a new password needs no restart.
func logIn(opts *nats.Options, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if bytes.Contains(text, []byte("BEGIN NATS USER JWT")) {
		return nats.UserCredentials(path)(opts)
	}
	if seed, err := nats.NkeyOptionFromSeed(path); err == nil {
		return seed(opts)
	}
	line := strings.TrimSpace(string(text))
	switch {
	case line == "" || strings.ContainsAny(line, "\r\n"):
		return fmt.Errorf("%s has neither a user's JWT, nor an nkey's seed (SU…), nor one line NAME:PASSWORD or TOKEN", path)
	case len(line) == seedLength && line[0] == 'S':
		return fmt.Errorf("%s has the seed of an nkey that is not a user's (SU…), or is damaged", path) // never to be sent
	case strings.Contains(line, ":"):
		return nats.UserInfoHandler(func() (user, password string) {
			user, password, _ = strings.Cut(lineOf(path), ":")
			return user, password
		})(opts)
	}
	return nats.TokenHandler(func() string { return lineOf(path) })(opts)
}

// lineOf returns the only line of a file. While the file can't be read, it is empty, which the server refuses: the
// client tries again.
func lineOf(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
