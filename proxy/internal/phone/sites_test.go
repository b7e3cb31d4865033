//go:build full

package phone

import (
	"bytes"
	"compress/gzip"
	"hash/fnv"
	"image"
	"image/color"
	"image/jpeg"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/template"
	"time"
)

// site is a site on an address of its own.
type site struct {
	name, url string
	// pages are paths.
	pages []string
	// hydrates says that a framework takes the pages over, which then say "taken over".
	hydrates bool
	// routes says that the framework also makes the pages that links lead to.
	routes bool
}

// madeSites serves the sites of testdata, each with count pages: templates with styles, scripts, pictures and adverts,
// and made-up text.
func madeSites(t *testing.T, count int) (sites []site) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.tmpl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sites: %v", err)
	}
	for _, f := range files {
		tmpl, err := template.ParseFiles(f)
		if err != nil {
			t.Fatal(err)
		}
		s := site{name: strings.TrimSuffix(filepath.Base(f), ".tmpl")}
		mux := http.NewServeMux()
		for _, part := range []struct{ pattern, contentType, name string }{{"GET /site.css", "text/css", "css"}, {"GET /site.js", "text/javascript", "js"},
			{"GET /page/{n}", "text/html; charset=utf-8", "page"}} {
			mux.HandleFunc(part.pattern, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", part.contentType)
				n, _ := strconv.Atoi(r.PathValue("n"))
				if err := tmpl.ExecuteTemplate(w, part.name, &madePage{Site: strings.ToUpper(s.name[:1]) + s.name[1:] + " Post", N: n, name: s.name}); err != nil {
					t.Error(err)
				}
			})
		}
		mux.HandleFunc("GET /img/", picture)
		mux.HandleFunc("GET /frame/{n}", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<img src="/img/300-600-9.jpg" alt="">`))
		})
		for n := range count {
			s.pages = append(s.pages, "/page/"+strconv.Itoa(n+1))
		}
		s.url = serveCoded(t, len(sites)+1, mux)
		sites = append(sites, s)
	}
	return sites
}

// madePage is a page of a made-up site. What its methods return is the same each time, for a page's text by page and
// for the site's lists by site.
type madePage struct {
	Site  string
	N     int
	name  string
	lists uint64
}

// link is an entry of a list.
type link struct {
	ID         int
	Href, Text string
}

func (p *madePage) random(parts ...string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(p.name + " " + strings.Join(parts, " "))) // never fails
	return rand.New(rand.NewPCG(h.Sum64(), p.lists))
}

const vocabulary = `field river stone winter harvest lantern orchard market bridge copper garden weather letter kettle meadow harbour pencil mirror ladder carpet
window kitchen village forest saddle barrel needle ribbon pepper candle travel gather follow measure remember answer carry build repair plant
after before under between quiet early narrow heavy simple bright common little slow open because although often never again together`

func words(r *rand.Rand, n int) string {
	all := strings.Fields(vocabulary)
	out := make([]string, n)
	for i := range out {
		out[i] = all[r.IntN(len(all))]
	}
	return strings.Join(out, " ")
}

// Title is the page's own.
func (p *madePage) Title() string {
	s := words(p.random("title", strconv.Itoa(p.N)), 4)
	return strings.ToUpper(s[:1]) + s[1:]
}

// Words are the same on every page.
func (p *madePage) Words(n int) string {
	p.lists++
	return words(p.random("words"), n)
}

// Para is text of the page alone, in sentences.
func (p *madePage) Para(n int) string {
	p.lists++
	r := p.random("para", strconv.Itoa(p.N))
	var b strings.Builder
	for n > 0 {
		k := min(n, 8+r.IntN(8))
		s := words(r, k)
		b.WriteString(strings.ToUpper(s[:1]) + s[1:] + ". ")
		n -= k
	}
	return b.String()
}

// Links are the same on every page.
func (p *madePage) Links(n int) []link {
	p.lists++
	r := p.random("links")
	out := make([]link, n)
	for i := range out {
		text := words(r, 1+r.IntN(3))
		out[i] = link{ID: 1000 + r.IntN(1000), Href: "/" + strings.ReplaceAll(text, " ", "-"), Text: text}
	}
	return out
}

// picture serves /img/WIDTH-HEIGHT-SEED.jpg.
func picture(w http.ResponseWriter, r *http.Request) {
	fields := strings.Split(strings.TrimSuffix(path.Base(r.URL.Path), ".jpg"), "-")
	if len(fields) != 3 {
		http.NotFound(w, r)
		return
	}
	width, _ := strconv.Atoi(fields[0])
	height, _ := strconv.Atoi(fields[1])
	seed, _ := strconv.Atoi(fields[2])
	img, noise := image.NewRGBA(image.Rect(0, 0, min(width, 2000), min(height, 2000))), rand.New(rand.NewPCG(uint64(seed), 1))
	for x := range img.Rect.Dx() {
		for y := range img.Rect.Dy() {
			img.SetRGBA(x, y, color.RGBA{uint8(x / 4), uint8(y / 4), uint8(noise.IntN(40)), 255})
		}
	}
	w.Header().Set("Content-Type", "image/jpeg")
	_ = jpeg.Encode(w, img, &jpeg.Options{Quality: 60}) // a client that left needs none
}

// serveCoded serves h on an address of its own, with what is text compressed.
func serveCoded(t *testing.T, n int, h http.Handler) string {
	t.Helper()
	return serveAt(t, "127.0.2."+strconv.Itoa(n), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") || strings.HasPrefix(r.URL.Path, "/img/") || r.Header.Get("Range") != "" {
			h.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close() //nolint:errcheck // a client that left needs none
		h.ServeHTTP(codedWriter{w, z}, r)
	}))
}

// codedWriter compresses what is written.
type codedWriter struct {
	http.ResponseWriter
	z *gzip.Writer
}

// Write implements io.Writer.
func (c codedWriter) Write(b []byte) (int, error) {
	if c.Header().Get("Content-Type") == "" {
		c.Header().Set("Content-Type", http.DetectContentType(b))
	}
	return c.z.Write(b)
}

// WriteHeader drops the length, which is another once the content is compressed.
func (c codedWriter) WriteHeader(status int) {
	c.Header().Del("Content-Length")
	c.ResponseWriter.WriteHeader(status)
}

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
