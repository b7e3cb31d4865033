package demo

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"
)

// files are the pages of a small weekly paper: two layouts, articles and guides.
//
//go:embed site
var files embed.FS

// site is the bundled site, rendered.
type site struct {
	// names are the pages' file names, in order; bodies their HTML.
	names  []string
	bodies map[string][]byte
}

// link is a link of the menus.
type link struct{ Path, Name string }

// newSite renders the pages. Adverts and links to other stories differ from page to page, as on real sites.
func newSite() (*site, error) {
	entries, err := files.ReadDir("site")
	if err != nil {
		return nil, err
	}
	s := &site{bodies: map[string][]byte{}}
	var links []link
	var layouts, sources []string
	for _, f := range entries {
		layout, name, _ := strings.Cut(f.Name(), "-")
		if layout == "layout" {
			continue
		}
		s.names = append(s.names, name)
		layouts = append(layouts, "layout-"+layout+".html")
		sources = append(sources, f.Name())
		subject := strings.TrimSuffix(name, ".html")
		links = append(links, link{"./" + name, strings.ToUpper(subject[:1]) + subject[1:]})
	}
	for i, name := range s.names {
		t, err := template.ParseFS(files, path.Join("site", layouts[i]), path.Join("site", sources[i]))
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := t.ExecuteTemplate(&b, layouts[i], around(links, i)); err != nil {
			return nil, fmt.Errorf("demo page %s: %w", name, err)
		}
		s.bodies[name] = b.Bytes()
	}
	return s, nil
}

// around is the template data around the i-th page's text.
func around(links []link, i int) any {
	adverts := []string{
		"Winter sale: waterproof boots at half price until Sunday",
		"Learn to play the concertina in twelve easy lessons",
		"Insure your greenhouse today and sleep well in a hailstorm",
	}
	return struct {
		Pages, Related []link
		Ad             string
	}{links, []link{links[(i+1)%len(links)], links[(i+3)%len(links)], links[(i+4)%len(links)]}, adverts[i%len(adverts)]}
}

// ServeHTTP serves the site's pages, and the first page for the root.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = s.names[0]
	}
	body, ok := s.bodies[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(body) // a client that left needs no answer
}
