package natsstore

import (
	"context"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
)

// What one replica learns, the other knows within two seconds. A page that both have seen counts once.
func TestTwoReplicas(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	a, b := join(t, settings{}, s), join(t, settings{}, s)
	settle(t, a, b)
	began := time.Now()
	a.learn("a.example", 1, 2, 3)
	awaitPages(t, "a.example", 3, b)
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	a.learn("a.example", 4, 5, 6)
	b.learn("a.example", 6, 7, 1)
	settle(t, a, b)
	awaitPages(t, "a.example", 7, a, b)
	sameModels(t, "a.example", a, b)
	one := join(t, settings{Options: Options{Stream: "alone"}}, s)
	one.learn("a.example", 1, 2, 3, 4, 5, 6, 7)
	sameModels(t, "a.example", a, one)
	if got := a.store.Sharing(); got.Sent < 6 || got.Dropped != 0 || len(got.Skipped) != 0 || got.Error != "" {
		t.Errorf("%+v", got)
	}
}

// Lessons, imports and removals reach the other replicas too.
func TestOtherChanges(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newServer(t, nil)
	a, b := join(t, settings{}, s), join(t, settings{}, s)
	a.learn("a.example", 1, 2, 3)
	exported, err := a.Export(ctx, "a.example")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Import(ctx, "b.example", exported, true); err != nil {
		t.Fatal(err)
	}
	awaitPages(t, "b.example", 3, a, b)
	a.learn("c.example", 1)
	awaitPages(t, "c.example", 1, b)
	if err := b.Import(ctx, "c.example", exported, false); err != nil {
		t.Fatal(err)
	}
	awaitPages(t, "c.example", 3, a, b)
	if err := b.Forget(ctx, "a.example"); err != nil {
		t.Fatal(err)
	}
	awaitPages(t, "a.example", 0, a, b)
	a.learn("a.example", 9)
	awaitPages(t, "a.example", 1, a, b)
	settle(t, a, b)
	for _, host := range []string{"a.example", "b.example", "c.example"} {
		sameModels(t, host, a, b)
	}
	p := parse(t, doc(9))
	marking, err := a.Mark(ctx, "a.example", p, visit("a.example", 9))
	if err != nil {
		t.Fatal(err)
	}
	lesson, err := a.Propose(ctx, "a.example", p, marking, p.Blocks[0].Element, 1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Teach(ctx, "a.example", lesson); err != nil {
		t.Fatal(err)
	}
	await(t, "the lesson is known", func() bool {
		lessons, err := b.Lessons(ctx, "a.example")
		return err == nil && len(lessons) == 1
	})
}

// A replica that joins, and one that comes back, know what the fleet knows, also what is only in snapshots.
func TestJoin(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	quick := settings{Options: Options{compactBytes: 1}}
	a, b := join(t, quick, s), join(t, settings{dir: t.TempDir()}, s)
	a.learn("a.example", numbers(0, 20)...)
	settle(t, a, b)
	stream, err := a.store.js.Stream(context.Background(), "winnow")
	if err != nil {
		t.Fatal(err)
	}
	if n := stream.CachedInfo().State.Msgs; n >= 20 {
		t.Errorf("the stream has %d messages about 20 pages: no snapshot has replaced any", n)
	}
	awaitPages(t, "a.example", 20, b)
	joiner := join(t, settings{}, s)
	awaitPages(t, "a.example", 20, joiner)

	dir := t.TempDir()
	late := join(t, settings{dir: dir}, s)
	awaitPages(t, "a.example", 20, late)
	if err := late.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	a.learn("a.example", numbers(20, 60)...)
	settle(t, a, b, joiner)
	late = join(t, settings{dir: dir}, s)
	late.learn("a.example", 99)
	awaitPages(t, "a.example", 61, a, b, joiner, late)
	settle(t, a, b, joiner, late)
	sameModels(t, "a.example", a, b, joiner, late)
}

func numbers(from, to int) (ns []int) {
	for n := from; n < to; n++ {
		ns = append(ns, n)
	}
	return ns
}

// A host that nobody has admitted stays with its replica.
func TestThrowawayHostsStay(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	careful := settings{admission: cache.Admission{Pages: 3, Visits: 1}}
	a, b := join(t, careful, s), join(t, settings{}, s)
	a.learn("once.example", 1, 2)
	a.learn("a.example", 1, 2, 3)
	awaitPages(t, "a.example", 3, b) // with the pages from before it was admitted
	if n := b.pages("once.example"); n != 0 {
		t.Errorf("another replica knows %d pages of a host that was not admitted", n)
	}
	b.learn("once.example", 3)
	awaitPages(t, "once.example", 3, a, b) // another replica has admitted it
}

// Replicas with another key, and with another detector, share nothing and say why.
func TestStrangers(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	a := join(t, settings{}, s)
	a.learn("a.example", 1)
	settle(t, a)
	stranger := join(t, settings{Options: Options{Key: model.Key{9}}}, s)
	await(t, "the stranger knows why", func() bool { return stranger.store.Sharing().Error == errForeign.Error() })
	stranger.learn("a.example", 2, 3)
	if got := stranger.store.Sharing(); got.Connected || got.Unsent != 2 {
		t.Errorf("the stranger: %+v", got)
	}
	other := join(t, settings{detector: "purify"}, s)
	other.learn("a.example", 4)
	await(t, "models of another detector are counted", func() bool {
		return a.store.Sharing().Skipped["detector"] > 0
	})
	if n := a.pages("a.example"); n != 1 {
		t.Errorf("%d pages, want 1", n)
	}
}
