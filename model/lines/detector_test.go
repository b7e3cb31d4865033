package lines_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/lines"
)

func site() []string {
	var bodies []string
	for i := range 6 {
		bodies = append(bodies, fmt.Sprintf(
			"<div>Welcome, reader.</div><h1>Title %d</h1><p>Text no. %d, here.<p>And more, of %d.<div>All rights reserved.</div>", i, i, i))
	}
	return bodies
}

func TestDecodedModelMarksAlike(t *testing.T) {
	h := learned(t, lines.Options{}, site()...)
	b, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := lines.Detector{}.Decode(model.Key{1}, b)
	if err != nil {
		t.Fatal(err)
	}
	p := parse(t, site()[0])
	if diff := cmp.Diff(h.Mark(p, visit(0)), back.Mark(p, visit(0))); diff != "" {
		t.Errorf("the decoded model marks otherwise:\n%s", diff)
	}
}

func TestMerge(t *testing.T) {
	halves := func() (a, b model.Host) {
		a, b = learned(t, lines.Options{}), learned(t, lines.Options{})
		for i, body := range site() {
			h := a
			if i%2 == 1 {
				h = b
			}
			h.Observe(parse(t, body), visit(i))
		}
		return a, b
	}
	a, b := halves()
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	all, p := learned(t, lines.Options{}, site()...), parse(t, site()[0])
	if diff := cmp.Diff(all.Mark(p, visit(0)), a.Mark(p, visit(0))); diff != "" {
		t.Errorf("two halves are not the whole:\n%s", diff)
	}
	if err := a.Merge(lines.Detector{}.New(model.Key{2})); !errors.Is(err, model.ErrMismatch) {
		t.Errorf("another key: error %v", err)
	}
}

// Pages of nothing but new lines do not take the model over its budget, nor what every page shows out of it.
func TestBudget(t *testing.T) {
	opts := lines.Options{Limits: model.Limits{Memory: 32 << 10, Encoded: 8 << 10}}
	h := lines.Detector{Options: opts}.New(model.Key{1})
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		body := "<div>All rights reserved.</div>"
		for range 300 {
			body += fmt.Sprintf("<p>Line, %x.", rng.Uint64())
		}
		h.Observe(parse(t, body), visit(i))
		if s := h.Stats(); s.Bytes > opts.Limits.Memory {
			t.Fatalf("%d bytes, limit %d", s.Bytes, opts.Limits.Memory)
		}
	}
	b, err := h.Encode()
	if err != nil || len(b) > opts.Limits.Encoded {
		t.Fatalf("%d bytes encoded (%v), limit %d", len(b), err, opts.Limits.Encoded)
	}
	back, err := lines.Detector{Options: opts}.Decode(model.Key{1}, b)
	if err != nil {
		t.Fatal(err)
	}
	if got := content(t, back, "<p>Text, once.<div>All rights reserved.</div>"); len(got) != 1 {
		t.Errorf("content %q", got)
	}
}
