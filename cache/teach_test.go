package cache

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
	"github.com/winnow-proxy/winnow/model/taught"
)

// parsed is a page with a box of class "box", and the box.
func parsed(t *testing.T) (*page.Page, page.ElementID) {
	t.Helper()
	p, err := page.Parse([]byte(`<body><p>A long enough text that stays whatever happens</p><div class=box>Box</div></body>`), "text/html")
	must(t, err)
	for e := range p.Elements {
		if class, _ := p.Attr(page.ElementID(e), "class"); class == "box" {
			return p, page.ElementID(e)
		}
	}
	t.Fatal("there is no box")
	return nil, 0
}

// A lesson applies from the next page on, outlives the process, is part of exports and merges, and can be revoked.
func TestTeach(t *testing.T) {
	ctx := context.Background()
	store := newMemStore()
	m := newModels(t, Options{Detector: styletree.Detector{}, Store: store, Admission: DefaultAdmission()})
	p, box := parsed(t)
	const host = "a.example"
	isNoise := func(m *Models, host string) bool {
		t.Helper()
		marking, err := m.Mark(ctx, host, p, visit("/1"))
		must(t, err)
		return len(marking.Verdicts) == 2 && marking.Verdicts[1].Noise
	}
	l, err := m.Propose(ctx, host, p, &page.Marking{Verdicts: make([]page.Verdict, 2)}, box, taught.Noise, noon())
	must(t, err)
	if isNoise(m, host) || m.Taught(host) != 0 {
		t.Fatal("a proposal teaches")
	}
	must(t, m.Teach(ctx, host, l))
	known := m.Taught(host)
	if !isNoise(m, host) || known == 0 {
		t.Error("the lesson has no effect")
	}
	exported, err := m.Export(ctx, host)
	must(t, err)
	must(t, m.Close(ctx))

	again := newModels(t, Options{Detector: styletree.Detector{}, Store: store})
	if !isNoise(again, host) || again.Taught(host) != known {
		t.Error("the lesson did not outlive the process")
	}
	if info, err := again.Host(ctx, host); err != nil || info.Taught != 1 {
		t.Errorf("the host is described as %+v, %v", info, err)
	}
	must(t, again.Import(ctx, "b.example", exported, true))
	if !isNoise(again, "b.example") {
		t.Error("the lesson was not merged")
	}
	must(t, again.Revoke(ctx, host, l.Key, noon().Add(time.Hour)))
	if isNoise(again, host) || again.Taught(host) != 0 || !isNoise(again, "b.example") {
		t.Error("the lesson is not revoked, or for more than its host")
	}
	if lessons, err := again.Lessons(ctx, host); err != nil || len(lessons) > 0 {
		t.Errorf("lessons %v, %v", lessons, err)
	}
	if err := again.Revoke(ctx, host, l.Key, noon()); !errors.Is(err, ErrNoLesson) {
		t.Errorf("revoked twice: %v", err)
	}
	if _, err := again.Propose(ctx, host, p, &page.Marking{}, box, taught.Noise, noon()); !errors.Is(err, ErrNoLesson) {
		t.Errorf("proposed for a page that was not marked: %v", err)
	}
	must(t, again.Forget(ctx, "b.example"))
	if isNoise(again, "b.example") {
		t.Error("a lesson outlives what was learned of its host")
	}
}

// A panic of a lesson is contained, and the model can be taught on.
func TestPanicInALesson(t *testing.T) {
	m := newModels(t, Options{Detector: styletree.Detector{}, Store: newMemStore()})
	err := m.changeLessons(t.Context(), "a.example", func(*taught.Host) error { panic("a fault") })
	if !errors.Is(err, ErrPanic) {
		t.Errorf("a panic gives %v", err)
	}
	must(t, m.changeLessons(t.Context(), "a.example", func(*taught.Host) error { return nil }))
}

// What is held back for a model that has left memory does not count any more.
func TestHeldChangesOfAModelThatLeft(t *testing.T) {
	m := newModels(t, Options{Detector: styletree.Detector{}, Store: newMemStore(), Admission: DefaultAdmission()})
	e, err := m.acquire(t.Context(), "a.example")
	must(t, err)
	m.mu.Lock()
	m.remove(e)
	before := m.bytes
	m.mu.Unlock()
	m.share(e, e.model)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(e.held) == 0 || m.bytes != before {
		t.Errorf("%d changes are held back, and %d bytes counted", len(e.held), m.bytes-before)
	}
}
