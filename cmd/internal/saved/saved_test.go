package saved

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestReplaceExtension(t *testing.T) {
	for _, tc := range []struct{ name, ext, want string }{
		{"a.html", ".html", "a.html"},
		{"deep/a.HTM", ".html", "deep/a.html"},
		{"a.shtml", ".txt", "a.txt"},
		{"view.php?id=3", ".md", "view.php?id=3.md"},
		{"v1.2", ".html", "v1.2.html"},
		{"readme", ".json", "readme.json"},
	} {
		if got := ReplaceExtension(tc.name, tc.ext); got != tc.want {
			t.Errorf("ReplaceExtension(%q, %q) = %q, want %q", tc.name, tc.ext, got, tc.want)
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

func TestPagesHaveALimit(t *testing.T) {
	if _, err := ReadAtMost(zeros{}, 1<<20); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("error %v", err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
