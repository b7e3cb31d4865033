package phone

import (
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"net/http"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"
)

// madeSites serves the sites whose templates a pattern names, each with count pages of each kind: templates with
// styles, scripts, pictures and adverts, and made-up text. The first has the address 127.0.2.from.
func madeSites(t *testing.T, pattern string, count, from int) (sites []site) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sites: %v", err)
	}
	for _, f := range files {
		tmpl, err := template.ParseFiles(f)
		if err != nil {
			t.Fatal(err)
		}
		s := site{name: strings.TrimSuffix(filepath.Base(f), ".tmpl")}
		name := strings.ToUpper(s.name[:1]) + s.name[1:] + " Post"
		mux := http.NewServeMux()
		for _, part := range []struct{ pattern, contentType, name string }{{"GET /site.css", "text/css", "css"}, {"GET /site.js", "text/javascript", "js"},
			{"GET /{kind}/{n}", "text/html; charset=utf-8", ""}} {
			mux.HandleFunc(part.pattern, func(w http.ResponseWriter, r *http.Request) {
				n, _ := strconv.Atoi(r.PathValue("n"))
				var b strings.Builder
				if err := tmpl.ExecuteTemplate(&b, part.name+r.PathValue("kind"), &madePage{Site: name, N: n, name: s.name}); err != nil {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Type", part.contentType)
				_, _ = w.Write([]byte(goldMark.ReplaceAllString(b.String(), "$1"))) // a client that left needs none
			})
		}
		mux.HandleFunc("GET /img/{name}", picture)
		mux.HandleFunc("GET /frame/{n}", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<img src="/img/300-600-9.jpg" alt="">`))
		})
		for _, kind := range kindsOf(tmpl) {
			s.kinds = append(s.kinds, kind)
			for n := range count {
				s.pages = append(s.pages, fmt.Sprintf("/%s/%d", kind, n+1))
			}
		}
		s.gold = func(p string) (stays, goes []string) {
			kind, n, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
			var b strings.Builder
			number, _ := strconv.Atoi(n)
			if err := tmpl.ExecuteTemplate(&b, kind, &madePage{Site: name, N: number, name: s.name}); err != nil {
				t.Fatalf("%s%s: %v", s.name, p, err)
			}
			return goldOf(t, b.String())
		}
		s.url = serveCoded(t, from+len(sites), mux)
		sites = append(sites, s)
	}
	return sites
}

// goldMark is what a template says about an element: k=c is content, k=t is template. Nobody gets to see it.
var goldMark = regexp.MustCompile(`(<[^<>]*?) k=[ct]\b`)

// kindsOf returns the templates of a file that are whole pages.
func kindsOf(tmpl *template.Template) (kinds []string) {
	for _, t := range tmpl.Templates() {
		if t.Tree != nil && strings.Contains(strings.ToLower(t.Root.String()), "<title>") || t.Tree != nil && strings.HasPrefix(t.Root.String(), `{{template "head"`) {
			if t.Name() != "head" {
				kinds = append(kinds, t.Name())
			}
		}
	}
	slices.Sort(kinds)
	return kinds
}

// madePage is a page of a made-up site. What its methods return is the same each time, for a page's text by page and
// for the site's lists by site.
type madePage struct {
	Site  string
	N     int
	name  string
	lists uint64
	texts uint64
}

// link is an entry of a list.
type link struct {
	ID               int
	Href, Text, Para string
}

func (p *madePage) random(seed uint64, parts ...string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(p.name + " " + strings.Join(parts, " "))) // never fails
	return rand.New(rand.NewPCG(h.Sum64(), seed))
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

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// titleOf is the title of a page.
func (p *madePage) titleOf(n int) string {
	return capital(words(p.random(0, "title", strconv.Itoa(n)), 4))
}

// Title is the page's own.
func (p *madePage) Title() string { return p.titleOf(p.N) }

// Before and After are the titles of the pages around this one, Prev and Next their numbers.
func (p *madePage) Before() string { return p.titleOf(p.Prev()) }

// After is the title of the next page.
func (p *madePage) After() string { return p.titleOf(p.Next()) }

// Prev is the number of the page before this one.
func (p *madePage) Prev() int { return max(p.N-1, 1) }

// Next is the number of the page after this one.
func (p *madePage) Next() int { return p.N + 1 }

// Day is a day of the month, which is the page's own.
func (p *madePage) Day() int { return 10 + p.N%18 }

// Words are the same on every page.
func (p *madePage) Words(n int) string {
	p.lists++
	return words(p.random(p.lists, "words"), n)
}

// Upper is a heading of the page alone.
func (p *madePage) Upper(n int) string {
	p.texts++
	return capital(words(p.random(p.texts, "upper", strconv.Itoa(p.N)), n))
}

// Para is text of the page alone, in sentences.
func (p *madePage) Para(n int) string {
	p.texts++
	r := p.random(p.texts, "para", strconv.Itoa(p.N))
	var b strings.Builder
	for n > 0 {
		k := min(n, 8+r.IntN(8))
		b.WriteString(capital(words(r, k)) + ". ")
		n -= k
	}
	return b.String()
}

// Links are the same on every page.
func (p *madePage) Links(n int) []link {
	p.lists++
	return links(p.random(p.lists, "links"), n, 3)
}

// Own are links of the page alone, to posts or products, each with a text.
func (p *madePage) Own(n int) []link {
	p.texts++
	return links(p.random(p.texts, "own", strconv.Itoa(p.N)), n, 5)
}

func links(r *rand.Rand, n, longest int) []link {
	out := make([]link, n)
	for i := range out {
		text := words(r, 1+longest/3+r.IntN(longest-longest/3))
		out[i] = link{ID: 1000 + r.IntN(1000), Href: "/" + strings.ReplaceAll(text, " ", "-"), Text: text, Para: capital(words(r, 12)) + ". " + capital(words(r, 14)) + "."}
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
