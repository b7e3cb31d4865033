package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

func TestWithExtension(t *testing.T) {
	for _, tc := range []struct{ name, ext, want string }{
		{"a.html", ".html", "a.html"},
		{"deep/a.HTM", ".html", "deep/a.html"},
		{"a.shtml", ".txt", "a.txt"},
		{"view.php?id=3", ".md", "view.php?id=3.md"},
		{"v1.2", ".html", "v1.2.html"},
		{"readme", ".json", "readme.json"},
	} {
		if got := withExtension(tc.name, tc.ext); got != tc.want {
			t.Errorf("withExtension(%q, %q) = %q, want %q", tc.name, tc.ext, got, tc.want)
		}
	}
}

func TestOutputsStayBelowTheFolder(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.html":        filepath.Join("a", "b.html"),
		"./a//b.html":     filepath.Join("a", "b.html"),
		"../b.html":       "b.html",
		"a/../../b.html":  "b.html",
		"/etc/pages.html": "pages.html",
	} {
		if got := relative(path, true); got != want || !filepath.IsLocal(got) {
			t.Errorf("relative(%q) = %q, want %q", path, got, want)
		}
	}
}

// brittle is a detector whose models break down on pages that say so, when they learn or when they mark.
type brittle struct{ model.Detector }

func (brittle) New(model.Key) model.Host { return brittleHost{} }

type brittleHost struct{ model.Host }

func (brittleHost) Observe(p *page.Page, _ model.Visit) {
	if strings.Contains(string(p.Source), "break learning") {
		panic("learning broke")
	}
}

func (brittleHost) Mark(p *page.Page, _ model.Visit) *page.Marking {
	if strings.Contains(string(p.Source), "break marking") {
		panic("marking broke")
	}
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
	if strings.Contains(string(p.Source), "application") {
		m.Pass = "application"
	}
	return m
}

// One bad page costs itself alone.
func TestCleanerContainsBadPages(t *testing.T) {
	var in []input
	for name, body := range map[string]string{
		"good.html": "<p>good", "learn.html": "<p>break learning", "mark.html": "<p>break marking", "app.html": "<p>an application",
	} {
		in = append(in, input{name: name, rel: name, data: []byte(body)})
	}
	c := &cleaner{detector: brittle{}, mode: page.ModeRemove, out: t.TempDir(), now: time.Now(), step: func() {}}
	if err := c.sites(t.Context(), []inputSite{{host: "a.example", pages: in}}); err != nil {
		t.Fatal(err)
	}
	if len(c.left) != 1 || c.left[0].name != "mark.html" || !errors.Is(c.left[0].err, errPanic) {
		t.Errorf("left out: %v", c.left)
	}
	if len(c.notes) != 1 || c.notes[0] != "app.html: written unchanged: application" {
		t.Errorf("notes: %q", c.notes)
	}
	for _, name := range []string{"good.html", "learn.html", "app.html"} {
		if _, err := os.Stat(filepath.Join(c.out, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInterruptedCleaningFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := filepath.Join(t.TempDir(), "a.html")
	if err := os.WriteFile(file, []byte("<p>a"), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	code := run(ctx, []string{"clean", file}, nil, strings.NewReader(""), &stdout, &stderr)
	if code != exitFailed || !strings.Contains(stderr.String(), "interrupted") || stdout.Len() != 0 {
		t.Errorf("exit code %d, stderr %q, stdout %q", code, stderr.String(), stdout.String())
	}
}

func TestInputsHaveALimit(t *testing.T) {
	if _, err := readAtMost(zeros{}, 1<<20); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("error %v", err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
