package proxy

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

func TestParseTarget(t *testing.T) {
	for raw, want := range map[string]target{
		"/": {path: "/"}, "//a/b?c": {path: "//a/b?c"}, "/http://b.test/": {path: "/http://b.test/"},
		"http://Site.test/x?y":      {"http", hostname.Authority{Host: "site.test", Port: "80"}, "/x?y"},
		"HTTPS://site.test:8443?y":  {"https", hostname.Authority{Host: "site.test", Port: "8443"}, "?y"},
		"http://user:p@site.test":   {"http", hostname.Authority{Host: "site.test", Port: "80"}, ""},
		"http://[2001:db8::1]:80//": {"http", hostname.Authority{Host: "2001:db8::1", Port: "80"}, "//"},
	} {
		if got, err := parseTarget(http.MethodGet, raw); err != nil || got != want {
			t.Errorf("%s: %+v, %v", raw, got, err)
		}
	}
	for _, raw := range []string{"", "x", "*", "?x", "http:x", "http:/x", "http:///x", "http:http://a.test//x", "ftp://a.test/", "http://",
		"/a b", "/a\tb", "/\x00", "/\x7f", "http://a b/", "http://a.test:0/", "http://a.test:x/", "https:/a.test", "://a.test/"} {
		if got, err := parseTarget(http.MethodGet, raw); err == nil {
			t.Errorf("%q became %+v", raw, got)
		}
	}
	if got, err := parseTarget(http.MethodOptions, "*"); err != nil || got != (target{path: "*"}) {
		t.Errorf("*: %+v, %v", got, err)
	}
}

// What is taken for a target names the host that net/url sees too, and nothing of it can end a request line.
func FuzzParseTarget(f *testing.F) {
	for _, seed := range []string{"/", "*", "http://a.test/b?c", "http:http://a.test//x", "https://u@[::1]:8443?x", "/a b", "http://a.test#@b.test/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := parseTarget(http.MethodGet, raw)
		if err != nil {
			return
		}
		if strings.ContainsAny(got.path, " \t\r\n\x00\x7f") || got.path != "" && got.path[0] != '/' && got.path[0] != '?' {
			t.Fatalf("%q: the path is %q", raw, got.path)
		}
		u, err := url.Parse(raw)
		if err != nil || got.isPath() { // net/http refuses the former
			return
		}
		if a, err := hostname.ParseAuthority(u.Host, hostname.DefaultPort(u.Scheme)); err != nil || a != got.authority {
			t.Fatalf("%q: %+v, where net/url sees %q", raw, got, u.Host)
		}
	})
}
