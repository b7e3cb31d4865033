package access

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// Whatever clients do, no more is held than there is, and all comes back.
func TestSharesKeepToTheirSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 200).Draw(t, "size")
		each := rapid.Int64Range(0, 200).Draw(t, "each")
		s := NewShares[int](size, each, rapid.Bool().Draw(t, "alone"))
		held := map[int]int64{}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			client, n := rapid.IntRange(0, 5).Draw(t, "client"), rapid.Int64Range(1, 20).Draw(t, "n")
			if rapid.Bool().Draw(t, "take") {
				if s.Take(client, n) {
					held[client] += n
				}
			} else if held[client] >= n {
				s.Give(client, n)
				held[client] -= n
			}
			var sum int64
			for _, n := range held {
				sum += n
			}
			if sum > size || sum != s.Used() {
				t.Fatalf("%d of %d are held, %d counted", sum, size, s.Used())
			}
		}
		for client, n := range held {
			s.Give(client, n)
		}
		if s.Used() != 0 || len(s.held) != 0 {
			t.Fatalf("%d are held by %v in the end", s.Used(), s.held)
		}
	})
}

func TestGreedyClientsLeaveAShare(t *testing.T) {
	for greedy := range 20 {
		s := NewShares[int](1000, 0, false)
		for full := 0; full < greedy; { // side by side, each takes what it can
			full = 0
			for client := range greedy {
				if !s.Take(client, 1) {
					full++
				}
			}
		}
		got := 0
		for s.Take(-1, 1) {
			got++
		}
		if want := 1000/(greedy+1)/2 - 2; got < want {
			t.Errorf("beside %d greedy clients, one gets %d, want %d", greedy, got, want)
		}
	}
}

func TestAClientAloneMayHaveAll(t *testing.T) {
	s := NewShares[string](10, 0, true)
	if !s.Take("", 10) || s.Take("", 1) {
		t.Error("where all clients are one, it has the whole and no more")
	}
	s.Give("", 10)
	if s = NewShares[string](100, 3, false); !s.Take("a", 3) || s.Take("a", 1) {
		t.Error("a client has no more than each")
	}
	if s.Charge("b", 500); s.Used() != 503 || s.Take("c", 1) {
		t.Error("what is charged counts")
	}
}

// A client that asks now and then goes before all that a greedy one has waiting.
func TestTurnsGoToWhoWasServedLeast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(2, 1, time.Now)
		work := func(client string, ctx context.Context) {
			leave, err := turns.Enter(ctx, client)
			if err != nil {
				t.Errorf("%s: %v", client, err)
				return
			}
			time.Sleep(time.Second)
			leave()
		}
		for range 100 {
			go work("greedy", t.Context())
		}
		time.Sleep(10500 * time.Millisecond)
		for range 5 {
			start := time.Now()
			work("modest", t.Context())
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("the modest client waited for %v", took-time.Second)
			}
			time.Sleep(3 * time.Second)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(turns.waiting) != 0 || turns.free != 2 || len(turns.active) != 0 {
			t.Errorf("in the end %d wait, %d places are free, %v hold some", len(turns.waiting), turns.free, turns.active)
		}
	})
}

// Who stops waiting leaves nothing behind.
func TestTurnsAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1, 1, time.Now)
		leave, err := turns.Enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		other, err := turns.Enter(t.Context(), "x") // the place that is kept
		if err != nil {
			t.Fatal(err)
		}
		defer other()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := turns.Enter(ctx, "b"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		leave()
		if leave, err = turns.Enter(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		leave()
		if len(turns.waiting) != 0 || turns.free != 0 {
			t.Errorf("%d wait, %d places are free", len(turns.waiting), turns.free)
		}
	})
}
