package icap_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy"
	"github.com/winnow-proxy/winnow/proxy/icap"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a proxy with an ICAP address beside it.
type world struct {
	t *testing.T
	// proxy and icap are the addresses.
	proxy, icap string
	server      *proxy.Server
}

// newWorld starts one. Its pages are learned of what comes by the proxy, and cleaned alike both ways.
func newWorld(t *testing.T, tweak ...func(*icap.Options)) *world {
	t.Helper()
	models := testmodels.New(t)
	bounds := testmodels.Patient()
	bounds.Body, bounds.Grace, bounds.Stall = 1<<20, time.Second, 5*time.Second
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	cleaner, err := pipeline.New(pipeline.Options{Models: models, Mode: page.ModeRemove, Limits: bounds, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	ca, err := certs.LoadOrCreate(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	front, back := listen(t), listen(t)
	w := &world{t: t, proxy: front.Addr().String(), icap: back.Addr().String()}
	w.server, err = proxy.New(proxy.Options{Listen: w.proxy, Authority: ca, Pipeline: cleaner, Limits: bounds, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	o := icap.Options{Clean: w.server.Clean, Tag: w.server.Tag, Limits: bounds, Logger: log}
	for _, f := range tweak {
		f(&o)
	}
	adapter, err := icap.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	go func() { ended <- w.server.Serve(ctx, front) }()
	go func() { ended <- adapter.Serve(ctx, back) }()
	t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
	return w
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// newOrigin serves a small site: /log/N are pages.
func newOrigin(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(serveSite))
	t.Cleanup(s.Close)
	return s
}

func serveSite(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, "/log/"):
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, logPage(path))
	case path == "/picture":
		w.Header().Set("Content-Type", "image/png")
		fmt.Fprint(w, "\x89PNG"+strings.Repeat("pixel", 1000))
	case path == "/large": // beyond what is cleaned
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, strings.Repeat("<p>And on and on it goes. ", 80000))
	default:
		http.NotFound(w, r)
	}
}

// logPage is a page with a menu, a text that its path decides, and a footer.
func logPage(path string) string {
	return fmt.Sprintf(`<!DOCTYPE html><html lang="en"><head><title>Log of %[1]s</title></head><body>
<nav class="menu"><ul><li><a href="/harbours">Harbours</a></li><li><a href="/tides">Tides</a></li></ul></nav>
<main><h1>Log of %[1]s</h1><p>The wind of %[1]s came from the north-east all day, and we made little way against the tide that set
to the west; the pilot of the harbour, whom we had asked for an hour, came on board at dusk.</p><p>Next morning of %[1]s we were at
anchor off the mole, as <a href="/log/next">the next page</a> of this log will tell in more detail than anybody needs.</p></main>
<footer class="footer"><p>Printed by the <a href="/society">Society</a> of Friends of the Coast. All rights reserved.</p></footer></body></html>`, path)
}

// get gets a page by way of a proxy. Nothing is learned of it.
func get(t *testing.T, proxyAddr, address string, field ...string) (*http.Response, string) {
	t.Helper()
	return getBy(t, &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: proxyAddr})}, address, field...)
}

func getBy(t *testing.T, by *http.Transport, address string, field ...string) (*http.Response, string) {
	t.Helper()
	defer by.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Winnow-Learn", "off")
	for i := 0; i+1 < len(field); i += 2 {
		req.Header.Set(field[i], field[i+1])
	}
	resp, err := (&http.Client{Transport: by, Timeout: 30 * time.Second}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}
