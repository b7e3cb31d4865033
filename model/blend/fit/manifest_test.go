package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// The weights in the repository are those that the manifest tells about, fitted on what the configuration says.
func TestManifestIsOfTheseWeights(t *testing.T) {
	b, err := os.ReadFile("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	c, err := readConfig("corpora.json")
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := hashFile("corpora.json"); err != nil || sum != m.Config {
		t.Errorf("corpora.json is not what the weights were fitted by (%v): fit them again", err)
	}
	if want := c.Folds + 1; len(m.Weights) != want {
		t.Errorf("the manifest names %d weights files, want %d", len(m.Weights), want)
	}
	for name, want := range m.Weights {
		file := name
		if name == "weights.bin" {
			file = filepath.Join("..", name)
		}
		if sum, err := hashFile(file); err != nil || sum != want {
			t.Errorf("%s is not the file that the manifest tells about (%v): fit.sh writes both", name, err)
		}
	}
	var figures map[string]map[string]struct{ F1, Cold float64 }
	if err := json.Unmarshal(m.Figures, &figures); err != nil {
		t.Fatal(err)
	}
	for _, x := range c.Corpora {
		if f := figures[x.Name]["all"]; f.F1 <= 0 || f.F1 > 1 {
			t.Errorf("%s has no figure", x.Name)
		}
		for _, folder := range x.Folders {
			if m.Corpora[folder] == "" {
				t.Errorf("folder %s has no hash", folder)
			}
		}
	}
}
