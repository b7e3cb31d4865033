package proxy

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/boltstore"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// lighthouses is a site of two pages in one template.
func lighthouses(w http.ResponseWriter, req *http.Request) {
	article, ok := map[string]string{
		"/lamp": `<h1>How the lamp is lit</h1><p>Each evening, half an hour before sunset, the keeper drew the curtains that
had shielded the great lens from the sun, trimmed the wicks and pumped the reservoir up to its mark.</p><p>The flame itself was
no larger than a hand; it was the glass around it that made a beam of it which ships could see for twenty miles.</p>`,
		"/fog": `<h2>When the fog came down</h2><blockquote>In thick weather no lamp helps. Then a bell was struck by clockwork, and
later a horn was blown by steam, one long note and two short, until the morning wind had cleared the strait.</blockquote>`,
	}[req.URL.Path]
	if !ok {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	fmt.Fprintf(z, `<!DOCTYPE html><html><head><title>Lighthouses%s</title></head><body>
<div id="nav"><ul><li><a href="/lamp">The lamp</a></li><li><a href="/fog">The fog</a></li><li><a href="/shop">Buy a print of it</a></li></ul></div>
<div id="main">%s</div>
<div id="foot"><p>Printed on recycled electrons by the Society of Friends of the Coast. All lights reserved.</p></div>
</body></html>`, req.URL.Path, article)
	_ = z.Close()
}

// cleaning gives a world's proxy a rewriter over models kept in dir. The models must be closed after the proxy has
// stopped.
func cleaning(t *testing.T, dir string) (func(*Options), *cache.Models) {
	t.Helper()
	key, err := cache.InstallationKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	store, err := boltstore.Open(dir, boltstore.Options{Detector: styletree.Name, KeyID: key.ID()})
	if err != nil {
		t.Fatal(err)
	}
	models, err := cache.New(context.Background(), cache.Options{Detector: styletree.Detector{}, Key: key, Store: store})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) {
		o.Metrics = metrics.New(nil)
		rw, err := pipeline.New(pipeline.Options{Models: models, Limits: testmodels.Patient(), Mode: page.ModeRemove, Logger: slog.New(slog.DiscardHandler),
			Metrics: pipeline.Counting(o.Metrics)})
		if err != nil {
			t.Fatal(err)
		}
		o.Pipeline = rw
	}, models
}

// getHTML fetches a page as browsers do, with gzip undone.
func getHTML(t *testing.T, c *http.Client, u string, header ...string) (*http.Response, string) {
	t.Helper()
	resp, body := get(t, c, u, append(header, "Accept", "text/html", "Accept-Encoding", "gzip", "Sec-Fetch-Dest", "document")...)
	if resp.Header.Get("Content-Encoding") != "gzip" {
		return resp, body // what cleaning left is too little to be worth coding
	}
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(plain)
}

// visit fetches a page of the site until it comes out clean or as it was, as asked, and checks what stands in it.
func visit(t *testing.T, c *http.Client, u string, clean bool) *http.Response {
	t.Helper()
	resp, body := getHTML(t, c, u)
	if !strings.Contains(body, "until the morning wind") && !strings.Contains(body, "for twenty miles") {
		t.Errorf("%s: the article is gone: %s", u, body)
	}
	for _, noise := range []string{"Buy a print", "All lights reserved"} {
		if strings.Contains(body, noise) == clean {
			t.Errorf("%s (Winnow: %s): %q is there: %v", u, resp.Header.Get("Winnow"), noise, !clean)
		}
	}
	return resp
}

func TestSiteIsLearnedAndCleaned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	option, models := cleaning(t, dir)
	r := newWorld(t, option)
	sites := []string{r.origin("127.0.1.1", lighthouses), r.secureOrigin("127.0.1.2", "light.test", lighthouses)}
	for i, site := range sites {
		c := r.client(i == 1)
		for _, path := range []string{"/lamp", "/fog"} {
			visit(t, c, site+path, false)
		}
		if err := models.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		visit(t, c, site+"/fog", true)
		resp, _ := get(t, c, site+"/fog", "Accept", "text/html")
		if got := resp.Header.Get("Winnow"); !strings.HasPrefix(got, "cleaned; mode=remove; pages=2; removed=0.") {
			t.Errorf("Winnow: %s", got)
		}
		if resp, body := getHTML(t, c, site+"/fog", "Winnow-Mode", "off"); !strings.Contains(body, "Buy a print") ||
			resp.Header.Get("Winnow") != "passed; reason=mode-off" {
			t.Errorf("off: Winnow %q: %s", resp.Header.Get("Winnow"), body)
		}
		if _, body := getHTML(t, c, site+"/fog", "Winnow-Mode", "tag"); !strings.Contains(body, `data-winnow="noise"`) ||
			!strings.Contains(body, "Buy a print") {
			t.Errorf("tag: %s", body)
		}
	}
	if n := r.server.metrics.Responses.WithLabelValues("cleaned", "").Value(); n < 2 {
		t.Errorf("counted %v cleaned pages", n)
	}
	r.end()
	if err := models.Close(context.Background()); err != nil {
		t.Fatal(err)
	}

	// After a restart the first page of the site is clean.
	option, models = cleaning(t, dir)
	again := newWorld(t, option, func(o *Options) { o.UpstreamRoots = r.origins.Pool() })
	again.dns.set("light.test", "127.0.1.2")
	for _, site := range sites {
		visit(t, again.client(true), site+"/lamp", true)
	}
	again.end()
	if err := models.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// fullQueue is a Models whose queue takes nothing.
type fullQueue struct {
	mu      sync.Mutex
	refused int
}

// Mark implements Models: all is content.
func (*fullQueue) Mark(_ context.Context, _ string, p *page.Page, _ model.Visit) (*page.Marking, error) {
	return &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}, nil
}

// LearnFrom implements Models.
func (q *fullQueue) LearnFrom(string, string, *page.Page, model.Visit) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refused++
	return false
}

func TestFullLearningQueueSlowsNobody(t *testing.T) {
	t.Parallel()
	queue := &fullQueue{}
	rw, err := pipeline.New(pipeline.Options{Models: queue, Limits: testmodels.Patient(), Mode: page.ModeRemove, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r := newWorld(t, func(o *Options) { o.Pipeline = rw })
	site := r.secureOrigin("127.0.1.2", "light.test", lighthouses)
	c := r.client(true)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				visit(t, c, site+"/fog", false)
			}
		})
	}
	wg.Wait()
	if queue.refused != 100 {
		t.Errorf("%d pages refused", queue.refused)
	}
}
