package ownpages

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// Lasts is the shortest lifetime of a token. A token expires before twice that time.
const Lasts = time.Hour

// Tokens makes tokens for forms. Only winnow's own pages show them, so other sites can't send these forms. Each process
// has its own key. It is safe for concurrent use.
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

// For returns the token of a client for an action and its arguments.
func (t *Tokens) For(client string, what ...string) string { return t.at(0, client, what) }

func (t *Tokens) at(ago int64, client string, what []string) string {
	mac := hmac.New(sha256.New, t.key[:])
	fmt.Fprintf(mac, "%d %q %q", t.now().Unix()/int64(Lasts.Seconds())-ago, client, what)
	return hex.EncodeToString(mac.Sum(nil))
}

// Check reports whether For returned token for the same client, action and arguments, and token has not expired.
func (t *Tokens) Check(token, client string, what ...string) bool {
	return client != "" && (hmac.Equal([]byte(token), []byte(t.at(0, client, what))) ||
		hmac.Equal([]byte(token), []byte(t.at(1, client, what))))
}
