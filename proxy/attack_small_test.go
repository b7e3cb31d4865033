package proxy

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// An image on any page can point at the proxy's own site: what it changes has to be asked for by a form of that site.
func TestImagesDoNotClearThePassthroughTable(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	r := newWorld(t, func(o *Options) { o.Now = clock.now })
	app := hostPort(r.secureOrigin("127.0.1.1", "app.test", tell))
	other := r.secureOrigin("127.0.1.2", "other.test", tell)
	get(t, r.client(true), other+"/") // the device has the CA: the app alone refuses
	clock.move(time.Minute)
	r.refuseTwice(t, clock, app)
	for _, u := range []string{"https://" + hostname.Portal + "/x.png", "https://" + hostname.Portal + "/", "http://" + hostname.Portal + "/passthrough"} {
		get(t, r.client(true), u, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "image", "Referer", other)
		if len(r.server.Passthrough()) != 1 {
			t.Fatalf("GET %s clears the table", u)
		}
	}
	for _, form := range []url.Values{{}, {"token": {""}}, {"token": {strings.Repeat("0", 64)}}} {
		resp, err := r.client(true).PostForm("http://"+hostname.Portal+"/retry", form)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden || len(r.server.Passthrough()) != 1 {
			t.Errorf("a form with %v: %s", form, resp.Status)
		}
	}
	if r.pinned(t, app, &tls.Config{RootCAs: r.ca.Pool()}, nil) {
		t.Error("the host does not pass any more")
	}
}

// A page that is not cleaned because of what the request says, or because the proxy is busy, is one of several that a
// cache may hold for its address.
func TestVaryNamesWhatWasLookedAt(t *testing.T) {
	t.Parallel()
	g := newGateway(t, func(o *pipeline.Options) { o.Limits.Held = 300 << 10 })
	u := g.origin("127.0.1.2", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/large" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<p>" + strings.Repeat("large ", 100_000)))
			return
		}
		articles(w, r)
	})
	for _, tc := range []struct{ path, field, value, outcome string }{
		{"/x", "X-Requested-With", "XMLHttpRequest", "passed; reason=fragment"},
		{"/x", "Sec-Fetch-Dest", "empty", "passed; reason=fragment"},
		{"/x", "Winnow-Mode", "off", "passed; reason=mode-off"},
		{"/large", "X-Other", "1", "passed; reason=busy"},
		{"/x", "X-Other", "1", "cleaned;"},
	} {
		resp, _ := get(t, g.clientFrom("127.0.0.2"), u+tc.path, tc.field, tc.value, "Accept", "text/html")
		if got := resp.Header.Get("Winnow"); !strings.HasPrefix(got, tc.outcome) {
			t.Errorf("%v: Winnow %q", tc, got)
		}
		vary := strings.ToLower(strings.Join(resp.Header["Vary"], ", "))
		for _, name := range []string{"winnow-mode", "accept", "accept-encoding", "sec-fetch-dest", "x-requested-with"} {
			if !strings.Contains(", "+vary+", ", ", "+name+", ") {
				t.Errorf("%v: Vary is %q: no %s", tc, vary, name)
			}
		}
	}
}

// Where the origin names no charset, nor does the proxy: its guess would take the place of the browser's, which knows
// more (the page's language, the parent frame, what the user chose).
func TestNoCharsetIsWrittenIn(t *testing.T) {
	t.Parallel()
	bytes := "<title>\xd1\xfa\xe5\xf8\xfc</title>" + strings.Replace(article("\xd1\xfa\xe5\xf8\xfc"), "<!DOCTYPE html>", "", 1)
	for _, contentType := range []string{"text/html", "text/html; charset=", "TEXT/HTML;charset=windows-1252", "application/xhtml+xml"} {
		g := newGateway(t, nil)
		u := g.origin("127.0.1.2", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = w.Write([]byte(bytes))
		})
		for _, mode := range []string{"remove", "tag"} {
			for range 3 {
				resp, body := get(t, g.clientFrom("127.0.0.2"), u+"/", "Accept", "text/html", "Winnow-Mode", mode)
				if got := resp.Header.Get("Content-Type"); got != contentType {
					t.Errorf("%s, %s: Content-Type %q, Winnow %q", contentType, mode, got, resp.Header.Get("Winnow"))
				}
				if !strings.Contains(body, "\xd1\xfa\xe5\xf8\xfc") {
					t.Errorf("%s, %s: the bytes are others", contentType, mode)
				}
			}
		}
	}
}
