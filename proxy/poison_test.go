package proxy

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// learning gives a world's proxy a rewriter over models of the default detector that live in memory.
func learning(t *testing.T) (func(*Options), *cache.Models) {
	t.Helper()
	models := testmodels.New(t)
	return func(o *Options) {
		rw, err := pipeline.New(pipeline.Options{Models: models, Limits: testmodels.Patient(), Mode: page.ModeRemove, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		o.Pipeline = rw
	}, models
}

// essay is a text of its own for each number, the same each time.
func essay(n int) string {
	rng := rand.New(rand.NewPCG(uint64(n), 42))
	words := strings.Fields(`harbour lantern keeper morning winter granite ledger copper orchard thunder ribbon cellar
		pigeon velvet anchor barley chapel meadow pepper saddle timber walnut basket candle drawer engine furnace glacier hammer
		island jacket kettle ladder marble needle oyster pocket quarry rudder shovel tunnel umbrella valley window yellow zipper`)
	var b strings.Builder
	for range 4 {
		b.WriteString("The ")
		for i := range 9 + rng.IntN(8) {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(words[rng.IntN(len(words))])
		}
		b.WriteString(", as it was. ")
	}
	return b.String()
}

// gazette is a site with a template and as many articles as one asks for: the path's number chooses one. The clock runs
// on every request, as session ids and counters do.
func gazette(clock *atomic.Int64) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		var n int
		if _, err := fmt.Sscanf(req.URL.Path, "/%d", &n); err != nil {
			http.NotFound(w, req)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html><head><title>Article %d - The Gazette</title></head><body>
<div class="top"><ul><li><a href="/1">Front page of the Gazette</a></li><li><a href="/2">Ships and weather</a></li>
<li><a href="/3">Letters to the editor</a></li><li><a href="/4">Small advertisements</a></li></ul></div>
<div class="story"><h1>Article number %d</h1><p>%s</p><p>%s</p><p>%s</p></div>
<div class="side"><h3>Most read</h3><ul><li><a href="/9">The bell that rang by itself</a></li><li><a href="/8">A goat in the lift</a></li></ul></div>
<div class="end"><p>The Gazette is printed on recycled paper, visitor %d. All rights reserved.</p>
<form action="/go"><input type="hidden" name="token" value="%x"></form></div></body></html>`,
			n, n, essay(3*n), essay(3*n+1), essay(3*n+2), clock.Add(1), clock.Load()*7919)
	}
}

// victim is a gazette behind a proxy that has learned eight of its pages.
type victim struct {
	*world
	models *cache.Models
	site   string
	client *http.Client
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	option, models := learning(t)
	v := &victim{world: newWorld(t, option), models: models}
	v.site = v.secureOrigin("127.0.1.2", "gazette.test", gazette(new(atomic.Int64)))
	v.client = v.world.client(true)
	for n := 1; n <= 8; n++ {
		v.fetch(fmt.Sprintf("/%d", n))
	}
	v.unharmed("before the attack", 8)
	return v
}

func (v *victim) fetch(path string, header ...string) string {
	v.t.Helper()
	_, body := get(v.t, v.client, v.site+path, append(header, "Accept", "text/html", "Sec-Fetch-Dest", "document")...)
	return body
}

// unharmed checks that pages old and new come out with their text and without the template, and how many pages are
// known.
func (v *victim) unharmed(when string, pages int) {
	v.t.Helper()
	if err := v.models.Drain(context.Background()); err != nil {
		v.t.Fatal(err)
	}
	hosts, err := v.models.Hosts(context.Background())
	if err != nil {
		v.t.Fatal(err)
	}
	for _, h := range hosts {
		if strings.HasPrefix(h.Host, "gazette.test") && h.Pages > pages {
			v.t.Errorf("%s: %d pages are known, want %d", when, h.Pages, pages)
		}
	}
	for _, n := range []int{3, 500} {
		body := v.fetch(fmt.Sprintf("/%d", n), "Authorization", "Basic bm86cGU=") // so that looking teaches nothing
		for part := range 3 {
			if !strings.Contains(body, strings.TrimSpace(essay(3*n+part))) {
				v.t.Errorf("%s: paragraph %d of article %d is gone", when, part, n)
			}
		}
		if strings.Contains(body, "A goat in the lift") || strings.Contains(body, "recycled paper") {
			v.t.Errorf("%s: the template of article %d is still there", when, n)
		}
	}
}

// One page fetched over and over is one page.
func TestOnePageManyTimesDoesNotPoison(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	for range 150 {
		v.fetch("/3")
	}
	v.unharmed("one page 150 times", 8)
}

// A page under many queries, as a hostile link or frame on another site can make browsers fetch it, is one page, though
// a counter and a token in it change every time: its text must not count as repeated.
func TestQueryNoiseDoesNotPoison(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	for i := range 150 {
		v.fetch(fmt.Sprintf("/3?utm_source=%d&x=%x", i, i*i))
	}
	v.unharmed("one page under 150 queries", 8)
}

// A page that was never seen before the noise began is one page too.
func TestQueryNoiseOnANewPageDoesNotPoison(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	for i := range 150 {
		v.fetch(fmt.Sprintf("/500?session=%d", i))
	}
	v.unharmed("a new page under 150 queries", 11) // two or three of them pass before the page is recognized
}

// A page is learned for the host that it truly came from, whatever the request's Host field says.
func TestAnotherHostsNameDoesNotPoison(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	// The attacker's pages have the victim's text all over, as template.
	copycat := func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<html><body><div class=story><p>%s</p><p>%s</p></div><p>%s</p></body></html>", essay(9), essay(1500), essay(int(req.ContentLength)+len(req.URL.Path)*77))
	}
	plain, secure := v.origin("127.0.1.3", copycat), v.secureOrigin("127.0.1.4", "evil.test", copycat)
	for i := range 60 {
		path := strings.Repeat("/x", i+1)
		c := v.dial() // an absolute URL rules over Host (RFC 9112 §3.2.2)
		fmt.Fprintf(c, "GET %s%s HTTP/1.1\r\nHost: gazette.test\r\nAccept: text/html\r\nConnection: close\r\n\r\n", plain, path)
		if _, err := io.ReadAll(c); err != nil {
			t.Fatal(err)
		}
		req, _ := http.NewRequest(http.MethodGet, secure+path, nil)
		req.Host = hostPort(v.site) // within the attacker's own connection
		if resp, _ := do(t, v.client, req); resp.StatusCode != http.StatusMisdirectedRequest {
			t.Fatalf("another host's name inside: %s", resp.Status)
		}
		get(t, v.client, secure+path, "Accept", "text/html", "Referer", v.site, "X-Forwarded-Host", hostPort(v.site))
	}
	v.unharmed("with the name in foreign requests", 8)
}

// What is not a page of the site does not count: errors, fragments, and what needs credentials.
func TestErrorsAndCredentialsDoNotTeach(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	for i := range 40 {
		v.fetch(fmt.Sprintf("/missing-%d", i))
		v.fetch(fmt.Sprintf("/%d", 100+i), "Authorization", "Bearer x")
		get(t, v.client, fmt.Sprintf("%s/%d", v.site, 200+i), "Accept", "*/*", "Sec-Fetch-Dest", "empty")
		get(t, v.client, fmt.Sprintf("%s/%d", v.site, 300+i), "Sec-Fetch-Dest", "image")
	}
	v.unharmed("after errors and credentials", 8)
}
