package detectors

import (
	"errors"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

func TestByName(t *testing.T) {
	all, err := All(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all[0].Name() != Default {
		t.Errorf("the first detector is %q, want the default, %q", all[0].Name(), Default)
	}
	seen := map[string]bool{}
	for _, d := range all {
		if seen[d.Name()] {
			t.Errorf("two detectors are named %q", d.Name())
		}
		seen[d.Name()] = true
		if got, err := ByName(d.Name(), Options{}); err != nil || got.Name() != d.Name() {
			t.Errorf("ByName(%q) = %v, %v", d.Name(), got, err)
		}
	}
	_, err = ByName("nonesuch", Options{})
	if err == nil {
		t.Fatal("an unknown name should be an error")
	}
	for name := range seen {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("error %q should list %q", err, name)
		}
	}
}

// What holds of every detector's models, whatever they learn.
func TestEmptyModels(t *testing.T) {
	all, err := All(Options{})
	if err != nil {
		t.Fatal(err)
	}
	key := model.NewKey()
	for _, d := range all {
		t.Run(d.Name(), func(t *testing.T) {
			b, err := d.New(key).Encode()
			if err != nil {
				t.Fatal(err)
			}
			h, err := d.Decode(key, b)
			if err != nil {
				t.Fatalf("decode what was encoded: %v", err)
			}
			if s := h.Stats(); s.Pages != 0 {
				t.Errorf("a fresh model has seen %d pages", s.Pages)
			}
			if err := h.Merge(d.New(key)); err != nil {
				t.Errorf("merge with a fresh model: %v", err)
			}
			if _, err := d.Decode(key, []byte("garbage")); !errors.Is(err, model.ErrFormat) {
				t.Errorf("decode of garbage: %v, want ErrFormat", err)
			}
			if err := h.Merge(foreign{}); !errors.Is(err, model.ErrMismatch) {
				t.Errorf("merge with another detector's model: %v, want ErrMismatch", err)
			}
		})
	}
}

// foreign is a model of no detector here.
type foreign struct{ model.Host }

func TestKeepFindsNoNoise(t *testing.T) {
	p := &page.Page{Blocks: make([]page.Block, 3)}
	h := Keep{}.New(model.NewKey())
	h.Observe(p, model.Visit{URL: "http://a.example/"})
	m := h.Mark(p)
	if len(m.Verdicts) != 3 || len(m.Marks) != 0 || m.Pass != "" {
		t.Fatalf("marking %+v", m)
	}
	for i, v := range m.Verdicts {
		if v.Noise {
			t.Errorf("block %d is noise", i)
		}
	}
}
