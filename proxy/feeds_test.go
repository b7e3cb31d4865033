package proxy

import (
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/mmcdole/gofeed"

	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// journal is a site with a feed of teasers.
func journal(w http.ResponseWriter, r *http.Request) {
	const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>Journal</title><item><guid isPermaLink="false">1</guid><link>/tide</link><description>The tide</description></item></channel></rss>`
	switch r.URL.Path {
	case "/feed", "/fixed":
		w.Header().Set("Content-Type", "application/rss+xml")
		w.Header().Set("ETag", `"origin"`)
		if r.URL.Path == "/fixed" {
			w.Header().Set("Cache-Control", "no-transform")
		}
		w.Header().Set("Use-As-Dictionary", `match="/feed"`)
		if strings.TrimSpace(r.Header.Get("Accept-Encoding")) == "br" {
			w.Header().Set("Content-Encoding", "br")
			z := brotli.NewWriter(w)
			_, _ = io.WriteString(z, feed) // to memory
			_ = z.Close()
			return
		}
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, feed) // to memory
			_ = z.Close()
			return
		}
		_, _ = io.WriteString(w, feed) // a client that left needs no answer
	case "/data":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"tide": "high"}`)
	case "/tide":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><title>Tide</title><nav><a href=/>Journal</a> <a href=/boats>Boats</a></nav><main><h1>Tide</h1>`+
			strings.Repeat(`<p>The tide came in over the flats faster than a man could walk, and the boats that had lain on their sides stood up one after the other.</p>`, 4)+
			`</main><footer><a href=/terms>Terms</a></footer>`)
	default:
		http.NotFound(w, r)
	}
}

// cleansAtOnce gives a proxy models that judge a site's first page.
func cleansAtOnce(t *testing.T) func(*Options) {
	t.Helper()
	models := testmodels.New(t)
	cleaner, err := pipeline.New(pipeline.Options{Models: models, Limits: testmodels.Patient(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) { o.Pipeline = cleaner }
}

// Where the configuration asks for it, a feed in passing gets the text of its pages, by HTTP and HTTPS, coded or not;
// all else passes as it was, and so do feeds of other hosts and those that nobody may change.
func TestFeedsInPassing(t *testing.T) {
	t.Parallel()
	r := newWorld(t, cleansAtOnce(t), func(o *Options) { o.Feeds = []string{"127.0.9.1", ".journal.test"} })
	asked, secure := r.origin("127.0.9.1", journal), r.secureOrigin("127.0.9.2", "www.journal.test", journal)
	other := r.origin("127.0.9.3", journal)
	c := r.client(false)
	for _, base := range []string{asked, secure} {
		for _, codings := range []string{"", "gzip, br", "br"} {
			resp, body := get(t, c, base+"/feed", "Accept-Encoding", codings)
			found, err := gofeed.NewParser().ParseString(body)
			if err != nil || len(found.Items) != 1 || found.Items[0].GUID != "1" || !strings.Contains(found.Items[0].Content, "faster than a man could walk") ||
				strings.Contains(body, "Boats") {
				t.Errorf("%s, %q: %v, %v in %s", base, codings, resp.Header, err, body)
			}
			if resp.Header.Get("Winnow") != "feed; restored=1; complete=0; failed=0; waiting=0" || resp.Header.Get("Etag") == `"origin"` ||
				resp.Header.Get("Use-As-Dictionary") != "" || resp.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s, %q: %v", base, codings, resp.Header)
			}
			again, body := get(t, c, base+"/feed", "If-None-Match", `"x", `+resp.Header.Get("Etag"))
			if again.StatusCode != http.StatusNotModified || body != "" {
				t.Errorf("%s: asked again: %s %s", base, again.Status, body)
			}
		}
	}
	for u, header := range map[string][]string{
		other + "/feed":  nil,
		asked + "/fixed": nil,
		asked + "/data":  nil,
		asked + "/feed":  {"Winnow-Mode", "off"},
		secure + "/feed": {"Cache-Control", "no-transform"},
	} {
		resp, body := get(t, c, u, append(header, "Accept-Encoding", "identity")...)
		if strings.HasPrefix(resp.Header.Get("Winnow"), "feed") || strings.Contains(body, "content:encoded") || !strings.Contains(strings.ToLower(body), "tide") {
			t.Errorf("%s: %v %s", u, resp.Header, body)
		}
	}
}

// A feed that can't be completed, because it is too large or breaks off, comes as it is.
func TestLargeFeedsPass(t *testing.T) {
	t.Parallel()
	r := newWorld(t, cleansAtOnce(t), func(o *Options) { o.Feeds = []string{"127.0.9.4"} })
	const most = 5 << 20
	base := r.origin("127.0.9.4", func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/xml")
		if req.URL.Path == "/breaks" {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "<rss>")
			return
		}
		_, _ = io.WriteString(w, "<rss>"+strings.Repeat("<!---->", most/7))
	})
	if resp, body := get(t, r.client(false), base+"/large"); len(body) != 5+most/7*7 || resp.StatusCode != http.StatusOK {
		t.Errorf("%s, %d bytes", resp.Status, len(body))
	}
	resp, err := r.client(false).Get(base + "/breaks")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err == nil || string(body) != "<rss>" {
		t.Errorf("%q, %v", body, err)
	}
}
