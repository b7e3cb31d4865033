package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend"
)

//nolint:gochecknoglobals // a flag of the test
var update = flag.Bool("update", false, "write testdata/refit.txt anew")

// The corpus of this test is made up: hosts with a menu, an article and a footer each, named in different ways.
const (
	madeHosts = 12
	madePages = 5
)

// makeCorpus writes the corpus and its configuration, and returns the configuration's file.
func makeCorpus(t *testing.T, dir string) string {
	t.Helper()
	names := [][2]string{{"nav", "story"}, {"menu", "article"}, {"sidebar", "post"}, {"links", "entry"}}
	for h := range madeHosts {
		site := filepath.Join(dir, "made", fmt.Sprintf("host%d.example", h))
		var pages []string
		class := names[h%len(names)]
		for p := range madePages {
			var b strings.Builder
			fmt.Fprintf(&b, "<!doctype html><title>Page %d of host %d</title><body><div class=%s><ul>", p, h, class[0])
			for i := range 6 {
				fmt.Fprintf(&b, "<li><a href=/%d>Section %d</a>", i, i)
			}
			fmt.Fprintf(&b, "</ul></div><div class=%s><h1>Page %d of host %d</h1>", class[1], p, h)
			for i := range 4 {
				fmt.Fprintf(&b, "<p>Sentence %d of page %d says, at some length, what nobody has said on host %d before, and goes on.</p>", i, p, h)
			}
			b.WriteString("</div><div class=footer><p>All rights reserved</p></div>")
			name := fmt.Sprintf("%04d.html", p)
			write(t, filepath.Join(site, "pages", name), b.String())
			pages = append(pages, fmt.Sprintf(`{"file": "pages/%s", "path": "/%s/%d"}`, name, class[1], p))
		}
		write(t, filepath.Join(site, "site.json"),
			fmt.Sprintf(`{"content": ".%s", "exclude": [], "pages": [%s]}`, class[1], strings.Join(pages, ",")))
	}
	config := filepath.Join(dir, "corpora.json")
	write(t, config, `{"folds": 2, "decision": {"price": 3, "lean": 0, "power": 0.6},
		"corpora": [{"name": "made", "folders": ["made"], "first": 0.5, "later": 0.5}]}`)
	return config
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// refit fits both stages on the corpus and returns the figures that score prints and the hash of the weights.
func refit(t *testing.T, config, out string) (figures, weights string) {
	t.Helper()
	var printed bytes.Buffer
	step := func(args ...string) {
		t.Helper()
		args = append(args, "-config", config, "-data", filepath.Dir(config), "-out", out)
		if err := run(args, &printed); err != nil {
			t.Fatalf("fit %s: %v", args[0], err)
		}
	}
	script, err := filepath.Abs("fit.py")
	if err != nil {
		t.Fatal(err)
	}
	stage := func(before, after string) {
		t.Helper()
		step("rows", "-weights", filepath.Join(out, before+"-%s.bin"))
		cmd := exec.Command(python(), script, out, filepath.Join(out, before+"-%s.bin"), filepath.Join(out, after+"-%s.bin"),
			"--config", config, "--folds", "0,1,all", "--rounds", "8", "--leaf", "1")
		if b, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("fit.py: %v\n%s", err, b)
		}
	}
	step("names")
	stage("names", "page")
	stage("page", "full")
	printed.Reset()
	step("score", "-weights", filepath.Join(out, "full-%s.bin"))
	if _, err := blend.LoadWeights(filepath.Join(out, "full-all.bin")); err != nil {
		t.Fatal(err)
	}
	sum, err := hashFile(filepath.Join(out, "full-all.bin"))
	if err != nil {
		t.Fatal(err)
	}
	return printed.String(), sum
}

// python is Debian's own, which its package of XGBoost is for, unless PYTHON names another.
func python() string {
	if p := os.Getenv("PYTHON"); p != "" {
		return p
	}
	return "/usr/bin/python3"
}

// A fit on the same corpus gives the same weights to the last bit, and figures that are known.
func TestRefitGivesTheSameWeights(t *testing.T) {
	if exec.Command(python(), "-c", "import xgboost").Run() != nil {
		t.Skip("python3-xgboost absent")
	}
	config := makeCorpus(t, t.TempDir())
	figures, first := refit(t, config, t.TempDir())
	if _, second := refit(t, config, t.TempDir()); first != second {
		t.Errorf("two fits gave weights with the hashes %s and %s", first, second)
	}
	golden := filepath.Join("testdata", "refit.txt")
	if *update {
		write(t, golden, figures)
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if figures != string(want) {
		t.Errorf("figures:\n%s\nwant (go test -update writes them anew, if the change is meant):\n%s", figures, want)
	}
}
