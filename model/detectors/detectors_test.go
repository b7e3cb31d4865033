package detectors

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/modeltest"
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

// Help lists all detectors, with settings that there are.
func TestDescribe(t *testing.T) {
	var names []string
	for _, d := range Describe() {
		names = append(names, d.Name)
		if d.About == "" {
			t.Errorf("%s: it has no description", d.Name)
		}
		for _, s := range d.Settings {
			name := d.Name + ":" + strings.Replace(s.Form, "SHARE", "0.5", 1)
			if got, err := ByName(name, Options{}); err != nil || got.Name() != name || s.About == "" {
				t.Errorf("%s (%s): %v", name, s.About, err)
			}
		}
	}
	if diff := cmp.Diff(Names(), names); diff != "" {
		t.Error(diff)
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

// Properties of every detector's models, whatever they learn.
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

// learnedModels has a model of each detector that has learned a few pages.
func learnedModels(t *testing.T, key model.Key, names ...string) map[string]model.Host {
	t.Helper()
	hosts := map[string]model.Host{}
	for _, name := range names {
		d, err := ByName(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		hosts[name] = d.New(key)
		for i := range 6 {
			hosts[name].Observe(sitePage(t, i, false), model.Visit{URL: fmt.Sprint("http://town.test/", i), At: time.Unix(int64(i), 0)})
		}
	}
	return hosts
}

// After a change of detector, the store has models of the previous one. No detector accepts another's encodings or
// models.
func TestModelsOfOtherDetectors(t *testing.T) {
	key := model.NewKey()
	hosts := learnedModels(t, key, Names()...)
	for _, name := range Names() {
		b, err := hosts[name].Encode()
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range Names() {
			if other == name {
				continue
			}
			d, err := ByName(other, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if h, err := d.Decode(key, b); !errors.Is(err, model.ErrFormat) || h != nil {
				t.Errorf("%s decodes a model of %s: %v, %v", other, name, h, err)
			}
			if err := hosts[other].Merge(hosts[name]); !errors.Is(err, model.ErrMismatch) {
				t.Errorf("%s merges a model of %s: %v", other, name, err)
			}
		}
	}
}

// Models of one detector with different settings merge. The result has the settings of the model that is merged into.
func TestMergeAcrossSettings(t *testing.T) {
	pairs := map[string]string{
		"lines": "lines:published", "fragments": "fragments:duplicate=0.99:block=0.5", "purify": "purify:beta=0.65",
		"blockwords": "blockwords:anywhere", "wisdom": "wisdom:st=0.8", "records": "records:primary",
	}
	for a, b := range pairs {
		hosts := learnedModels(t, model.NewKey(), a, b)
		for _, order := range [][2]string{{a, b}, {b, a}} {
			into, from := hosts[order[0]], hosts[order[1]]
			p, v := sitePage(t, 9, false), model.Visit{URL: "http://town.test/9", At: time.Unix(9, 0)}
			before := from.Mark(p, v)
			if err := into.Merge(from); err != nil {
				t.Errorf("%s into %s: %v", order[1], order[0], err)
			}
			if s := into.Stats(); s.Pages != from.Stats().Pages {
				t.Errorf("%s into %s: %d pages, both have the same %d", order[1], order[0], s.Pages, from.Stats().Pages)
			}
			if diff := cmp.Diff(before, from.Mark(p, v), modeltest.SameMarking()); diff != "" {
				t.Errorf("%s into %s: the model that was merged in marks differently:\n%s", order[1], order[0], diff)
			}
		}
	}
}
