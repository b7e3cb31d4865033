package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// manifest says what weights rest on. It is beside them in the repository.
type manifest struct {
	// Config is the hash of corpora.json, Corpora those of the corpora's folders: of all names and contents.
	Config  string            `json:"config"`
	Corpora map[string]string `json:"corpora"`
	// Commit is that of the fitting program, Go and XGBoost are the versions that fitted.
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	XGBoost string `json:"xgboost"`
	// Weights are the hashes of the weights files.
	Weights map[string]string `json:"weights"`
	// Figures are in folds, by corpus and range of arrival: F1 of words for sites with selectors, ROUGE-L where the gold
	// is text (F1 of words for wcxb), the share kept where only facts are known; cold is the same with each page as if it
	// were its host's first.
	Figures json.RawMessage `json:"figures"`
}

// writeManifest writes manifest.json into a folder for the weights files there.
func (c *config) writeManifest(configFile, dir, figures, commit, xgboost string, data, weights []string) (err error) {
	m := manifest{Corpora: map[string]string{}, Commit: commit, Go: runtime.Version(), XGBoost: xgboost, Weights: map[string]string{}}
	if m.Config, err = hashFile(configFile); err != nil {
		return err
	}
	for _, x := range c.Corpora {
		for _, name := range x.Folders {
			folder, err := find(data, name)
			if err != nil {
				return err
			}
			if m.Corpora[name], err = hashFolder(folder); err != nil {
				return err
			}
		}
	}
	for _, name := range weights {
		if m.Weights[name], err = hashFile(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if m.Figures, err = os.ReadFile(figures); err != nil {
		return err
	}
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), append(b, '\n'), 0o644)
}

// hashFile returns the SHA-256 of a file's content.
func hashFile(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// hashFolder returns the SHA-256 of the names and hashes of all files in a folder, in order of name.
func hashFolder(dir string) (string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		sum, err := hashFile(path)
		fmt.Fprintf(h, "%s %s\n", filepath.ToSlash(name), sum)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
