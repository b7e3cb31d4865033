package main

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

func TestUpstreamProxyFlags(t *testing.T) {
	auth := filepath.Join(t.TempDir(), "auth")
	if err := os.WriteFile(auth, []byte("gate:a:b/ö\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := environment{"HTTP_PROXY": "plain.test:3128", "https_proxy": "socks5://secure.test", "HTTPS_PROXY": "http://ignored.test",
		"NO_PROXY": "near.test"}
	text := func(u *url.URL) string {
		if u == nil {
			return ""
		}
		return u.String()
	}
	for _, tc := range []struct {
		flags                upstreamFlags
		env                  environment
		http, https, noProxy string
	}{
		{upstreamFlags{}, env, "", "", ""}, // the environment is for those who ask for it
		{upstreamFlags{UpstreamProxy: "https://u:p@one.test"}, env, "https://u:p@one.test", "https://u:p@one.test", ""},
		{upstreamFlags{UpstreamProxy: "env"}, env, "http://plain.test:3128", "socks5://secure.test", "near.test"},
		{upstreamFlags{UpstreamProxy: "env", NoProxy: []string{"a.test", "10.0.0.0/8"}}, env, "http://plain.test:3128",
			"socks5://secure.test", "a.test,10.0.0.0/8,near.test"},
		{upstreamFlags{UpstreamProxy: "env"}, nil, "", "", ""},
		{upstreamFlags{UpstreamProxy: "one.test:1", UpstreamProxyAuth: auth}, nil, "http://gate:a%3Ab%2F%C3%B6@one.test:1",
			"http://gate:a%3Ab%2F%C3%B6@one.test:1", ""},
		{upstreamFlags{UpstreamProxy: "env", UpstreamProxyAuth: auth}, environment{"HTTPS_PROXY": "socks5://s.test"}, "",
			"socks5://gate:a%3Ab%2F%C3%B6@s.test", ""},
	} {
		p, err := tc.flags.proxies(tc.env)
		if err != nil || text(p.HTTP) != tc.http || text(p.HTTPS) != tc.https || p.NoProxy != tc.noProxy {
			t.Errorf("%+v: %s, %s, %q, %v", tc.flags, p.HTTP, p.HTTPS, p.NoProxy, err)
		}
	}
	for _, bad := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		if _, err := (upstreamFlags{UpstreamProxy: "env"}).proxies(environment{bad: "ftp://x"}); err == nil {
			t.Errorf("$%s was ignored: origins would be reached directly without a word", bad)
		}
	}
}
