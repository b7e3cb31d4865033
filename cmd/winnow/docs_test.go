package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a document links to within the repository is there.
func TestLinksOfDocuments(t *testing.T) {
	root := filepath.Join("..", "..")
	list := exec.CommandContext(t.Context(), "git", "ls-files", "*.md")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	link := regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)
	n := 0
	for _, name := range strings.Fields(string(out)) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], ":") || strings.Contains(name, "testdata/") {
				continue
			}
			n++
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: nothing is at %s", name, m[1])
			}
		}
	}
	if n < 20 {
		t.Errorf("%d links were found", n)
	}
}
