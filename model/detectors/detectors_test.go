package detectors

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

func TestByName(t *testing.T) {
	if Names()[0] != Default {
		t.Errorf("the first detector is %q, want the default, %q", Names()[0], Default)
	}
	for _, name := range Names() {
		if got, err := ByName(name, Options{}); err != nil || got.Name() != name {
			t.Errorf("ByName(%q) = %v, %v", name, got, err)
		}
	}
	_, err := ByName("nonesuch", Options{})
	if !errors.Is(err, ErrUnknown) {
		t.Fatalf("an unknown name: %v, want ErrUnknown", err)
	}
	for _, name := range Names() {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("error %q should list %q", err, name)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, name := range []string{"lines:published", "lines:published:bare", "purify:beta=0.65", "blockwords:anywhere",
		"fragments:duplicate=0.9:block=0.5", "wisdom:st=0.8", "records:primary"} {
		d, err := ByName(name, Options{})
		if err != nil || d.Name() != name {
			t.Errorf("ByName(%q): %v, %v", name, d, err)
		}
	}
	for _, name := range []string{"lines:", "lines:nonesuch", "lines:published=1", "lines:published:x=2", "sst:published", ":", "",
		"purify:beta", "purify:beta=x", "purify:beta=0", "purify:beta=1", "purify:beta=NaN", "purify:Beta=0.5",
		"wisdom:st=2", "records:primary=yes"} {
		if _, err := ByName(name, Options{}); !errors.Is(err, ErrUnknown) {
			t.Errorf("ByName(%q): error %v, want ErrUnknown", name, err)
		}
	}
}

func TestBadWeights(t *testing.T) {
	file := filepath.Join(t.TempDir(), "weights.bin")
	if err := os.WriteFile(file, []byte("not weights"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{file, file + ".nonesuch"} {
		_, err := ByName("blend", Options{Weights: bad})
		if err == nil || errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), bad) {
			t.Errorf("weights %s: error %v should name the file", bad, err)
		}
	}
}

// What holds of every detector's models, whatever they learn.
func TestEmptyModels(t *testing.T) {
	key := model.NewKey()
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			d, err := ByName(name, Options{})
			if err != nil {
				t.Fatal(err)
			}
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
	m := h.Mark(p, model.Visit{})
	if len(m.Verdicts) != 3 || len(m.Marks) != 0 || m.Pass != "" {
		t.Fatalf("marking %+v", m)
	}
	for i, v := range m.Verdicts {
		if v.Noise {
			t.Errorf("block %d is noise", i)
		}
	}
}
