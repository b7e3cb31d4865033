package access

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/crypto/bcrypt"
	"golang.org/x/sync/singleflight"
)

// Errors of Verifier.Check, beside TooManyError.
var (
	// ErrWrong says that the user does not exist or that the password is wrong.
	ErrWrong = errors.New("wrong name or password")
	// ErrBusy says that too many passwords are being checked. The client should try again in a moment.
	ErrBusy = errors.New("too many passwords are being checked")
)

// TooManyError says that a client has guessed wrong too often.
type TooManyError struct {
	// After is the time until the client may try again.
	After time.Duration
}

// Error implements error.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("too many wrong passwords, wait for %s", e.After.Round(time.Second))
}

// Limits on guessing. A client has ten wrong passwords at once, for human errors, and then one every ten seconds.
const (
	wrongBurst       = 10
	wrongPerSecond   = 0.1
	clientsWatched   = 16384
	passwordsKnown   = 4096
	verifierPatience = 20 * time.Second
)

// Verifier checks names and passwords. bcrypt is slow on purpose, while a browser sends its password with every
// request. So the verifier caches correct passwords, as keyed hashes under a key of this process. Guessing stays
// expensive: only few passwords are checked at once, and a client that guesses wrong must wait. It is safe for
// concurrent use.
type Verifier struct {
	*verified
	users *Users
	// nobody is compared with for unknown users, so that the time does not reveal which names exist.
	nobody []byte
	now    func() time.Time
}

// verified is the cache of a verifier, which it passes on to its successor.
type verified struct {
	key   [32]byte
	known *lru.Cache[string, *struct{}] // a set; its values are nil
	// turns are the places of those whose password is being checked: who has waited for few checks of late goes first, so
	// that a first login does not wait for those who guess.
	turns   *Turns
	flights singleflight.Group
	wrong   *Buckets
}

// NewVerifier returns a verifier of users.
func NewVerifier(users *Users) (*Verifier, error) {
	known, err := lru.New[string, *struct{}](passwordsKnown)
	if err != nil {
		return nil, err
	}
	v := &Verifier{
		verified: &verified{
			known: known,
			turns: NewTurns(max(1, runtime.GOMAXPROCS(0)/2), max(1, runtime.GOMAXPROCS(0)/8), time.Now),
			wrong: NewBuckets(wrongPerSecond, wrongBurst, clientsWatched),
		},
		users: users, nobody: unknownHash(users.cost()), now: time.Now,
	}
	rand.Read(v.key[:]) // never fails
	return v, nil
}

// unknownHash is a hash in bcrypt's format of a password that nobody knows: random salt and sum. Computing a real one
// would take as long as a check, at each start and reload.
func unknownHash(cost int) []byte {
	const saltAndSum = 22 + 31
	return fmt.Appendf(nil, "$2a$%02d$%.*s", cost, saltAndSum, rand.Text()+rand.Text()+rand.Text())
}

// Inherit takes over the verified passwords and the wrong guesses of old. Entries for users with a changed hash have no
// effect. Call it before v is used; old may be in use meanwhile and afterwards. Without it, a reload would check
// everybody's password again at once, at a tenth of a second each.
func (v *Verifier) Inherit(old *Verifier) { v.verified = old.verified }

// Check returns nil when the password is the user's. Otherwise it returns ErrWrong, ErrBusy, a *TooManyError, or ctx's
// error when ctx ends first. A client that has guessed wrong too often is still admitted with a password that was right
// before.
func (v *Verifier) Check(ctx context.Context, client Client, name, password string) error {
	mac := v.mac(name, password)
	if _, known := v.known.Get(mac); known {
		return nil
	}
	if err := v.mayGuess(client); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, verifierPatience, ErrBusy)
	defer cancel()
	// Browsers open several connections at once with one password: it is checked once.
	flight := fmt.Sprintf("%x %s", mac, netip.Prefix(client))
	done := v.flights.DoChan(flight, func() (any, error) { return nil, v.compare(client, mac, name, password) })
	select {
	case r := <-done:
		return r.Err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Knows reports whether there is a user of that name.
func (v *Verifier) Knows(name string) bool {
	_, ok := v.users.hashes[name]
	return ok
}

// compare waits for its turn and compares. It outlives a caller that leaves, so that leaving is no way to guess for
// free.
func (v *Verifier) compare(client Client, mac, name, password string) error {
	ctx, cancel := context.WithTimeout(context.Background(), verifierPatience)
	defer cancel()
	leave, err := v.turns.Enter(ctx, client.String())
	if err != nil {
		return ErrBusy
	}
	defer leave()
	if err := v.mayGuess(client); err != nil { // what the client had in flight meanwhile counts
		return err
	}
	hash, known := v.users.hashes[name]
	if !known {
		hash = v.nobody
	}
	if err := bcrypt.CompareHashAndPassword(hash, []byte(password)); err != nil || !known {
		v.wrong.Take(client.String(), v.now())
		return ErrWrong
	}
	v.known.Add(mac, nil)
	return nil
}

func (v *Verifier) mayGuess(client Client) error {
	if wait, ok := v.wrong.Peek(client.String(), v.now()); !ok {
		return &TooManyError{After: wait}
	}
	return nil
}

// mac is the cached form of a correct password. It includes the user's hash, so a password that was correct for another
// hash is unknown.
func (v *Verifier) mac(name, password string) string {
	h := hmac.New(sha256.New, v.key[:])
	for _, part := range [][]byte{[]byte(name), v.users.hashes[name], []byte(password)} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part)))) // "ab" + "c" is not "a" + "bc"
		h.Write(part)
	}
	return string(h.Sum(nil))
}
