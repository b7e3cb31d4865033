// Package hop knows the fields that concern one hop of a message (RFC 9110 §7.6): it takes them off and keeps Via.
package hop

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// hopByHop are the fields that concern one connection only (RFC 9110 §7.6.1), with the proxy's own. Trailer is not
// among them: net/http announces trailers by itself.
func hopByHop() []string {
	return []string{"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Transfer-Encoding", "Upgrade",
		"Proxy-Authenticate", "Proxy-Authorization", "Proxy-Authentication-Info", "Http2-Settings"}
}

// Strip removes the fields that must not be forwarded, those that Connection names included.
func Strip(h http.Header) {
	for _, line := range h["Connection"] {
		for _, name := range strings.Split(line, ",") {
			if name = textproto.TrimString(name); name != "" && !keptDespiteConnection(name) {
				h.Del(name)
			}
		}
	}
	for _, name := range hopByHop() {
		h.Del(name)
	}
}

// keptDespiteConnection lists fields that a sender must not name in Connection, because taking them off changes what
// the message means or how long it is (RFC 9110 §7.6.1; a known way to smuggle).
func keptDespiteConnection(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Content-Length", "Host", "Via", "Authorization", "Cookie", "Cache-Control", "Content-Type", "Content-Encoding":
		return true
	}
	return false
}

// StripRequest makes the header of a client's request ready for the origin.
func StripRequest(h http.Header) {
	// TE: trailers is hop-by-hop too, but we forward trailers, so we may ask for them; gRPC insists.
	trailers := httpguts.HeaderValuesContainsToken(h["Te"], "trailers")
	Strip(h)
	if trailers {
		h.Set("Te", "trailers")
	}
	if _, ok := h["User-Agent"]; !ok {
		h.Set("User-Agent", "") // else http.Transport would speak up for itself
	}
}

// StripResponse makes the header of an origin's response ready for the client.
func StripResponse(h http.Header) {
	Strip(h)
	// HTTP/3 goes over UDP, past the proxy (RFC 7838): a client that followed would be neither cleaned nor guarded.
	h.Del("Alt-Svc")
	if _, ok := h["Content-Type"]; !ok {
		h["Content-Type"] = nil // keeps http.Server from guessing one
	}
}

// Upgrade returns the protocol that a message switches to, empty when it does not. HTTP's own upgrades (h2c) are
// about the hop alone and are not counted (RFC 9110 §7.8).
func Upgrade(h http.Header) string {
	if !httpguts.HeaderValuesContainsToken(h["Connection"], "upgrade") {
		return ""
	}
	up := textproto.TrimString(h.Get("Upgrade"))
	if lower := strings.ToLower(up); lower == "" || strings.HasPrefix(lower, "h2") || strings.HasPrefix(lower, "http/") ||
		strings.HasPrefix(lower, "tls/") {
		return ""
	}
	return up
}

// Via adds and recognizes the proxy's entries in Via (RFC 9110 §7.6.3).
type Via struct{ Pseudonym string }

// NewVia picks a pseudonym at random, so that proxies in a row can be told apart and none gives its host name away.
func NewVia() Via {
	var b [6]byte
	rand.Read(b[:]) // never fails
	return Via{"winnow-" + hex.EncodeToString(b[:])}
}

// Seen reports whether a message with header h has been here before.
func (v Via) Seen(h http.Header) bool {
	for _, line := range h["Via"] {
		for _, entry := range strings.Split(line, ",") {
			if f := strings.Fields(entry); len(f) >= 2 && f[1] == v.Pseudonym {
				return true
			}
		}
	}
	return false
}

// transforms is the comment by which a proxy tells origins that it may change content (W3C Guidelines for Web Content
// Transformation Proxies 1.0, §4.1.6.1). Who does not want that can answer with Cache-Control: no-transform.
const transforms = " (http://www.w3.org/ns/ct)"

// Announce appends an entry for a request that was received as HTTP/major.minor.
func (v Via) Announce(h http.Header, major, minor int) {
	h.Add("Via", strconv.Itoa(major)+"."+strconv.Itoa(minor)+" "+v.Pseudonym+transforms)
}

// Add appends an entry for a message that was received as HTTP/major.minor.
func (v Via) Add(h http.Header, major, minor int) {
	h.Add("Via", strconv.Itoa(major)+"."+strconv.Itoa(minor)+" "+v.Pseudonym)
}
