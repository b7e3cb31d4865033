//go:build full

package phone

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
)

// The same site as frameworks render it on a server and take it over in the browser: from the site's first page on and
// after ten, no page is blank or locked, no script fails, nothing to act with is lost, and no part of the template is
// seen again.
func TestFrameworksOnAPhone(t *testing.T) {
	sites := frameworkSites(t)
	direct := browsertest.Start(t)
	for _, mode := range []page.Mode{page.ModeAuto, page.ModeRemove} {
		addr, drain := startProxy(t, mode)
		behind := browsertest.StartBehind(t, addr)
		for _, s := range sites {
			t.Run(s.name+"/"+mode.String(), func(t *testing.T) {
				first, later := s.pages[0], s.pages[11]
				lookAtSite(t, s, first, direct, behind)
				teach(t, addr, s, s.pages[1:11])
				drain()
				lookAtSite(t, s, later, direct, behind)
				if s.routes {
					followNext(t, s, first, direct, behind)
				}
			})
		}
	}
}

// templateParts are texts of the template, one for each part.
func templateParts() []string {
	return []string{"Planting calendar", "Ten plants for a shady wall", "All rights reserved", "We use cookies"}
}

func lookAtSite(t *testing.T, s site, path string, direct, behind *browsertest.Browser) {
	t.Helper()
	c := compared{name: s.name + " " + path}
	c.look(t, s, path, direct, behind)
	c.check(t)
	c.checkTakenOver(t)
	c.checkTemplate(t)
}

// checkTemplate checks that the cleaned page shows no part of the template, and all of the rest.
func (c *compared) checkTemplate(t *testing.T) {
	t.Helper()
	for _, part := range templateParts() {
		if !strings.Contains(c.direct.Text, part) {
			t.Errorf("%s does not show %q at all", c.name, part)
		}
		if strings.Contains(c.clean.Text, part) {
			t.Errorf("%s still shows %q: %s", c.name, part, c.clean.Text)
		}
	}
	for _, p := range c.direct.Paragraphs {
		if isParagraph(p) && !slices.ContainsFunc(c.clean.Paragraphs, func(q browsertest.Paragraph) bool { return q.Start == p.Start }) {
			t.Errorf("%s lost %q: %s", c.name, p.Start, c.clean.Text)
		}
	}
}

// isParagraph tells the paragraphs of articles from parts of the template: they are longer, and in lower case.
func isParagraph(p browsertest.Paragraph) bool {
	return len(p.Start) >= 59 && strings.ToLower(p.Start) == p.Start
}

// followNext follows the link to the next page, which the framework makes out of the page that is there: what is hidden
// stays so, and nothing that is new is hidden.
func followNext(t *testing.T, s site, path string, direct, behind *browsertest.Browser) {
	t.Helper()
	c := compared{name: s.name + " after " + path}
	done := func(v browsertest.View) bool { return strings.Contains(v.Text, takenOver) }
	next := func(was, is browsertest.View) bool {
		old := slices.IndexFunc(was.Paragraphs, isParagraph)
		return old >= 0 && !strings.Contains(is.Text, "Loading") && !strings.Contains(is.Text, was.Paragraphs[old].Start) && slices.ContainsFunc(is.Paragraphs, isParagraph)
	}
	for view, b := range map[*browsertest.View]*browsertest.Browser{&c.direct: direct, &c.clean: behind} {
		var err error
		if *view, err = b.LookAfterClick(t.Context(), s.url+path, "a[rel=next]", done, next); err != nil {
			t.Fatal(err)
		}
	}
	if c.clean.Characters < 40 || len(c.newErrors(t)) > 0 {
		t.Errorf("%s: %d characters, errors %q, direct %q", c.name, c.clean.Characters, c.clean.Errors, c.direct.Errors)
	}
	c.checkTemplate(t)
}

// frameworkSites serves the sites that were built from testdata/frameworks in the folder that WINNOW_FRAMEWORKS names.
func frameworkSites(t *testing.T) (sites []site) {
	t.Helper()
	dir := os.Getenv("WINNOW_FRAMEWORKS")
	if dir == "" {
		t.Skipf("%s: WINNOW_FRAMEWORKS names no folder in which testdata/frameworks was built", t.Name())
	}
	next := startNode(t, filepath.Join(dir, "next"), func(port string) []string {
		return []string{filepath.Join(dir, "node_modules", "next", "dist", "bin", "next"), "start", "-H", "127.0.0.1", "-p", port}
	})
	nuxt := startNode(t, dir, func(string) []string { return []string{filepath.Join(dir, "nuxt", ".output", "server", "index.mjs")} })
	add := func(name, prefix, suffix string, h http.Handler) {
		s := site{name: name, hydrates: true, routes: name != "qwik" && name != "solid", url: serveAt(t, "127.0.3."+strconv.Itoa(len(sites)+1), h)}
		for n := range 12 {
			s.pages = append(s.pages, prefix+"/page"+strconv.Itoa(n+1)+suffix)
		}
		sites = append(sites, s)
	}
	add("next-app-router", "/app", "", next)
	add("next-app-router-streamed", "/live", "", next)
	add("next-pages-router", "/pages", "", next)
	add("next-pages-router-server", "/server", "", next)
	add("nuxt-generated", "/static", "", nuxt)
	add("nuxt-server", "/live", "", nuxt)
	for name, suffix := range map[string]string{"angular": "", "kit": "", "qwik": ".html", "react-router": "", "solid": ""} {
		add(name, "", suffix, pagesOf(filepath.Join(dir, "out", name)))
	}
	return sites
}

// pagesOf serves a folder, whose pages have addresses with and without .html.
func pagesOf(dir string) http.Handler {
	files := http.FileServer(http.Dir(dir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, end := range []string{".html", "/index.html"} {
			page := filepath.Join(dir, filepath.FromSlash(r.URL.Path)+end)
			if src, err := os.ReadFile(page); err == nil {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				_, _ = w.Write(src)
				return
			}
		}
		files.ServeHTTP(w, r)
	})
}

// startNode starts a server of a framework and returns a handler that asks it.
func startNode(t *testing.T, dir string, args func(port string) []string) http.Handler {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	ln.Close()
	ctx, stop := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, "node", args(port)...)
	server.Dir, server.Env = dir, append(os.Environ(), "HOST=127.0.0.1", "PORT="+port, "NODE_ENV=production", "NEXT_TELEMETRY_DISABLED=1")
	var said strings.Builder
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = server.Wait() // it was killed
	})
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			conn.Close()
			break
		}
		if time.Since(begun) > time.Minute {
			stop()
			_ = server.Wait() // so that nothing writes any more
			t.Fatalf("node does not listen: %v\n%s", err, &said)
		}
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "127.0.0.1:" + port})
	proxy.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // a tab that closes ends its requests
	return proxy
}
