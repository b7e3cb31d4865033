package proxy

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/exchange"
)

// A client that followed Alt-Svc (RFC 7838) would talk to the site past the proxy: over QUIC, neither cleaned nor
// guarded. No answer brings one, whatever its status, and interim ones neither.
func TestAltSvcNeverReachesClients(t *testing.T) {
	t.Parallel()
	eachPath(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header()["Alt-Svc"] = []string{`h3=":443"; ma=86400`, `h2="alt.example.org:443"`}
		if req.URL.Path == "/hint" {
			w.Header().Set("Link", "</style.css>; rel=preload")
			w.WriteHeader(http.StatusEarlyHints)
		}
		status := map[string]int{"/missing": 404, "/same": 304, "/moved": 301}[req.URL.Path]
		w.WriteHeader(max(status, 200))
	}, func(t *testing.T, _ *world, c *http.Client, u string) {
		for _, path := range []string{"/", "/missing", "/same", "/moved", "/hint"} {
			hinted := false
			ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
				Got1xxResponse: func(status int, h textproto.MIMEHeader) error {
					hinted = true
					if v := h.Values("Alt-Svc"); v != nil {
						t.Errorf("%d: %q", status, v)
					}
					return nil
				}})
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, u+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if resp, _ := do(t, c, req); resp.Header["Alt-Svc"] != nil || hinted != (path == "/hint") {
				t.Errorf("%s: %s, Alt-Svc %q, hinted %v", path, resp.Status, resp.Header["Alt-Svc"], hinted)
			}
		}
	})
}

// What an origin may say before it answers has an end.
func TestInterimAnswersAreBounded(t *testing.T) {
	t.Parallel()
	eachPath(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		for range map[string]int{"/few": exchange.MaxInterim, "/many": 10 * exchange.MaxInterim}[req.URL.Path] {
			w.WriteHeader(http.StatusEarlyHints)
		}
	}, func(t *testing.T, _ *world, c *http.Client, u string) {
		for path, want := range map[string]int{"/few": 200, "/many": 502} {
			n := 0
			ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
				Got1xxResponse: func(int, textproto.MIMEHeader) error { n++; return nil }})
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, u+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if resp, _ := do(t, c, req); resp.StatusCode != want || n != exchange.MaxInterim {
				t.Errorf("%s: %s after %d hints", path, resp.Status, n)
			}
		}
	})
}

// A client of HTTP/2 that leaves in the midst of the hints must not have the proxy change a header that is being
// written: Go ends the process over that, and the race detector sees it.
func TestClientsThatLeaveAmidHints(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	u := r.secureOrigin("127.0.1.1", "site.test", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		for range exchange.MaxInterim - 1 {
			w.WriteHeader(http.StatusEarlyHints)
		}
	})
	c := r.client(true)
	for i := range 100 {
		ctx, cancel := context.WithCancel(context.Background())
		hints := 0
		req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			Got1xxResponse: func(int, textproto.MIMEHeader) error {
				if hints++; hints > i%exchange.MaxInterim {
					cancel()
				}
				return nil
			}}), http.MethodGet, u, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := c.Do(req); err == nil {
			resp.Body.Close()
		}
		cancel()
	}
	if _, body := get(t, c, u); body != "" {
		t.Errorf("afterwards: %q", body)
	}
}
