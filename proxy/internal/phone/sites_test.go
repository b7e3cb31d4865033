//go:build full

package phone

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// savedSites serves the folder below root that has the most pages of each package of documentation. Links that lead to
// the root of the file system lead to root.
func savedSites(t *testing.T, root string, count, from int) (sites []site) {
	t.Helper()
	largest := map[string][]string{}
	folders := map[string][]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(p, ".html") {
			folders[filepath.Dir(p)] = append(folders[filepath.Dir(p)], p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, pages := range folders {
		rel, _ := filepath.Rel(root, dir)
		parts := strings.SplitN(filepath.ToSlash(rel), "/", 5)
		name := parts[min(len(parts)-1, 3)]
		if len(pages) > len(largest[name]) && len(pages) >= count {
			largest[name] = pages
		}
	}
	for name, pages := range largest {
		s := site{name: name}
		for i := range count { // spread, as neighbours are alike
			rel, _ := filepath.Rel(root, pages[i*len(pages)/count])
			s.pages = append(s.pages, "/"+filepath.ToSlash(rel))
		}
		s.url = serveCoded(t, from+len(sites), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f, err := os.Open(followed(root, r.URL.Path))
			if err != nil {
				http.NotFound(w, r)
				return
			}
			defer f.Close()                                           //nolint:errcheck // only read
			http.ServeContent(w, r, r.URL.Path, time.Unix(1e9, 0), f) // not ServeFile, which redirects index.html
		}))
		sites = append(sites, s)
	}
	return sites
}

// builtSites builds a site each with VitePress and with Astro and serves them. modules is a folder with a node_modules
// that has what testdata/hydration of model/page/write/source names.
func builtSites(t *testing.T, modules string, count, from int) (sites []site) {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("testdata", "build.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	build := exec.CommandContext(t.Context(), "node", "--input-type=module", "-", out)
	build.Dir, build.Stdin, build.Env = modules, bytes.NewReader(script), append(os.Environ(), "ASTRO_TELEMETRY_DISABLED=1")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the sites: %v\n%s", err, text)
	}
	for _, name := range []string{"vitepress", "astro"} {
		s := site{name: name, hydrates: true, url: serveCoded(t, from+len(sites), http.FileServer(http.Dir(filepath.Join(out, name))))}
		for n := range count {
			s.pages = append(s.pages, "/page"+strconv.Itoa(n+1)+".html")
		}
		sites = append(sites, s)
	}
	return sites
}

// followed returns the file at a path below root, where absolute links start from root as well.
func followed(root, p string) string {
	file := filepath.Join(root, filepath.FromSlash(path.Clean("/"+p)))
	for range 5 {
		target, err := os.Readlink(file)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join("/", strings.TrimPrefix(filepath.Dir(file), root), target)
		}
		file = filepath.Join(root, target)
	}
	return file
}
