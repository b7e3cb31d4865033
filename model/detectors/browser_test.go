//go:build measure

package detectors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// looked holds what a browser measured of one page of a corpus, in the original and in one mode.
type looked struct {
	file          string
	mode          page.Mode
	direct, clean browsertest.View
	bytes, left   int
}

// TestCorpusInChromium looks at pages of the sites in the folder that WINNOW_BROWSER_CORPUS names (SITE/pages/*.html),
// each marked by the default detector with what the pages before it taught, and prints the measurements. It fails if a
// page is blank, locked, wider than a screen that the original fits, or has errors that the original lacks.
func TestCorpusInChromium(t *testing.T) {
	root := os.Getenv("WINNOW_BROWSER_CORPUS")
	if root == "" {
		t.Fatal("WINNOW_BROWSER_CORPUS names no folder of sites")
	}
	b := browsertest.Start(t)
	sites, err := filepath.Glob(filepath.Join(root, "*", "pages"))
	if err != nil || len(sites) == 0 {
		t.Fatalf("no sites in %s: %v", root, err)
	}
	var all []looked
	for _, site := range sites {
		all = append(all, lookAtSite(t, b, site)...)
	}
	summarise(t, all)
}

// taught is the number of pages that are learned before a page is measured.
const taught = 6

func lookAtSite(t *testing.T, b *browsertest.Browser, dir string) (all []looked) {
	t.Helper()
	name := filepath.Base(filepath.Dir(dir))
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%s: %d pages: %v", dir, len(files), err)
	}
	detector, err := blend.New()
	if err != nil {
		t.Fatal(err)
	}
	host := detector.New(model.NewKey())
	last := min(taught, len(files)-1)
	for i, f := range files[:last] {
		if p := parseFile(t, f); p != nil {
			host.Observe(p, model.Visit{URL: fmt.Sprintf("http://%s/%d", name, i), At: time.Now()})
		}
	}
	for _, f := range []string{files[0], files[last]} {
		p := parseFile(t, f)
		if p == nil {
			continue
		}
		m := host.Mark(p, model.Visit{URL: "http://" + name + "/" + filepath.Base(f), At: time.Now()})
		if m.Pass != "" {
			continue
		}
		direct := lookAt(t, b, &write.Output{Body: p.Source, ContentType: "text/html; charset=" + p.Charset})
		for _, mode := range []page.Mode{page.ModeAuto, page.ModeHide, page.ModeRemove} {
			form := write.Form{Mode: mode, URL: "http://" + name + "/"}
			out, err := form.Write(p, policy.Default().Apply(p, m))
			if err != nil {
				t.Errorf("%s: %s: %v", f, mode, err)
				continue
			}
			all = append(all, looked{name + "/" + filepath.Base(f), mode, direct, lookAt(t, b, out), len(p.Source), len(out.Body)})
		}
	}
	return all
}

func parseFile(t *testing.T, file string) *page.Page {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := page.Parse(src, "")
	if err != nil {
		return nil
	}
	return p
}

func lookAt(t *testing.T, b *browsertest.Browser, out *write.Output) browsertest.View {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", out.ContentType)
		_, _ = w.Write(out.Body)
	}))
	defer srv.Close()
	v, err := b.Look(t.Context(), srv.URL+"/")
	if err != nil {
		t.Error(err)
	}
	return v
}

// summarise prints a line for each page that is worse than it was, and medians for each mode.
func summarise(t *testing.T, all []looked) {
	t.Helper()
	for _, mode := range []page.Mode{page.ModeAuto, page.ModeHide, page.ModeRemove} {
		var bytes, before, column, actions []float64
		pages, narrow := 0, 0
		for _, l := range all {
			if l.mode != mode {
				continue
			}
			pages++
			bytes = append(bytes, 1-float64(l.left)/float64(l.bytes))
			now, then, common := l.clean.Before(l.direct)
			if common && then > 0 {
				before = append(before, 1-now/then)
			}
			t.Logf("%-6s %s: %d bytes of %d, %.0f pixels before the content of %.0f", mode, l.file, l.left, l.bytes, now, then)
			column = append(column, l.clean.Column)
			if l.clean.Column < .85 && l.clean.Column > 0 {
				t.Logf("%-6s %s: column %.2f, as it was %.2f", mode, l.file, l.clean.Column, l.direct.Column)
				narrow++
			}
			if l.direct.Actions > 0 {
				actions = append(actions, float64(l.clean.Actions)/float64(l.direct.Actions))
			}
			if worse := worseThan(l); worse != "" {
				t.Logf("%-6s %s: %s", mode, l.file, worse)
				if mode != page.ModeRemove {
					t.Fail()
				}
			}
		}
		line, err := json.Marshal(map[string]any{"mode": mode.String(), "pages": pages, "bytes_saved": median(bytes), "scrolling_saved": median(before),
			"column": median(column), "narrow": narrow, "actions_left": median(actions)})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s", line)
	}
}

func worseThan(l looked) string {
	var faults []string
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if l.clean.Characters < 40 && l.direct.Characters > 200 {
		add("%d characters of %d", l.clean.Characters, l.direct.Characters)
	}
	if !l.clean.Scrolls && l.direct.Scrolls {
		add("locked")
	}
	if l.clean.Width > l.clean.ScreenWidth+1 && l.direct.Width <= l.direct.ScreenWidth+1 {
		add("%v wide on a screen of %v", l.clean.Width, l.clean.ScreenWidth)
	}
	if len(l.clean.Errors) > len(l.direct.Errors) {
		add("errors %q, not %q", l.clean.Errors, l.direct.Errors)
	}
	return strings.Join(faults, "; ")
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[len(v)/2]
}
