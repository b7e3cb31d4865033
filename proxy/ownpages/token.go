package ownpages

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// Lasts is how long a token is good for: between one and two of these.
const Lasts = time.Hour

// Tokens makes tokens that only winnow's own pages show: a form of another site does not have one. The key is made anew
// in each process. Tokens are safe for concurrent use.
type Tokens struct {
	key [32]byte
	now func() time.Time
}

// NewTokens returns tokens with a fresh key; now nil means time.Now.
func NewTokens(now func() time.Time) *Tokens {
	t := &Tokens{now: now}
	if now == nil {
		t.now = time.Now
	}
	rand.Read(t.key[:]) // never fails
	return t
}

// For returns the token for a client and what its form asks for.
func (t *Tokens) For(client string, what ...string) string { return t.at(0, client, what) }

func (t *Tokens) at(ago int64, client string, what []string) string {
	mac := hmac.New(sha256.New, t.key[:])
	fmt.Fprintf(mac, "%d %q %q", t.now().Unix()/int64(Lasts.Seconds())-ago, client, what)
	return hex.EncodeToString(mac.Sum(nil))
}

// Check reports whether token is one that For gave for the same client and the same ask, not too long ago.
func (t *Tokens) Check(token, client string, what ...string) bool {
	return client != "" && (hmac.Equal([]byte(token), []byte(t.at(0, client, what))) ||
		hmac.Equal([]byte(token), []byte(t.at(1, client, what))))
}
