package proxy

import (
	"errors"
	"net/http"
	"strings"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// target is a request line's target, or :path, taken apart (RFC 9112 §3.2, RFC 9113 §8.3.1). Only this code reads it,
// so that the rules check what is sent.
type target struct {
	// scheme and authority are those of absolute-form, and empty in the other forms.
	scheme    string
	authority hostname.Authority
	// path is the path with its query, as it came: it begins with "/" or "?", or is empty or "*".
	path string
}

var (
	errTarget = errors.New("the target is neither a path nor an http or https address")
	errBytes  = errors.New("the target has spaces or control characters in it")
)

// parseTarget reads the target of a request other than CONNECT. Everything but the three forms is an error; net/url
// accepts more ("http:x") and sends it unchanged.
func parseTarget(method, raw string) (target, error) {
	for i := range len(raw) { // net/http lets spaces through in HTTP/2, which would end the request line of HTTP/1.1
		if raw[i] <= ' ' || raw[i] == 0x7f {
			return target{}, errBytes
		}
	}
	if strings.HasPrefix(raw, "/") || raw == "*" && method == http.MethodOptions {
		return target{path: raw}, nil
	}
	scheme, rest, absolute := strings.Cut(raw, "://")
	scheme = strings.ToLower(scheme)
	if !absolute || scheme != "http" && scheme != "https" {
		return target{}, errTarget
	}
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	if strings.HasPrefix(path, "#") { // no fragment belongs here
		return target{}, errTarget
	}
	// A user and password are none of the origin's business (RFC 9110 §4.2.4).
	a, err := hostname.ParseAuthority(host[strings.LastIndexByte(host, '@')+1:], hostname.DefaultPort(scheme))
	return target{scheme: scheme, authority: a, path: path}, err
}

// isPath reports whether the target names no host: in origin-form and asterisk-form.
func (t target) isPath() bool { return t.scheme == "" }
