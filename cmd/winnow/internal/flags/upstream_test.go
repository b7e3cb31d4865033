package flags

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
)

func TestUpstreamProxyFlags(t *testing.T) {
	auth := filepath.Join(t.TempDir(), "auth")
	if err := os.WriteFile(auth, []byte("gate:a:b/ö\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := console.Environment{"HTTP_PROXY": "plain.test:3128", "https_proxy": "socks5://secure.test", "HTTPS_PROXY": "http://ignored.test",
		"NO_PROXY": "near.test"}
	text := func(u *url.URL) string {
		if u == nil {
			return ""
		}
		return u.String()
	}
	for _, tc := range []struct {
		flags                Upstream
		env                  console.Environment
		http, https, noProxy string
	}{
		{Upstream{}, env, "", "", ""}, // the environment is for those who ask for it
		{Upstream{UpstreamProxy: "https://u:p@one.test"}, env, "https://u:p@one.test", "https://u:p@one.test", ""},
		{Upstream{UpstreamProxy: "env"}, env, "http://plain.test:3128", "socks5://secure.test", "near.test"},
		{Upstream{UpstreamProxy: "env", NoProxy: []string{"a.test", "10.0.0.0/8"}}, env, "http://plain.test:3128",
			"socks5://secure.test", "a.test,10.0.0.0/8,near.test"},
		{Upstream{UpstreamProxy: "env"}, nil, "", "", ""},
		{Upstream{UpstreamProxy: "one.test:1", UpstreamProxyAuth: auth}, nil, "http://gate:a%3Ab%2F%C3%B6@one.test:1",
			"http://gate:a%3Ab%2F%C3%B6@one.test:1", ""},
		{Upstream{UpstreamProxy: "env", UpstreamProxyAuth: auth}, console.Environment{"HTTPS_PROXY": "socks5://s.test"}, "",
			"socks5://gate:a%3Ab%2F%C3%B6@s.test", ""},
	} {
		p, err := tc.flags.Proxies(tc.env)
		if err != nil || text(p.HTTP) != tc.http || text(p.HTTPS) != tc.https || p.NoProxy != tc.noProxy {
			t.Errorf("%+v: %s, %s, %q, %v", tc.flags, p.HTTP, p.HTTPS, p.NoProxy, err)
		}
	}
	for _, bad := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		if _, err := (Upstream{UpstreamProxy: "env"}).Proxies(console.Environment{bad: "ftp://x"}); err == nil {
			t.Errorf("$%s was ignored: origins would be reached directly without a word", bad)
		}
	}
}
