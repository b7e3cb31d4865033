package vintage

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

const client = "192.0.2.7"

// newPolicy returns a policy for one client, and all hosts but bank.example.
func newPolicy(t testing.TB, hosts ...string) *Policy {
	t.Helper()
	p, err := New(Options{Clients: []string{client}, Hosts: hosts, Secret: []byte("secret"),
		Except: func(host string) bool { return host == "bank.example" },
		Now:    func() time.Time { return time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// asked returns the exchange of a request that came over plain HTTP.
func asked(p *Policy, from string) *exchange.Exchange {
	ip := netip.MustParseAddr(from)
	return &exchange.Exchange{Vintage: p.Serves(ip), Identity: access.Identity{Client: access.ClientOf(ip)}}
}

func request(t testing.TB, method, url string, fields ...string) *http.Request {
	t.Helper()
	req := httptest.NewRequest(method, url, nil)
	for i := 0; i+1 < len(fields); i += 2 {
		req.Header.Add(fields[i], fields[i+1])
	}
	return req
}

func response(status int, fields ...string) *http.Response {
	resp := &http.Response{StatusCode: status, Status: "as it came", Header: http.Header{}}
	for i := 0; i+1 < len(fields); i += 2 {
		resp.Header.Add(fields[i], fields[i+1])
	}
	return resp
}

// Nobody is served who is not named, and not everybody can be.
func TestClients(t *testing.T) {
	if p, err := New(Options{}); p != nil || err != nil || p.Serves(netip.MustParseAddr("127.0.0.1")) || p.Covers("a.example") {
		t.Errorf("without clients: %v, %v", p, err)
	}
	p, err := New(Options{Clients: []string{"192.0.2.0/28", "::1"}})
	if err != nil {
		t.Fatal(err)
	}
	for ip, want := range map[string]bool{"192.0.2.3": true, "::ffff:192.0.2.3": true, "::1": true, "192.0.2.16": false, "127.0.0.1": false, "::2": false} {
		if p.Serves(netip.MustParseAddr(ip)) != want {
			t.Errorf("%s is served: %v", ip, !want)
		}
	}
	for _, all := range []string{"0.0.0.0/0", "::/0"} {
		if _, err := New(Options{Clients: []string{all}}); !errors.Is(err, ErrEverybody) {
			t.Errorf("%s: %v", all, err)
		}
	}
	for _, o := range []Options{{Clients: []string{"home"}}, {Clients: []string{client}, Hosts: []string{"com"}}} {
		if _, err := New(o); err == nil {
			t.Errorf("%v is fine", o)
		}
	}
}

// Port 443 over plain HTTP stands for HTTPS, for the clients and hosts of the policy alone; where it does not, nothing
// is sent there in plain text for such a client.
func TestScheme(t *testing.T) {
	p := newPolicy(t, ".example")
	secure := &exchange.Exchange{Vintage: true, Within: &exchange.Connection{Scheme: "https"}}
	for _, c := range []struct {
		x            *exchange.Exchange
		scheme, host string
		port, want   string
		err          error
	}{
		{asked(p, client), "http", "a.example", "443", "https", nil},
		{asked(p, client), "http", "a.example", "80", "http", nil},
		{asked(p, client), "http", "a.example", "8443", "http", nil},
		{asked(p, client), "http", "bank.example", "443", "", ErrUncovered},
		{asked(p, client), "http", "a.test", "443", "", ErrUncovered},
		{asked(p, "192.0.2.8"), "http", "a.example", "443", "http", nil},
		{secure, "http", "a.example", "443", "http", nil},
	} {
		got, err := p.Scheme(c.x, c.scheme, hostname.Authority{Host: c.host, Port: c.port})
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s:%s: %q, %v", c.host, c.port, got, err)
		}
	}
	var nobody *Policy
	if got, err := nobody.Scheme(asked(p, client), "http", hostname.Authority{Host: "a.example", Port: "443"}); got != "http" || err != nil {
		t.Errorf("without a policy: %q, %v", got, err)
	}
}

// Addresses of HTTPS lead to where the client can follow; all others stay byte for byte.
func TestAddress(t *testing.T) {
	p := newPolicy(t)
	for in, want := range map[string]string{
		"https://a.example/x?y=%20#z":      "http://a.example:443/x?y=%20#z",
		"HTTPS://A.Example:443":            "http://a.example:443",
		"https://a.example?q":              "http://a.example:443?q",
		"https://[2001:db8::1]/":           "http://[2001:db8::1]:443/",
		"https://a.example:8443/":          "",
		"https://bank.example/":            "",
		"https://user:word@a.example/":     "",
		"http://a.example/":                "",
		"/relative":                        "",
		"//a.example/":                     "",
		"https:a.example":                  "",
		"https://":                         "",
		"https://a.example\\@b.example/":   "http://a.example:443\\@b.example/",
		"javascript:x='https://a.example'": "",
	} {
		if want == "" {
			want = in
		}
		if got := p.Address(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// What asks the client for HTTPS goes, and redirects are such as it knows; others get what the origin sent.
func TestResponse(t *testing.T) {
	p := newPolicy(t)
	fields := []string{"Location", "https://a.example/b", "Content-Location", "https://a.example/c", "Refresh", "3; URL='https://a.example/d'",
		"Strict-Transport-Security", "max-age=9", "Content-Security-Policy", "upgrade-insecure-requests; default-src 'self'; Block-All-Mixed-Content",
		"Content-Security-Policy", "upgrade-insecure-requests"}
	resp := response(http.StatusPermanentRedirect, fields...)
	p.Response(asked(p, client), request(t, "GET", "http://a.example/"), resp)
	want := http.Header{"Location": {"http://a.example:443/b"}, "Content-Location": {"http://a.example:443/c"},
		"Refresh": {"3; URL=http://a.example:443/d"}, "Content-Security-Policy": {"default-src 'self'"}}
	if diff := cmp.Diff(want, resp.Header); diff != "" || resp.StatusCode != http.StatusMovedPermanently {
		t.Errorf("%d: (-want +got)\n%s", resp.StatusCode, diff)
	}
	for _, other := range []*exchange.Exchange{asked(p, "192.0.2.8"), {Vintage: true, Within: &exchange.Connection{Scheme: "https"}}} {
		resp, same := response(308, append(fields, "Set-Cookie", "a=b; Secure")...), response(308, append(fields, "Set-Cookie", "a=b; Secure")...)
		p.Response(other, request(t, "GET", "https://a.example/"), resp)
		if diff := cmp.Diff(same.Header, resp.Header); diff != "" || resp.StatusCode != 308 || resp.Status != same.Status {
			t.Errorf("another client's: %d\n%s", resp.StatusCode, diff)
		}
	}
	for method, statuses := range map[string]map[int]int{"GET": {303: 302, 307: 302, 308: 301, 301: 301, 200: 200, 404: 404}, "POST": {303: 303, 307: 307, 308: 308}} {
		for in, out := range statuses {
			resp := response(in)
			if p.Response(asked(p, client), request(t, method, "http://a.example/"), resp); resp.StatusCode != out {
				t.Errorf("%s: %d becomes %d, want %d", method, in, resp.StatusCode, out)
			}
		}
	}
}

// The origin is told of the page before by its own address, and one without HTTPS nothing of one with it.
func TestReferer(t *testing.T) {
	p := newPolicy(t)
	for _, c := range []struct{ url, referer, want string }{
		{"https://a.example/", "http://a.example:443/b?c", "https://a.example/b?c"},
		{"https://a.example/", "http://b.example/", "http://b.example/"},
		{"http://a.example/", "http://a.example:443/b", ""},
		{"http://a.example/", "http://b.example/", "http://b.example/"},
		{"https://a.example/", "", ""},
	} {
		req := request(t, "GET", c.url, "Referer", c.referer, "Upgrade-Insecure-Requests", "1")
		if p.Request(asked(p, client), req); req.Header.Get("Referer") != c.want || req.Header.Get("Upgrade-Insecure-Requests") != "" {
			t.Errorf("%s after %q: %v", c.url, c.referer, req.Header)
		}
	}
}

// set has an origin set a cookie, and returns the pair that the client sends from then on, empty where it gets none,
// and the rest of the line.
func set(t testing.TB, p *Policy, url, cookie string) (pair, attributes string) {
	t.Helper()
	resp := response(200, "Set-Cookie", cookie)
	p.Response(asked(p, client), request(t, "GET", url), resp)
	pair, attributes, _ = strings.Cut(resp.Header.Get("Set-Cookie"), ";")
	return pair, strings.TrimSpace(attributes)
}

// A cookie for HTTPS alone reaches the hosts that it was set for, by HTTPS, and nobody else: no other host, no plain
// HTTP, no other client, no other name. On its way nobody can read it.
func TestSealedCookies(t *testing.T) {
	p := newPolicy(t)
	sent := func(from, url, pair string, fields ...string) string {
		method := "GET"
		if len(fields) > 0 {
			method = "POST"
		}
		req := request(t, method, url, append(fields, "Cookie", "a=1; "+pair+"; b=2")...)
		p.Request(asked(p, from), req)
		got, ok := strings.CutPrefix(req.Header.Get("Cookie"), "a=1; ")
		if got, ok2 := strings.CutSuffix(got, "b=2"); ok && ok2 {
			return strings.TrimSuffix(got, "; ")
		}
		t.Errorf("other cookies changed: %q", req.Header["Cookie"])
		return ""
	}
	own, attributes := set(t, p, "https://www.a.example/", `__Host-id="sëcret {1,2}"; Path=/; Secure; HttpOnly; SameSite=None; Partitioned; Max-Age=3600`)
	if attributes != "Path=/; HttpOnly; Max-Age=3600; Expires=Sun, 22-Nov-2026 10:00:00 GMT" || strings.Contains(own, "cret") {
		t.Errorf("the client gets %q; %q", own, attributes)
	}
	wide, attributes := set(t, p, "https://www.a.example/", "id=x; Domain=.a.example; secure; Expires=Sun, 22 Nov 2037 10:00:00 GMT")
	if attributes != "Domain=.a.example; Expires=Sun, 22 Nov 2037 10:00:00 GMT" {
		t.Errorf("the client gets %q", attributes)
	}
	renamed := strings.Replace(wide, sealedPrefix+"id", sealedPrefix+"admin", 1)
	for _, c := range []struct {
		what, from, url, pair, want string
		fields                      []string
	}{
		{"its host", client, "https://www.a.example/", own, `__Host-id="sëcret {1,2}"`, nil},
		{"a host below", client, "https://x.www.a.example/", own, "", nil},
		{"its host without HTTPS", client, "http://www.a.example/", own, "", nil},
		{"another client", "192.0.2.8", "https://www.a.example/", own, "", nil},
		{"its domain", client, "https://a.example/", wide, "id=x", nil},
		{"below its domain", client, "https://shop.a.example/", wide, "id=x", nil},
		{"beside its domain", client, "https://aa.example/", wide, "", nil},
		{"another name", client, "https://a.example/", renamed, "", nil},
		{"cut off", client, "https://a.example/", wide[:len(wide)-4], "", nil},
		{"made up", client, "https://a.example/", sealedPrefix + "id=x", "", nil},
		{"a form of its own", client, "https://a.example/", wide, "id=x", []string{"Referer", "http://www.a.example:443/f"}},
		{"another site's form", client, "https://a.example/", wide, "", []string{"Referer", "http://evil.test:443/f"}},
		{"a form without HTTPS", client, "https://a.example/", wide, "", []string{"Referer", "http://a.example/f"}},
		{"a form from nowhere", client, "https://a.example/", wide, "", []string{"X-Other", "x"}},
	} {
		if got := sent(c.from, c.url, c.pair, c.fields...); got != c.want {
			t.Errorf("%s: the origin gets %q, want %q", c.what, got, c.want)
		}
	}
	other, err := New(Options{Clients: []string{client}, Secret: []byte("other")})
	if err != nil {
		t.Fatal(err)
	}
	req := request(t, "GET", "https://a.example/", "Cookie", wide)
	if other.Request(asked(other, client), req); req.Header["Cookie"] != nil {
		t.Errorf("another winnow opens it: %q", req.Header["Cookie"])
	}
}

// Cookies that no browser would take for HTTPS alone are not set, and the client's other cookies are the origin's.
func TestCookiesThatAreNotSet(t *testing.T) {
	p := newPolicy(t)
	for _, c := range []struct{ what, url, cookie string }{
		{"without HTTPS", "http://a.example/", "id=x; Secure"},
		{"for another domain", "https://a.example/", "id=x; Domain=b.example; Secure"},
		{"for a domain below", "https://a.example/", "id=x; Domain=www.a.example; Secure"},
		{"for a public suffix", "https://a.co.uk/", "id=x; Domain=co.uk; Secure"},
		{"for part of an address", "https://192.0.2.1/", "id=x; Domain=0.2.1; Secure"},
		{"without a name", "https://a.example/", "=x; Secure"},
		{"too long", "https://a.example/", "id=" + strings.Repeat("x", 4000) + "; Secure"},
		{"as if it were sealed", "https://a.example/", sealedPrefix + "id=x; Secure"},
		{"as if it were sealed, for all", "http://a.example/", sealedPrefix + "id=x"},
	} {
		if pair, _ := set(t, p, c.url, c.cookie); pair != "" {
			t.Errorf("%s: %q", c.what, pair)
		}
	}
	const plain = "id = x ; Path=/; SameSite=Lax;; odd"
	resp := response(200, "Set-Cookie", plain, "Set-Cookie", "b=y; Secure", "Set-Cookie", "c=z")
	p.Response(asked(p, client), request(t, "GET", "https://a.example/"), resp)
	if lines := resp.Header["Set-Cookie"]; len(lines) != 3 || lines[0] != plain || lines[2] != "c=z" {
		t.Errorf("%q", lines)
	}
}

// FuzzCookies: whatever an origin sets, and a client sends, a sealed cookie comes back as it was set or not at all, and
// none goes out under its sealed name.
func FuzzCookies(f *testing.F) {
	f.Add("id=x; Domain=.a.example; Secure", "a=1; b=2", "www.a.example")
	f.Add("id=; ;secure", sealedPrefix+"id=x;"+sealedPrefix, "a.example")
	p := newPolicy(f)
	f.Fuzz(func(t *testing.T, cookie, others, host string) {
		host, err := hostname.Canonical(host)
		if err != nil || hostname.IsIP(host) {
			return
		}
		pair, _ := set(t, p, "https://www.a.example/", cookie)
		req := request(t, "GET", "https://www.a.example/", "Cookie", others, "Cookie", pair)
		req.URL.Host = host
		p.Request(asked(p, client), req)
		sent := strings.Join(req.Header["Cookie"], "; ")
		for part := range strings.SplitSeq(sent, ";") {
			if strings.HasPrefix(strings.TrimSpace(part), sealedPrefix) {
				t.Fatalf("%q goes on", sent)
			}
		}
		own, _, _ := strings.Cut(cookie, ";")
		name, value, _ := strings.Cut(own, "=")
		opened := strings.TrimSpace(name) + "=" + strings.TrimSpace(value)
		sealed := strings.HasPrefix(pair, sealedPrefix)
		if inside := host == "www.a.example"; sealed && inside && !slices.Contains(req.Header["Cookie"], opened) {
			t.Errorf("%q came back as %q", cookie, sent)
		} else if within := inScope(host, ".a.example"); sealed && !within && strings.Contains(sent, opened) && !strings.Contains(others, opened) {
			t.Errorf("%q goes to %s", cookie, host)
		}
	})
}

// FuzzAddress: an address stays, or becomes the same at port 443 of a host that is covered.
func FuzzAddress(f *testing.F) {
	f.Add("https://a.example/x")
	f.Add("hTTps://bank.example:443?")
	p := newPolicy(f)
	f.Fuzz(func(t *testing.T, in string) {
		out := p.Address(in)
		if out == in {
			return
		}
		rest, ok := strings.CutPrefix(out, "http://")
		authority, tail := cutAuthority(rest)
		a, err := hostname.ParseAuthority(authority, "80")
		if !ok || err != nil || a.Port != "443" || a.Host == "bank.example" || !strings.HasSuffix(in, tail) {
			t.Errorf("%q became %q", in, out)
		}
	})
}
