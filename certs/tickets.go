package certs

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"
)

// ticketRotation is how long one secret seals new tickets. It opens them for as long again. Go also rotates its own
// keys daily.
const ticketRotation = 24 * time.Hour

// ticketSecrets derives the session ticket keys of each host. With a config per connection, each would have keys of its
// own, and no session would ever resume. With keys shared by all hosts, a session of one host could resume as a session
// of another. Keys derived from one secret and the host avoid both and need no memory per host.
type ticketSecrets struct {
	mu                sync.Mutex
	current, previous [32]byte
	since             time.Time
}

func newTicketSecrets(now time.Time) *ticketSecrets {
	t := &ticketSecrets{since: now}
	rand.Read(t.current[:]) // crypto/rand.Read never fails: it aborts the program instead
	rand.Read(t.previous[:])
	return t
}

// keys returns the keys for host: the first seals tickets, both open them.
func (t *ticketSecrets) keys(host string, now time.Time) [][32]byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if age := now.Sub(t.since); age >= ticketRotation || age < 0 {
		t.previous = t.current
		if age >= 2*ticketRotation {
			rand.Read(t.previous[:]) // a key that old must not open a session
		}
		rand.Read(t.current[:])
		t.since = now
	}
	return [][32]byte{derive(t.current, host), derive(t.previous, host)}
}

func derive(secret [32]byte, host string) (key [32]byte) {
	mac := hmac.New(sha256.New, secret[:])
	mac.Write([]byte("winnow session ticket\x00" + host))
	mac.Sum(key[:0])
	return key
}
