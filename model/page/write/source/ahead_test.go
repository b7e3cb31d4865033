package source_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// Browsers load nothing that only removed parts show or lead to, and everything else.
func TestRemovedPartsLoadNothing(t *testing.T) {
	const head = `<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>t</title>` +
		`<link rel="preload" as="image" href="/gone-logo.png"><link rel="prefetch" href="/gone-next.html"><link rel="preload" as="image" href="/kept-lead.png">` +
		`<link rel="preload" as="image" href="/kept-both.png"><link rel="prefetch" href="/kept-unnamed.html"></head><body>`
	const noise = `<nav class="noise" id="site"><a href="/gone-next.html">Next</a><img src="/gone-logo.png" alt=""><img src="/kept-both.png" alt=""><picture><source srcset="/gone-a.png 1x, /gone-b.png 2x">` +
		`<img src="/gone-c.png" alt=""></picture><iframe src="/gone-frame.html"></iframe><video src="/gone-film.mp4" poster="/gone-poster.png"></video>` +
		`<audio src="/gone-sound.mp3" preload="auto"></audio><object data="/gone-object.png" type="image/png"></object>` +
		`<div style="background:url(/gone-ground.png)">x</div><embed src="/gone-embed.png"></nav>`
	const text = `<main><h1>CONTENT</h1><img src="/kept-lead.png" alt=""><img src="/kept-both.png" alt=""><p>CONTENT The wall stands in the garden, and the garden lies behind the house, where the path to the river begins.</p></main>`
	pages := map[string]string{
		"cut":    head + noise + text + `</body></html>`,
		"hidden": head + noise + text + `<script>document.querySelector("#site")</script></body></html>`,
	}
	var mu sync.Mutex
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		src, ok := pages[strings.TrimPrefix(r.URL.Path, "/page/")]
		if !ok {
			mu.Lock()
			asked = append(asked, r.URL.Path)
			mu.Unlock()
			http.NotFound(w, r)
			return
		}
		p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
		out, err := write.Form{Mode: page.ModeAuto, URL: "http://" + r.Host + r.URL.Path}.Write(p, pagetest.MarkNoise(p))
		if err != nil {
			t.Error(err)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(out.Body) // a client that left needs no answer
	}))
	t.Cleanup(srv.Close)
	b := browsertest.Start(t)
	for name := range pages {
		kept := []string{"/kept-lead.png", "/kept-both.png", "/kept-unnamed.html"}
		mu.Lock()
		asked = nil
		mu.Unlock()
		for range 20 {
			if _, err := b.Look(t.Context(), srv.URL+"/page/"+name); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			all := !slices.ContainsFunc(kept, func(k string) bool { return !slices.Contains(asked, k) })
			mu.Unlock()
			if all {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		mu.Lock()
		for _, k := range kept {
			if !slices.Contains(asked, k) {
				t.Errorf("%s: %s was not loaded", name, k)
			}
		}
		for _, a := range asked {
			if strings.HasPrefix(a, "/gone-") {
				t.Errorf("%s: %s was loaded", name, a)
			}
		}
		mu.Unlock()
	}
}
