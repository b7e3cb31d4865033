package access

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
)

func newVerifier(t *testing.T, lines ...string) *Verifier {
	t.Helper()
	v, err := NewVerifier(parsed(t, lines...))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func parsed(t *testing.T, lines ...string) *Users {
	t.Helper()
	users, err := ParseUsers(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return users
}

func client(n int) Client { return ClientOf(netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)})) }

func TestVerifier(t *testing.T) {
	v := newVerifier(t, "ada:"+hashed(t, "secret"), "bob:"+hashed(t, ""))
	for _, tc := range []struct {
		name, password string
		want           error
	}{
		{"ada", "secret", nil}, {"ada", "secret", nil}, {"bob", "", nil},
		{"ada", "Secret", ErrWrong}, {"ada", "", ErrWrong}, {"Ada", "secret", ErrWrong}, {"", "", ErrWrong},
		{"bob", "secret", ErrWrong}, {"adas", "ecret", ErrWrong}, {"charles", "secret", ErrWrong},
	} {
		if err := v.Check(t.Context(), client(1), tc.name, tc.password); !errors.Is(err, tc.want) {
			t.Errorf("%s:%s: %v, want %v", tc.name, tc.password, err, tc.want)
		}
	}
}

// Ten wrong passwords are accepted at once. Then the client must wait, whatever name it tries, and nobody else must. A
// password that was right before stays right.
func TestGuessingIsDamped(t *testing.T) {
	v := newVerifier(t, "ada:"+hashed(t, "secret"))
	now := time.Unix(1000, 0)
	v.now = func() time.Time { return now }
	if err := v.Check(t.Context(), client(1), "ada", "secret"); err != nil {
		t.Fatal(err)
	}
	for i := range wrongBurst {
		if err := v.Check(t.Context(), client(1), "ada", fmt.Sprint(i)); !errors.Is(err, ErrWrong) {
			t.Fatalf("guess %d: %v", i, err)
		}
	}
	var tooMany *TooManyError
	for _, name := range []string{"ada", "charles"} {
		if err := v.Check(t.Context(), client(1), name, "guess"); !errors.As(err, &tooMany) || tooMany.After != 10*time.Second {
			t.Errorf("the next guess at %s: %v", name, err)
		}
	}
	if err := v.Check(t.Context(), client(1), "ada", "secret"); err != nil {
		t.Errorf("the known password: %v", err)
	}
	if err := v.Check(t.Context(), client(2), "ada", "guess"); !errors.Is(err, ErrWrong) {
		t.Errorf("another client: %v", err)
	}
	now = now.Add(10 * time.Second)
	if err := v.Check(t.Context(), client(1), "ada", "guess"); !errors.Is(err, ErrWrong) {
		t.Errorf("after the wait: %v", err)
	}
}

// Concurrent guesses do not avoid the rate limit, except for those that are being checked at the moment.
func TestGuessingSideBySide(t *testing.T) {
	v := newVerifier(t, "ada:"+hashed(t, "secret"))
	var wrong sync.Map
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			if err := v.Check(t.Context(), client(1), "ada", fmt.Sprint(i)); errors.Is(err, ErrWrong) {
				wrong.Store(i, true)
			}
		})
	}
	wg.Wait()
	n := 0
	wrong.Range(func(any, any) bool { n++; return true })
	if n < wrongBurst || n > wrongBurst+1+max(1, runtime.GOMAXPROCS(0)/2) {
		t.Errorf("%d guesses were checked", n)
	}
}

// One password on many connections at once is checked once, and later uses cost nothing: with a hash of cost 8,
// checking each would take a minute or more.
func TestKnownPasswordsAreCheap(t *testing.T) {
	v := newVerifier(t, "ada:$2a$08$"+strings.Repeat("a", 53)) // of no password that anybody knows
	v.known.Add(v.mac("ada", "secret"), nil)
	start := time.Now()
	for range 10000 {
		if err := v.Check(t.Context(), client(1), "ada", "secret"); err != nil {
			t.Fatal(err)
		}
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("10,000 checks took %v", d)
	}
	for i := range 2 * passwordsKnown {
		v.known.Add(v.mac("ada", fmt.Sprint(i)), nil)
	}
	if n := v.known.Len(); n != passwordsKnown {
		t.Errorf("%d passwords are remembered", n)
	}
}

// A verifier that inherits need not check again what holds for both, and inherits nothing else.
func TestInheritedPasswords(t *testing.T) {
	bob := "bob:" + hashed(t, "word")
	old := newVerifier(t, "ada:"+hashed(t, "old"), bob, "carl:"+hashed(t, "gone"))
	for name, password := range map[string]string{"ada": "old", "bob": "word", "carl": "gone"} {
		if err := old.Check(t.Context(), client(1), name, password); err != nil {
			t.Fatal(err)
		}
	}
	for range wrongBurst {
		if err := old.Check(t.Context(), client(2), "bob", "guess"); !errors.Is(err, ErrWrong) {
			t.Fatal(err)
		}
	}
	v := newVerifier(t, "ada:"+hashed(t, "new"), bob)
	v.Inherit(old)
	for _, tc := range []struct {
		name, password string
		want           error
	}{{"ada", "old", ErrWrong}, {"ada", "new", nil}, {"carl", "gone", ErrWrong}} {
		if err := v.Check(t.Context(), client(1), tc.name, tc.password); !errors.Is(err, tc.want) {
			t.Errorf("%s, %s: %v, want %v", tc.name, tc.password, err, tc.want)
		}
	}
	var tooMany *TooManyError
	if err := v.Check(t.Context(), client(2), "bob", "guess"); !errors.As(err, &tooMany) {
		t.Errorf("a client that has guessed too often: %v", err)
	}
	defer allAtWork(t, v)() // so that nothing can be checked
	if err := v.Check(t.Context(), client(1), "bob", "word"); err != nil {
		t.Errorf("a password that was right before: %v", err)
	}
	if err := old.Check(t.Context(), client(1), "ada", "old"); err != nil {
		t.Errorf("the old verifier forgets: %v", err)
	}
}

// allAtWork takes all places for checks, and returns a function that frees them.
func allAtWork(t *testing.T, v *Verifier) (free func()) {
	t.Helper()
	var leave []func()
	places := max(1, runtime.GOMAXPROCS(0)/2)
	for i := range places + max(1, places/4) {
		l, err := v.turns.Enter(t.Context(), client(99+i).String())
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, l)
	}
	return func() {
		for _, l := range leave {
			l()
		}
	}
}

// Who logs in for the first time does not wait until all guesses of others have been checked.
func TestFirstLoginsGoBeforeGuesses(t *testing.T) {
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), 7)
	if err != nil {
		t.Fatal(err)
	}
	v := newVerifier(t, "ada:"+string(hash))
	ctx := t.Context()
	var guessed atomic.Int64
	var wg sync.WaitGroup
	for i := range 12 {
		for j := range wrongBurst {
			wg.Go(func() {
				_ = v.Check(ctx, client(10+i), "ada", fmt.Sprint(i, j))
				guessed.Add(1)
			})
		}
	}
	for guessed.Load() < 13 { // each guesser has been served something
		time.Sleep(time.Millisecond)
	}
	before := guessed.Load()
	if err := v.Check(ctx, client(1), "ada", "secret"); err != nil {
		t.Errorf("a first login: %v", err)
	}
	// In order of arrival all others would go first. One or two a guesser do here, and some more pass while a busy machine
	// gets round to this goroutine.
	if n := guessed.Load() - before; n > 12*wrongBurst/2 {
		t.Errorf("%d guesses were checked before a first login", n)
	}
	wg.Wait()
}

func TestCheckGivesUp(t *testing.T) {
	v := newVerifier(t, "ada:"+hashed(t, "secret"))
	free := allAtWork(t, v)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := v.Check(ctx, client(1), "ada", "secret"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with all slots taken: %v", err)
	}
	free()
	if err := v.Check(t.Context(), client(1), "ada", "secret"); err != nil {
		t.Errorf("with a slot free: %v", err)
	}
}

// The response time does not reveal whether a name exists: bcrypt runs in both cases, at the highest cost of all
// hashes.
func TestUnknownNamesTakeTheirTime(t *testing.T) {
	v := newVerifier(t, "ada:$2a$08$"+strings.Repeat("a", 53), "bob:"+hashed(t, "x"))
	took := func(name string) (least time.Duration) { // of four: what else the machine does is no matter
		for i := range 4 {
			start := time.Now()
			if err := v.Check(t.Context(), client(1), name, fmt.Sprint("guess ", i)); !errors.Is(err, ErrWrong) {
				t.Fatal(err)
			}
			if d := time.Since(start); i == 0 || d < least {
				least = d
			}
		}
		return least
	}
	if known, unknown := took("ada"), took("charles"); unknown < known/4 {
		t.Errorf("a known name takes %v, an unknown one %v", known, unknown)
	}
}

// BenchmarkKnownPassword is what a password costs a request once it has been verified.
func BenchmarkKnownPassword(b *testing.B) {
	users, err := ParseUsers(strings.NewReader("ada:$2a$08$" + strings.Repeat("a", 53)))
	if err != nil {
		b.Fatal(err)
	}
	v, err := NewVerifier(users)
	if err != nil {
		b.Fatal(err)
	}
	v.known.Add(v.mac("ada", "secret"), nil)
	for b.Loop() {
		if err := v.Check(b.Context(), client(1), "ada", "secret"); err != nil {
			b.Fatal(err)
		}
	}
}
