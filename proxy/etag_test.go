package proxy

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// report is a page with a counter, an advert and a menu that change with each visit, and a text that changes with its
// edition.
func report(visit, edition int64) string {
	return fmt.Sprintf(`<html><head><title>The tide tables</title><meta name="csrf" content="%[1]d"></head><body>
		<nav class="menu"><ul><li><a href="/a?s=%[1]d">Ships %[1]d</a><li><a href="/b">Tides</a><li><a href="/c">Crews</a></ul></nav>
		<div class="advert"><p>Advertisement: only %[1]d boats left at our summer sale, <a href="/buy?%[1]d">buy now</a></p></div>
		<article><h1>The tide tables</h1><p>In the edition of day %[2]d the water stands as high as the second ring of the mole at noon, and falls after that.</p>%[3]s</article>
		<footer><p>All rights reserved. You are visitor %[1]d of this page.</p></footer></body></html>`, visit, edition,
		strings.Repeat("<p>For eleven winters, when the fields needed nobody, four hundred men dug by hand what the sea had filled with sand.</p>", 4))
}

// A client that has a page learns that it has not changed where nothing but its template has, whatever the origin says.
func TestUnchangedContentIsNotSentAgain(t *testing.T) {
	var visits, edition atomic.Int64
	edition.Store(1)
	for name, validators := range map[string]func(http.Header, int64){
		"no validators":   func(http.Header, int64) {},
		"a tag each time": func(h http.Header, visit int64) { h.Set("Etag", fmt.Sprintf(`"v%d"`, visit)) },
		"a date":          func(h http.Header, _ int64) { h.Set("Last-Modified", "Thu, 01 Jan 1970 00:00:16 GMT") },
	} {
		for _, mode := range []string{"remove", "reader", "lite", "text", "markdown"} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				w := newWorld(t, blended(t, false))
				origin := w.origin("127.0.0.1", func(rw http.ResponseWriter, _ *http.Request) {
					visit := visits.Add(1)
					rw.Header().Set("Content-Type", "text/html; charset=utf-8")
					validators(rw.Header(), visit)
					fmt.Fprint(rw, report(visit, edition.Load()))
				})
				c := w.client(false)
				first, body := get(t, c, origin+"/tides", "Winnow-Mode", mode)
				tag := first.Header.Get("Etag")
				if first.StatusCode != http.StatusOK || tag == "" || strings.Contains(body, "visitor") || !strings.Contains(body, "second ring") {
					t.Fatalf("%s, ETag %q: %s", first.Status, tag, body)
				}
				for range 3 {
					before := visits.Load()
					again, body := get(t, c, origin+"/tides", "Winnow-Mode", mode, "If-None-Match", tag)
					if again.StatusCode != http.StatusNotModified || again.Header.Get("Etag") != tag || body != "" || again.Header.Get("Content-Type") != "" {
						t.Errorf("%s, ETag %q, want %q: %s", again.Status, again.Header.Get("Etag"), tag, body)
					}
					if !strings.HasPrefix(again.Header.Get("Winnow"), "cleaned; mode="+mode) {
						t.Errorf("Winnow: %q", again.Header.Get("Winnow"))
					}
					if visits.Load() != before+1 {
						t.Error("the origin was not asked")
					}
				}
				if other, _ := get(t, c, origin+"/tides", "Winnow-Mode", "tag", "If-None-Match", tag); other.StatusCode != http.StatusOK {
					t.Errorf("in another mode: %s", other.Status)
				}
				edition.Add(1)
				changed, body := get(t, c, origin+"/tides", "Winnow-Mode", mode, "If-None-Match", tag)
				if changed.StatusCode != http.StatusOK || changed.Header.Get("Etag") == tag || !strings.Contains(body, fmt.Sprintf("day %d", edition.Load())) {
					t.Errorf("after a change: %s, ETag %q: %s", changed.Status, changed.Header.Get("Etag"), body)
				}
			})
		}
	}
}

// A page that is the same byte for byte is known without being read again, and has no other tag then.
func TestUnchangedPagesKeepTheirTag(t *testing.T) {
	w := newWorld(t, blended(t, false))
	origin := w.origin("127.0.0.1", harbour)
	first, _ := get(t, w.client(false), origin+"/article")
	tag := first.Header.Get("Etag")
	for range 3 {
		if again, _ := get(t, w.client(false), origin+"/article"); again.Header.Get("Etag") != tag || tag == "" {
			t.Errorf("ETag %q, want %q", again.Header.Get("Etag"), tag)
		}
		if again, _ := get(t, w.client(false), origin+"/article", "If-None-Match", tag); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s", again.Status)
		}
	}
}

// What has the template in it changes with it.
func TestChangedTemplatesAreSentInModesThatKeepThem(t *testing.T) {
	var visits atomic.Int64
	w := newWorld(t, blended(t, false))
	origin := w.origin("127.0.0.1", func(rw http.ResponseWriter, _ *http.Request) {
		visit := visits.Add(1)
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.Header().Set("Etag", fmt.Sprintf(`"v%d"`, visit))
		fmt.Fprint(rw, report(visit, 1))
	})
	for _, mode := range []string{"tag", "hide", "auto", "json"} {
		first, _ := get(t, w.client(false), origin+"/tides", "Winnow-Mode", mode)
		if again, _ := get(t, w.client(false), origin+"/tides", "Winnow-Mode", mode, "If-None-Match", first.Header.Get("Etag")); again.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", mode, again.Status)
		}
	}
}
