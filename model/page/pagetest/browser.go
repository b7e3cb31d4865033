package pagetest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// ServePages serves the given pages by path: "/MODE/NAME" in that mode without the elements of class noise, or
// unchanged in mode direct. csp is the policy of the answers. Other files come from dir.
func ServePages(t *testing.T, pages map[string]string, csp, dir string) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mode, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		src, ok := pages[name]
		if !ok {
			http.ServeFile(w, r, filepath.Join(dir, filepath.Base(r.URL.Path)))
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		form := write.Form{}
		if csp != "" {
			w.Header().Set("Content-Security-Policy", csp)
			form.CSP = []string{csp}
		}
		body := []byte(src)
		if mode != "direct" {
			p, err := page.Parse(body, "text/html; charset=utf-8")
			if err == nil {
				err = form.Mode.UnmarshalText([]byte(mode))
			}
			var out *write.Output
			if err == nil {
				out, err = form.Write(p, policy.Default().Apply(p, MarkNoise(p)))
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			body = out.Body
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(srv.Close)
	return srv
}

// ReadPages returns the files that match a pattern, by name.
func ReadPages(t *testing.T, pattern string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	pages := map[string]string{}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		pages[strings.TrimSuffix(filepath.Base(f), ".html")] = string(src)
	}
	return pages
}

// CheckView compares a cleaned page with the original: it must not be blank, locked, wider or broken, noise must be
// gone, words of content must be there, and the main text must be as wide as the screen.
func CheckView(t *testing.T, direct, clean browsertest.View, column float64) {
	t.Helper()
	if strings.Contains(clean.Text, "NOISE") {
		t.Errorf("noise is to be seen: …%s", clean.Text[max(0, strings.Index(clean.Text, "NOISE")-40):])
	}
	if !strings.Contains(direct.Text, "CONTENT") || strings.Count(clean.Text, "CONTENT") < strings.Count(direct.Text, "CONTENT") {
		t.Errorf("content is lost: %d characters, %d as it was", clean.Characters, direct.Characters)
	}
	if !clean.Scrolls {
		t.Error("the page can't be scrolled")
	}
	if clean.Width > max(direct.Width, clean.ScreenWidth) && clean.Width > browsertest.Width {
		t.Errorf("the page is %v wide, %v as it was", clean.Width, direct.Width)
	}
	if len(clean.Errors) > len(direct.Errors) {
		t.Errorf("errors %q, as it was %q", clean.Errors, direct.Errors)
	}
	if clean.Column < column {
		t.Errorf("the main text takes %.2f of the screen, want %.2f (as it was: %.2f)", clean.Column, column, direct.Column)
	}
}

// Look opens an address.
func Look(t *testing.T, b *browsertest.Browser, url string) browsertest.View {
	t.Helper()
	v, err := b.Look(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
