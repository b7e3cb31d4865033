package proxy

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

// stripHopByHop removes the fields that must not be forwarded, those that Connection names included.
func stripHopByHop(h http.Header) {
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

// stripRequest makes the header of a client's request ready for the origin.
func stripRequest(h http.Header) {
	// TE: trailers is hop-by-hop too, but we forward trailers, so we may ask for them; gRPC insists.
	trailers := httpguts.HeaderValuesContainsToken(h["Te"], "trailers")
	stripHopByHop(h)
	if trailers {
		h.Set("Te", "trailers")
	}
	if _, ok := h["User-Agent"]; !ok {
		h.Set("User-Agent", "") // else http.Transport would speak up for itself
	}
}

// stripResponse makes the header of an origin's response ready for the client.
func stripResponse(h http.Header) {
	stripHopByHop(h)
	// HTTP/3 goes over UDP, past the proxy (RFC 7838): a client that followed would be neither cleaned nor guarded.
	h.Del("Alt-Svc")
	if _, ok := h["Content-Type"]; !ok {
		h["Content-Type"] = nil // keeps http.Server from guessing one
	}
}

// upgradeType returns the protocol that a message switches to, empty when it does not. HTTP's own upgrades (h2c) are
// about the hop alone and are not counted (RFC 9110 §7.8).
func upgradeType(h http.Header) string {
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

// via adds and recognizes the proxy's entries in Via (RFC 9110 §7.6.3).
type via struct{ pseudonym string }

// newVia picks a pseudonym at random, so that proxies in a row can be told apart and none gives its host name away.
func newVia() via {
	var b [6]byte
	rand.Read(b[:]) // never fails
	return via{"winnow-" + hex.EncodeToString(b[:])}
}

// seen reports whether a message with header h has been here before.
func (v via) seen(h http.Header) bool {
	for _, line := range h["Via"] {
		for _, entry := range strings.Split(line, ",") {
			if f := strings.Fields(entry); len(f) >= 2 && f[1] == v.pseudonym {
				return true
			}
		}
	}
	return false
}

// transforms is the comment by which a proxy tells origins that it may change content (W3C Guidelines for Web Content
// Transformation Proxies 1.0, §4.1.6.1). Who does not want that can answer with Cache-Control: no-transform.
const transforms = " (http://www.w3.org/ns/ct)"

// announce appends an entry for a request that was received as HTTP/major.minor.
func (v via) announce(h http.Header, major, minor int) {
	h.Add("Via", strconv.Itoa(major)+"."+strconv.Itoa(minor)+" "+v.pseudonym+transforms)
}

// add appends an entry for a message that was received as HTTP/major.minor.
func (v via) add(h http.Header, major, minor int) {
	h.Add("Via", strconv.Itoa(major)+"."+strconv.Itoa(minor)+" "+v.pseudonym)
}
