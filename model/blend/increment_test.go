package blend

import (
	"math/rand/v2"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
)

// encodedHost is the encoding of h.
func encodedHost(t *testing.T, h model.Host) string {
	t.Helper()
	b, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A model that adds the increments of another one, as they arrive in a store, is that model.
func TestIncrementsTeachWhatPagesTeach(t *testing.T) {
	d := detector(t)
	want, own, other := d.newHost(model.Key{}), d.newHost(model.Key{}), d.newHost(model.Key{})
	for _, i := range []int{1, 2, 3, 2, 4, 5, 1, 6} {
		p := viewtest.Parse(t, viewtest.SitePage(i))
		want.Observe(p, visit(i))
		one := own.Increment(viewtest.Parse(t, viewtest.SitePage(i)), visit(i))
		if one == nil {
			continue
		}
		if err := own.Add(one); err != nil {
			t.Fatal(err)
		}
		received, err := d.Decode(model.Key{}, []byte(encodedHost(t, one)))
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Add(received); err != nil {
			t.Fatal(err)
		}
	}
	if own.Stats().Pages != 6 || encodedHost(t, own) != encodedHost(t, want) || encodedHost(t, other) != encodedHost(t, want) {
		t.Errorf("learned %+v, by increments %+v, received %+v", want.Stats(), own.Stats(), other.Stats())
	}
}

// Replicas learn at once some of the same pages, and get each other's increments late, twice and in different orders.
// Every page counts once in all counts.
func TestReplicasCountEveryPageOnce(t *testing.T) {
	d := detector(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		replicas := []*Host{d.newHost(model.Key{}), d.newHost(model.Key{}), d.newHost(model.Key{})}
		var sent []model.Host
		for range 12 {
			i, r := rng.IntN(7), replicas[rng.IntN(3)]
			if one := r.Increment(viewtest.Parse(t, viewtest.SitePage(i)), visit(i)); one != nil {
				sent = append(sent, one)
				if err := r.Add(one); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, r := range replicas {
			for _, i := range append(rng.Perm(len(sent)), rng.Perm(len(sent))...) {
				if err := r.Add(sent[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, r := range replicas[1:] {
			checkSameCounts(t, r, replicas[0])
		}
		one := d.newHost(model.Key{})
		for i := range 7 {
			if replicas[0].tree.Knows(viewtest.Parse(t, viewtest.SitePage(i)), visit(i)) {
				one.Observe(viewtest.Parse(t, viewtest.SitePage(i)), visit(i))
			}
		}
		checkSameCounts(t, replicas[0], one)
	}
}

// checkSameCounts compares what does not depend on the order of pages.
func checkSameCounts(t *testing.T, got, want *Host) {
	t.Helper()
	if encodedHost(t, got.tree) != encodedHost(t, want.tree) {
		t.Fatalf("style trees of %d and %d pages differ", got.tree.Pages(), want.tree.Pages())
	}
	if got.memory.Pages != want.memory.Pages || got.memory.Seen.Len() != want.memory.Seen.Len() {
		t.Fatalf("%d pages with %d things, want %d with %d", got.memory.Pages, got.memory.Seen.Len(), want.memory.Pages, want.memory.Seen.Len())
	}
	for k, s := range want.memory.Seen.All() {
		if g, _ := got.memory.Seen.Get(k); g.Count != s.Count {
			t.Fatalf("a thing on %d pages, want %d", g.Count, s.Count)
		}
	}
	for k, p := range want.memory.Places.All() {
		if g, _ := got.memory.Places.Get(k); g.Visits != p.Visits || g.Finds != p.Finds || g.Words != p.Words || g.Links != p.Links {
			t.Fatalf("a place is %+v, want %+v", g, p)
		}
	}
}

// Merging what a model knows already, or a model that knows more, counts nothing twice.
func TestMergeTwice(t *testing.T) {
	d := detector(t)
	part, all := taught(t, d, 1, 2, 3), taught(t, d, 4, 5)
	if err := all.Merge(part); err != nil {
		t.Fatal(err)
	}
	want := encodedHost(t, all)
	if err := all.Merge(part); err != nil || encodedHost(t, all) != want {
		t.Errorf("the same pages again (%v): %+v", err, all.Stats())
	}
	if err := part.Merge(all); err != nil || encodedHost(t, part) != want {
		t.Errorf("a model that knows more (%v): %+v", err, part.Stats())
	}
}
