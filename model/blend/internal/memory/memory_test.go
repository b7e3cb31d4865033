package memory

import (
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
)

func TestDecayForgets(t *testing.T) {
	m := NewMemory(1 << 20)
	v := viewtest.ViewOf(t, "<body><p>one</p><p>two</p>")
	for range 2*horizon - 1 {
		m.Add(m.Increment(v, []float32{0, 1}))
	}
	if m.Pages != 2*horizon-1 {
		t.Fatalf("%d pages before the decay", m.Pages)
	}
	m.Add(m.Increment(viewtest.ViewOf(t, "<body><p>three</p>"), []float32{0}))
	if m.Pages != horizon {
		t.Errorf("%d pages after it, want %d", m.Pages, horizon)
	}
	if r := (Recall{Memory: m}).Rate(hashes.Mix(v.Blocks[0].Text, SaltText)); r.Since < .95 || r.Since > 1 {
		t.Errorf("a text of nearly every page is seen on %.2f of them after the decay", r.Since)
	}
	if r := (Recall{Memory: m}).Rate(hashes.Mix(viewtest.ViewOf(t, "<body><p>three</p>").Blocks[0].Text, SaltText)); r.Count != 0 {
		t.Error("a text of one page outlives the decay")
	}
}
