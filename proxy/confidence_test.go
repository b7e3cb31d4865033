package proxy

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// harbour serves an article, a notice of a few words, and the shell of an application.
func harbour(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch req.URL.Path {
	case "/article":
		fmt.Fprintf(w, `<html><head><title>How the harbour was dug</title></head><body><ul class="menu"><li><a href="/a">Ships</a><li><a href="/b">Tides</a></ul>
			<article><h1>How the harbour was dug</h1>%s</article><footer>All rights reserved</footer></body></html>`,
			strings.Repeat("<p>For eleven winters, when the fields needed nobody, four hundred men dug by hand what the sea had filled with sand.</p>", 6))
	case "/notice":
		fmt.Fprint(w, `<html><head><title>Closed</title></head><body><p>The harbour office is closed until Monday morning.</p></body></html>`)
	default:
		fmt.Fprint(w, `<html><head><title>Harbour</title><script src="/app.js"></script></head><body><div id="root"></div></body></html>`)
	}
}

// blended gives a world's proxy a pipeline over the default detector.
func blended(t *testing.T, shared bool) func(*Options) {
	t.Helper()
	models := testmodels.New(t)
	return func(o *Options) {
		o.Metrics = metrics.New(nil)
		var err error
		o.Pipeline, err = pipeline.New(pipeline.Options{Models: models, Limits: testmodels.Patient(), Mode: page.ModeRemove, Shared: shared, Logger: slog.New(slog.DiscardHandler),
			Metrics: pipeline.Counting(o.Metrics)})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The answer says how good its page is likely to be, and where there is next to nothing to read.
func TestAnswersTellTheirConfidence(t *testing.T) {
	t.Parallel()
	r := newWorld(t, blended(t, false))
	c, site := r.client(false), r.origin("127.0.1.1", harbour)
	sure := regexp.MustCompile(`^cleaned; mode=\w+; pages=\d+; removed=0\.\d\d; confidence=(0\.\d\d|1\.00)$`)
	for range 3 { // it comes again, cleaned as before
		resp, _ := get(t, c, site+"/article", "Accept", "text/html")
		if got := resp.Header.Get("Winnow"); !sure.MatchString(got) {
			t.Errorf("an article: Winnow: %s", got)
		}
	}
	resp, _ := getHTML(t, c, site+"/notice")
	if got := resp.Header.Get("Winnow"); !strings.HasPrefix(got, "cleaned; ") || !strings.HasSuffix(got, "; thin") {
		t.Errorf("a notice: Winnow: %s", got)
	}
	resp, _ = getHTML(t, c, site+"/app")
	if got := resp.Header.Get("Winnow"); got != "passed; reason=application; thin" {
		t.Errorf("a shell: Winnow: %s", got)
	}
	resp, body := get(t, c, site+"/article", "Winnow-Mode", "json")
	var d jsondoc.Document
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatal(err)
	}
	if d.Confidence <= 0 || d.Confidence > 1 || d.Thin || !strings.Contains(resp.Header.Get("Winnow"), fmt.Sprintf("confidence=%.2f", d.Confidence)) {
		t.Errorf("JSON says confidence %v, thin %v; Winnow: %s", d.Confidence, d.Thin, resp.Header.Get("Winnow"))
	}
}

// Where clients share models, a confidence would tell whether somebody has seen the page before.
func TestSharedModelsKeepTheirConfidence(t *testing.T) {
	t.Parallel()
	r := newWorld(t, blended(t, true))
	resp, _ := get(t, r.client(false), r.origin("127.0.1.1", harbour)+"/article", "Accept", "text/html")
	if got := resp.Header.Get("Winnow"); !strings.HasPrefix(got, "cleaned; ") || strings.Contains(got, "confidence") {
		t.Errorf("Winnow: %s", got)
	}
}
