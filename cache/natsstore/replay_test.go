package natsstore

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"
)

// recorded returns the messages of the stream.
func (r *replica) recorded() (messages []*nats.Msg) {
	r.t.Helper()
	stream, err := r.store.js.Stream(r.t.Context(), r.store.opt.Stream)
	if err != nil {
		r.t.Fatal(err)
	}
	info := stream.CachedInfo().State
	for seq := info.FirstSeq; seq <= info.LastSeq; seq++ {
		m, err := stream.GetMsg(r.t.Context(), seq)
		if err != nil {
			continue // it was removed
		}
		messages = append(messages, &nats.Msg{Subject: m.Subject, Data: m.Data})
	}
	return messages
}

// replay sends recorded messages again, as somebody may who can write to the stream, but has no key.
func (r *replica) replay(messages []*nats.Msg) {
	r.t.Helper()
	for _, m := range messages {
		if _, err := r.store.js.PublishMsg(r.t.Context(), m, jetstream.WithExpectStream(r.store.opt.Stream)); err != nil {
			r.t.Fatal(err)
		}
	}
}

// Recorded messages bring no forgotten host back, and an old removal removes nothing that came later: neither from
// replicas that were there, nor from one that was away or begins.
func TestRecordedMessagesAreRefused(t *testing.T) {
	t.Parallel()
	s, dir := newServer(t, nil), t.TempDir()
	a, b := join(t, settings{}, s), join(t, settings{dir: dir}, s)
	settle(t, a, b)
	a.learn("a.example", 1, 2, 3)
	settle(t, a, b)
	awaitPages(t, "a.example", 3, a, b)
	learned := a.recorded()
	a.replay(learned)
	settle(t, a, b)
	if got := b.store.Sharing().Skipped["old"]; got != uint64(len(learned)) || len(learned) != 3 {
		t.Errorf("%d of %d repeated messages were counted", got, len(learned))
	}
	if err := b.Forget(context.Background(), "a.example"); err != nil {
		t.Fatal(err)
	}
	settle(t, a, b)
	awaitPages(t, "a.example", 0, a, b)
	forgotten := a.recorded()
	a.replay(learned)
	settle(t, a, b)
	for i, r := range []*replica{a, b} {
		if n := r.pages("a.example"); n != 0 {
			t.Errorf("replica %d: recorded messages brought %d pages of a forgotten host back", i, n)
		}
	}
	a.learn("a.example", 7, 8)
	settle(t, a, b)
	awaitPages(t, "a.example", 2, a, b)
	a.replay(forgotten)
	a.replay(learned)
	settle(t, a, b)
	if err := b.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	b = join(t, settings{dir: dir}, s)
	settle(t, a, b)
	a.replay(forgotten)
	a.replay(learned)
	c := join(t, settings{}, s)
	settle(t, a, b, c)
	for i, r := range []*replica{a, b, c} {
		if n := r.pages("a.example"); n != 2 || r.store.Sharing().Skipped["old"] == 0 {
			t.Errorf("replica %d knows %d pages: %+v", i, n, r.store.Sharing())
		}
	}
	sameModels(t, "a.example", a, b, c)
}

// A window knows which numbers were there, in whatever order they came, if they are near the highest.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, seen, top := &window{}, map[uint64]bool{}, uint64(0)
		for range rapid.IntRange(1, 200).Draw(t, "numbers") {
			n := uint64(rapid.IntRange(max(0, int(top)-2*windowBits), int(top)+3*windowBits).Draw(t, "n"))
			if want := seen[n] || n+windowBits <= top; w.has(n) != want {
				t.Fatalf("%d, highest %d: %v", n, top, !want)
			}
			w.add(n)
			seen[n], top = true, max(top, n)
		}
	})
}
