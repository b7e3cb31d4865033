//go:build full

package phone

import (
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
)

// taught is the number of pages that the proxy has seen of a site before it is looked at.
const taught = 6

// Pages of made-up sites, and of documentation in the folder that WINNOW_DOCS names, direct and through a proxy in mode
// auto: none is blank, locked or wider than the screen, no script fails that worked, nothing to act with is lost. What
// is saved is measured over all of them.
func TestPagesOnAPhone(t *testing.T) {
	docs := os.Getenv("WINNOW_DOCS")
	if docs == "" {
		t.Skipf("%s: WINNOW_DOCS names no folder with packages of documentation", t.Name())
	}
	modules := os.Getenv("WINNOW_HYDRATION")
	if modules == "" {
		t.Skipf("%s: WINNOW_HYDRATION names no folder in which testdata/hydration of model/page/write/source was installed", t.Name())
	}
	direct := browsertest.Start(t)
	addr, drain := startProxy(t, page.ModeAuto)
	behind := browsertest.StartBehind(t, addr)
	sites := madeSites(t, "*.tmpl", taught+looks, 1)
	madeCount := len(sites)
	sites = append(sites, builtSites(t, modules, taught+looks, len(sites)+1)...)
	sites = append(sites, savedSites(t, docs, taught+looks, len(sites)+1)...)
	var all []compared
	made := 0
	for i, s := range sites {
		teach(t, addr, s, s.pages[:taught])
		drain()
		if _, err := behind.Look(t.Context(), s.url+s.pages[0]); err != nil { // its scripts pass
			t.Fatal(err)
		}
		for _, p := range s.pages[taught:] {
			c := compared{name: s.name + " " + p}
			c.look(t, s, p, direct, behind)
			if dir := os.Getenv("WINNOW_PICTURES"); dir != "" {
				keepPictures(t, dir, s.name+path.Base(p), s.url+p, direct, behind)
			}
			if len(c.newErrors(t)) > 0 { // some come late, direct as well
				again, err := direct.Look(t.Context(), s.url+p)
				if err != nil {
					t.Fatal(err)
				}
				c.direct.Errors = append(c.direct.Errors, again.Errors...)
			}
			c.check(t)
			if s.hydrates {
				c.checkTakenOver(t)
			}
			all = append(all, c)
		}
		if i < madeCount {
			made = len(all)
		}
	}
	summarise(t, "documentation", all[made:])
	// What is saved on sites like most of the web: with menus, pictures of other pages, and adverts. Documentation has
	// little of these, and no more can be saved on it than there is.
	bytes, scrolling := summarise(t, "made up", all[:made])
	if bytes < .4 || scrolling < .6 {
		t.Errorf("%.2f of the bytes and %.2f of the scrolling are saved", bytes, scrolling)
	}
	t.Logf("%d pages of %d sites", len(all), len(sites))
}

// takenOver is what a page says once its framework has taken it over. Parts of pages wait with that for an idle moment
// of the browser (client:idle of Astro).
const takenOver = "taken over"

// look looks at a page direct and through the proxy.
func (c *compared) look(t *testing.T, s site, path string, direct, behind *browsertest.Browser) {
	t.Helper()
	done := func(v browsertest.View) bool { return !s.hydrates || strings.Contains(v.Text, takenOver) }
	var err error
	if c.direct, err = direct.LookUntil(t.Context(), s.url+path, done); err != nil {
		t.Fatal(err)
	}
	if c.clean, err = behind.LookUntil(t.Context(), s.url+path, done); err != nil {
		t.Fatal(err)
	}
}

// compared is a page direct and cleaned.
type compared struct {
	name          string
	direct, clean browsertest.View
}

// newErrors are those of the cleaned page that it does not have direct. A worker may miss a file that the site does not
// have at any time, so that such an error does not count.
func (c *compared) newErrors(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(c.clean.Errors), func(e string) bool {
		return slices.Contains(c.direct.Errors, e) || namesMissing(t, e)
	})
}

// namesMissing reports whether an error is about a script that its site does not have.
func namesMissing(t *testing.T, message string) bool {
	t.Helper()
	m := regexp.MustCompile(`'(http://[^']+)' failed to load`).FindStringSubmatch(message)
	if len(m) < 2 {
		return false
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusNotFound
}

// keepPictures writes what a page looks like, direct and cleaned.
func keepPictures(t *testing.T, dir, name, address string, direct, behind *browsertest.Browser) {
	t.Helper()
	for kind, b := range map[string]*browsertest.Browser{"direct": direct, "clean": behind} {
		png, err := b.Picture(t.Context(), address)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+"."+kind+".png"), png, 0o600)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

func (c *compared) check(t *testing.T) {
	t.Helper()
	fail := func(format string, args ...any) { t.Errorf("%s: %s", c.name, fmt.Sprintf(format, args...)) }
	if c.clean.Characters < 40 && c.direct.Characters > 200 {
		fail("%d characters are left of %d", c.clean.Characters, c.direct.Characters)
	}
	if !c.clean.Scrolls {
		fail("it can't be scrolled (direct: %t)", c.direct.Scrolls)
	}
	if c.clean.Width > max(c.clean.ScreenWidth, browsertest.Width)+1 && c.direct.Width <= c.direct.ScreenWidth+1 {
		fail("it is %v wide, direct %v", c.clean.Width, c.direct.Width)
	}
	if e := c.newErrors(t); len(e) > 0 {
		fail("errors %q, direct %q", e, c.direct.Errors)
	}
	if c.clean.Marked < c.direct.Marked {
		fail("%d of %d things to act with are left", c.clean.Marked, c.direct.Marked)
	}
}

// checkTakenOver checks that a framework took the page over.
func (c *compared) checkTakenOver(t *testing.T) {
	t.Helper()
	if !strings.Contains(c.direct.Text, takenOver) || !strings.Contains(c.clean.Text, takenOver) {
		t.Errorf("%s: no framework took the page over: direct %d characters, errors %q; cleaned %d, %q", c.name, c.direct.Characters, c.direct.Errors,
			c.clean.Characters, c.clean.Errors)
	}
}

// summarise prints what was saved, and returns the medians of bytes and of scrolling before the content.
func summarise(t *testing.T, what string, all []compared) (bytesSaved, scrollingSaved float64) {
	t.Helper()
	var bytes, before, column []float64
	for i := range all {
		c := &all[i]
		bytes = append(bytes, 1-float64(c.clean.Bytes)/float64(c.direct.Bytes))
		now, then, common := c.clean.Before(c.direct)
		if common && then > 0 {
			before = append(before, 1-now/then)
		}
		if c.clean.Column > 0 {
			column = append(column, c.clean.Column)
		}
		t.Logf("%-50s bytes %6d of %6d; before the content %4.0f of %4.0f; column %.2f of %.2f; %d of %d characters", c.name, c.clean.Bytes, c.direct.Bytes, now, then,
			c.clean.Column, c.direct.Column, c.clean.Characters, c.direct.Characters)
	}
	t.Logf("%d pages, %s: median bytes saved %.2f, scrolling saved %.2f, column %.2f", len(all), what, median(bytes), median(before), median(column))
	return median(bytes), median(before)
}
