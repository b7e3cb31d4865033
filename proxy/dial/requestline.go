package dial

import (
	"net/http"
	"net/url"
	"strings"
)

// exactPath makes the transport send path and query as they stand in target, the client's request line: a proxy must
// not modify them (RFC 9110 §7.7), and net/url writes some characters differently. The rewriter keeps out itself, whose
// URL stays readable. To an upstream proxy, absolute, the host goes before the path.
func exactPath(out *http.Request, target string, absolute bool) *http.Request {
	raw := target
	if i := strings.Index(target, "://"); i >= 0 && target[0] != '/' { // an origin's path may well hold another address
		raw = target[i+len("://"):]
		if i = strings.IndexAny(raw, "/?"); i < 0 {
			raw = ""
		} else {
			raw = raw[i:]
		}
	}
	path, _, _ := strings.Cut(raw, "?")
	server := out.Method == http.MethodOptions && (raw == "" || raw == "*") // RFC 9112 §3.2.4
	if !server && (path == out.URL.EscapedPath() || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//")) {
		return out
	}
	u := &url.URL{Scheme: out.URL.Scheme, Host: out.URL.Host, Opaque: path, RawQuery: out.URL.RawQuery,
		ForceQuery: out.URL.ForceQuery}
	switch {
	case server && absolute: // the last proxy on the way makes it "*"
		u.Opaque = "//" + u.Host
	case server:
		u.Opaque = "*"
	case absolute:
		u.Opaque = "//" + u.Host + path
	}
	sent := *out
	sent.URL = u
	return &sent
}
