package admin

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzAPI hands whole requests, as bytes, to the admin address. None may panic; what refuses says so in JSON; and
// neither another site's page nor a name that was rebound to the address may set anything off.
func FuzzAPI(f *testing.F) {
	const host = "127.0.0.1:8081"
	for _, s := range []string{
		"GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
		"GET /api/v1/hosts/a.test HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
		"DELETE /api/v1/hosts/b.test:8443 HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
		"DELETE /api/v1/hosts/%2e%2e%2f HTTP/1.1\r\nHost: " + host + "\r\nOrigin: http://evil.test\r\n\r\n",
		"POST /api/v1/drain HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 2\r\n\r\n{}",
		"POST /api/v1/drain HTTP/1.1\r\nHost: " + host + "\r\nSec-Fetch-Site: cross-site\r\n\r\n",
		"GET /proxy.pac HTTP/1.0\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
		"PATCH /api/v1/passthrough?client=x&host=%zz HTTP/1.1\r\nHost: [::1]:8081\r\n\r\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
		if err != nil {
			return
		}
		models := newFakeModels()
		w := httptest.NewRecorder()
		New(Options{Models: models, Addr: host, Proxy: "127.0.0.1:8080"}).ServeHTTP(w, req)
		resp := w.Result()
		defer resp.Body.Close()
		changed := len(models.hosts) != 2 || models.drained.Load() > 0
		if changed && (req.Method == http.MethodGet || req.Method == http.MethodHead || req.Header.Get("Sec-Fetch-Site") == "cross-site") {
			t.Fatalf("%s %s set something off", req.Method, req.URL)
		}
		if h := strings.ToLower(req.Host); resp.StatusCode/100 == 2 && strings.Contains(h, "evil") {
			t.Fatalf("answered %d as %s", resp.StatusCode, req.Host)
		}
		if req.RequestURI == "*" { // which net/http's mux answers by itself
			return
		}
		if resp.StatusCode >= 400 && resp.StatusCode != http.StatusPreconditionFailed {
			var said struct{ Error string }
			if err := json.NewDecoder(resp.Body).Decode(&said); err != nil || said.Error == "" {
				t.Fatalf("%s %s: %d without a reason: %v", req.Method, req.URL, resp.StatusCode, err)
			}
		}
	})
}
