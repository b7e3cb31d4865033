package cache

import (
	"context"
	"errors"
	"testing"

	"github.com/winnow-proxy/winnow/model"
)

func TestView(t *testing.T) {
	ctx := context.Background()
	m := newModels(t, Options{})
	learn(t, m, "a.example", "/1", "/2")
	var got int
	must(t, m.View(ctx, "a.example", func(h model.Host) error {
		got = h.Stats().Pages
		return nil
	}))
	if got != 2 {
		t.Errorf("the model has %d pages, want 2", got)
	}
	mine := errors.New("mine")
	for _, tt := range []struct {
		name, host string
		f          func(model.Host) error
		want       error
	}{
		{"unknown host", "b.example", func(model.Host) error { t.Error("called without a model"); return nil }, ErrNotFound},
		{"error of f", "a.example", func(model.Host) error { return mine }, mine},
		{"panic of f", "a.example", func(model.Host) error { panic("oops") }, ErrPanic},
	} {
		if err := m.View(ctx, tt.host, tt.f); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	// None of these calls may leave the model locked.
	learn(t, m, "a.example", "/3")
	if n := pages(t, m, "a.example"); n != 3 {
		t.Errorf("the model has %d pages, want 3", n)
	}
}
