package dial

import (
	"net/http"
	"net/url"
	"strings"
)

// exactPath makes the transport send path and query as they stand in target, the client's: a proxy must not modify them
// (RFC 9110 §7.7), and net/url writes some characters differently. target begins with "/" or "?", or is empty or "*".
// out itself is not changed, because the pipeline reads its URL. absolute puts the host before the path, which is what
// an upstream proxy wants.
func exactPath(out *http.Request, target string, absolute bool) *http.Request {
	path, _, _ := strings.Cut(target, "?")
	server := out.Method == http.MethodOptions && (target == "" || target == "*") // RFC 9112 §3.2.4
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
