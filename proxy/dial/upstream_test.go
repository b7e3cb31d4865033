package dial

import (
	"net/url"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

func TestRoutes(t *testing.T) {
	far := &url.URL{Scheme: "http", Host: "far.test:3128"}
	routes, err := newRoutes(Proxies{HTTP: far, HTTPS: far, NoProxy: "near.test, .near.example,10.0.0.0/8,odd.test:81"})
	if err != nil {
		t.Fatal(err)
	}
	for target, direct := range map[string]bool{
		"near.test:80": true, "www.near.test:443": true, "near.example:80": false, "a.near.example:80": true, "10.1.2.3:80": true,
		"11.1.2.3:80": false, "odd.test:81": true, "odd.test:80": false, "localhost:80": true, "127.0.0.1:80": true, "[::1]:80": true,
	} {
		a, err := hostname.ParseAuthority(target, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, scheme := range []string{"http", "https"} {
			if got := routes.to(scheme, a); (got.via == nil) != direct || got.absolute != (scheme == "http" && !direct) {
				t.Errorf("%s %s: %+v, direct should be %v", scheme, target, got, direct)
			}
		}
	}
}

func TestParseUpstreamProxy(t *testing.T) {
	for s, want := range map[string]string{
		"proxy.test": "http://proxy.test", "proxy.test:3128": "http://proxy.test:3128", "http://a:b@proxy.test/": "http://a:b@proxy.test/",
		"https://[::1]:8443": "https://[::1]:8443", "socks5h://u:p@10.0.0.1": "socks5://u:p@10.0.0.1", "u:p%40@h:1": "http://u:p%40@h:1",
	} {
		if u, err := ParseProxy(s); err != nil || u.String() != want {
			t.Errorf("%q: %v, %v", s, u, err)
		}
	}
	for _, s := range []string{"", "foo", "off", "http://", "ftp://h", "socks4://h", "http://h:x", "http://h:70000", "http://h/path", "http://h?q",
		"http://h#f", "http://secret:hunter2@", "socks5://:hunter2@h", "socks5://u:hunter2" + strings.Repeat("x", 255) + "@h",
		"http://u:hunter2%zz@h", "http://u:hunter2@ h"} {
		u, err := ParseProxy(s)
		if err == nil {
			t.Errorf("%q was taken as %v", s, u)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}

// FuzzParseUpstreamProxy checks that what is taken as an upstream proxy can be dialled and is read the same again.
func FuzzParseUpstreamProxy(f *testing.F) {
	for _, s := range []string{"proxy.test:3128", "https://u:p@[::1]:1/", "socks5h://a%40b:c@h", "http://", "x://y", "http://h:0", "u:p@h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := ParseProxy(s)
		if err != nil {
			return
		}
		up, err := newUpstream(u)
		if err != nil || up.addr.Port == "0" || up.addr.Host == "" {
			t.Fatalf("%q: %+v, %v", s, up, err)
		}
		again, err := ParseProxy(u.String())
		if err != nil || again.String() != u.String() {
			t.Fatalf("%q: %s, then %v, %v", s, u, again, err)
		}
	})
}
