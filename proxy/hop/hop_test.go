package hop

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// FuzzHopByHop checks that no hop-by-hop field is forwarded, whatever Connection names, and that nothing panics.
func FuzzHopByHop(f *testing.F) {
	f.Add("close, X-A", "X-A", "1.1 winnow-1")
	f.Add("Host,,\t, Content-Length", "Te", "1.1 a (b, c), 1.0 winnow-1")
	f.Fuzz(func(t *testing.T, connection, name, viaLine string) {
		h := http.Header{"Connection": {connection}, "Content-Length": {"1"}, "Via": {viaLine}, "Upgrade": {"h2c"}}
		h.Set(name, "x")
		v := Via{[]byte("key")}
		_ = Upgrade(h)
		StripRequest(h)
		for _, gone := range hopByHop() {
			if _, ok := h[gone]; ok && gone != "Te" {
				t.Fatalf("%s went on", gone)
			}
		}
		for _, named := range strings.Split(connection, ",") {
			named = strings.Trim(named, " \t")
			if _, ok := h[http.CanonicalHeaderKey(named)]; ok && named != "" && !keptDespiteConnection(named) &&
				!strings.EqualFold(named, "Te") && !strings.EqualFold(named, "User-Agent") {
				t.Fatalf("%q went on", named)
			}
		}
		if v.Add(h, 1, 1); !v.Seen(h) {
			t.Fatal("own entry not recognized")
		}
	})
}

// A field that a sender names in Connection goes, but for those whose removal changes what a message means.
func TestStrip(t *testing.T) {
	h := http.Header{"Connection": {"close, X-Hop", "x-other,, Content-Length, cookie"}, "X-Hop": {"1"}, "X-Other": {"1"}, "Keep-Alive": {"5"},
		"Content-Length": {"3"}, "Cookie": {"a=b"}, "X-End": {"1"}, "Transfer-Encoding": {"chunked"}, "Proxy-Authorization": {"Basic x"}}
	Strip(h)
	if want := (http.Header{"Content-Length": {"3"}, "Cookie": {"a=b"}, "X-End": {"1"}}); !maps.EqualFunc(h, want, slices.Equal) {
		t.Errorf("left: %v", h)
	}
}

// Trailers are asked for on behalf of a client that takes them, and net/http adds no name of its own.
func TestStripRequest(t *testing.T) {
	for te, want := range map[string]string{"": "", "gzip": "", "gzip, trailers": "trailers", "Trailers": "trailers"} {
		h := http.Header{"Te": {te}, "User-Agent": {"Lynx"}}
		StripRequest(h)
		if h.Get("Te") != want || h.Get("User-Agent") != "Lynx" {
			t.Errorf("TE %q: %v", te, h)
		}
	}
	h := http.Header{}
	StripRequest(h)
	if agent, ok := h["User-Agent"]; !ok || agent[0] != "" {
		t.Errorf("without a User-Agent: %v", h)
	}
}

// HTTP/3 would go past the proxy, and a type that the origin does not give is not guessed.
func TestStripResponse(t *testing.T) {
	h := http.Header{"Alt-Svc": {`h3=":443"`}, "Connection": {"X-Hop"}, "X-Hop": {"1"}}
	StripResponse(h)
	if value, ok := h["Content-Type"]; len(h) != 1 || !ok || value != nil {
		t.Errorf("left: %#v", h)
	}
	h = http.Header{"Content-Type": {"text/html"}}
	if StripResponse(h); h.Get("Content-Type") != "text/html" {
		t.Errorf("left: %v", h)
	}
}

// HTTP's own upgrades concern the hop alone.
func TestUpgrade(t *testing.T) {
	for _, tc := range []struct{ connection, upgrade, want string }{
		{"Upgrade", "websocket", "websocket"}, {"keep-alive, upgrade", " WebSocket ", "WebSocket"}, {"Upgrade", "", ""},
		{"", "websocket", ""}, {"close", "websocket", ""}, {"Upgrade", "h2c", ""}, {"Upgrade", "HTTP/2.0", ""}, {"Upgrade", "TLS/1.0", ""},
		{"Upgrade", "websocket, h2c", "websocket"}, {"Upgrade", "h2c,websocket", "websocket"}, {"Upgrade", "h2c, HTTP/2.0", ""},
	} {
		if got := Upgrade(http.Header{"Connection": {tc.connection}, "Upgrade": {tc.upgrade}}); got != tc.want {
			t.Errorf("Connection %q, Upgrade %q: %q", tc.connection, tc.upgrade, got)
		}
	}
}

// A proxy knows its own entry among others, in any of its forms, and no other's.
func TestVia(t *testing.T) {
	mine, other := NewVia(), NewVia()
	for name, add := range map[string]func(Via, http.Header){
		"added": func(v Via, h http.Header) { v.Add(h, 1, 1) }, "announced": func(v Via, h http.Header) { v.Announce(h, 2, 0) },
	} {
		h := http.Header{"Via": {"1.0 fred, 1.1 p.example.net (Apache/1.1)"}}
		add(other, h)
		if mine.Seen(h) {
			t.Errorf("%s: takes another's for its own: %v", name, h)
		}
		if add(mine, h); !mine.Seen(h) || !other.Seen(h) || len(h["Via"]) != 3 {
			t.Errorf("%s: %v", name, h)
		}
	}
	h := http.Header{}
	mine.Announce(h, 1, 0)
	if got := h.Get("Via"); !strings.HasPrefix(got, "1.0 winnow-") || !strings.HasSuffix(got, " (http://www.w3.org/ns/ct)") {
		t.Errorf("announced as %q", got)
	}
	own := mine.Pseudonym()
	if mine.Seen(http.Header{"Via": {own, "1.1 " + own + "00", "1.1 " + own[:len(own)-2], "1.1 winnow-", "1.1 winnow-" + strings.Repeat("0", 32)}}) {
		t.Error("takes part of an entry for its own")
	}
	if mine.Pseudonym() == own {
		t.Error("one pseudonym twice")
	}
}
