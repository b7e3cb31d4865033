// Package hop handles the fields that concern one hop of a message (RFC 9110 §7.6): it removes them and maintains Via.
package hop

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// hopByHop are the fields that concern one connection only (RFC 9110 §7.6.1), and the proxy's own. Trailer is not among
// them, because net/http announces trailers itself.
func hopByHop() []string {
	return []string{"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Transfer-Encoding", "Upgrade",
		"Proxy-Authenticate", "Proxy-Authorization", "Proxy-Authentication-Info", "Http2-Settings"}
}

// Strip removes the fields that must not be forwarded, including those that Connection names.
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

// keptDespiteConnection lists fields that a sender must not name in Connection, because their removal changes the
// meaning or the length of the message (RFC 9110 §7.6.1). Attackers use this for request smuggling.
func keptDespiteConnection(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Content-Length", "Host", "Via", "Authorization", "Cookie", "Cache-Control", "Content-Type", "Content-Encoding":
		return true
	}
	return false
}

// Request prepares the header of a client's request, which came as HTTP/major.minor, for the origin, and announces the
// proxy in it. It returns the protocols that the request may switch to.
func (v Via) Request(h http.Header, major, minor int) (upgrade string) {
	upgrade = Upgrade(h)
	StripRequest(h)
	v.Announce(h, major, minor)
	return upgrade
}

// Response prepares the header of an origin's response for the client, and adds the
// proxy to it. It returns the protocols that the response switches to.
func (v Via) Response(resp *http.Response) (upgrade string) {
	upgrade = Upgrade(resp.Header)
	StripResponse(resp.Header)
	v.Add(resp.Header, resp.ProtoMajor, resp.ProtoMinor)
	return upgrade
}

// StripRequest prepares the header of a client's request for the origin.
func StripRequest(h http.Header) {
	// TE: trailers is hop-by-hop too. The proxy forwards trailers, so it may request them; gRPC requires it.
	trailers := httpguts.HeaderValuesContainsToken(h["Te"], "trailers")
	Strip(h)
	if trailers {
		h.Set("Te", "trailers")
	}
	if _, ok := h["User-Agent"]; !ok {
		h.Set("User-Agent", "") // otherwise http.Transport adds its own
	}
}

// StripResponse prepares the header of an origin's response for the client.
func StripResponse(h http.Header) {
	Strip(h)
	// HTTP/3 uses UDP and bypasses the proxy (RFC 7838). Its pages would be neither cleaned nor guarded.
	h.Del("Alt-Svc")
	if _, ok := h["Content-Type"]; !ok {
		h["Content-Type"] = nil // keeps http.Server from guessing one
	}
}

// Upgrade returns the protocols that a message may switch to, or an empty string. It leaves out HTTP's own upgrades
// (h2c), which concern only the hop (RFC 9110 §7.8).
func Upgrade(h http.Header) string {
	if !httpguts.HeaderValuesContainsToken(h["Connection"], "upgrade") {
		return ""
	}
	var kept []string
	for up := range strings.SplitSeq(strings.Join(h["Upgrade"], ","), ",") {
		up = textproto.TrimString(up)
		if lower := strings.ToLower(up); lower != "" && !strings.HasPrefix(lower, "h2") && !strings.HasPrefix(lower, "http/") &&
			!strings.HasPrefix(lower, "tls/") {
			kept = append(kept, up)
		}
	}
	return strings.Join(kept, ", ")
}

// Via adds and recognizes the proxy's entries in Via (RFC 9110 §7.6.3). Each entry has a pseudonym of its own, so that
// neither sites nor their scripts know a proxy again by it: a random number and its keyed hash, by which the proxy
// itself knows it.
type Via struct{ key []byte }

// nonceSize and sumSize are the bytes of a pseudonym.
const nonceSize, sumSize = 6, 10

// NewVia chooses a random key.
func NewVia() Via {
	v := Via{make([]byte, sha256.Size)}
	rand.Read(v.key) // never fails
	return v
}

// prefix begins every pseudonym.
const prefix = "winnow-"

// Pseudonym returns a new pseudonym.
func (v Via) Pseudonym() string {
	var b [nonceSize]byte
	rand.Read(b[:])
	return prefix + hex.EncodeToString(v.sign(b[:]))
}

// sign appends its keyed hash to a nonce.
func (v Via) sign(nonce []byte) []byte {
	mac := hmac.New(sha256.New, v.key)
	mac.Write(nonce)
	return append(nonce[:nonceSize:nonceSize], mac.Sum(nil)[:sumSize]...)
}

// isOwn reports whether this proxy made a pseudonym.
func (v Via) isOwn(pseudonym string) bool {
	digits, ok := strings.CutPrefix(pseudonym, prefix)
	b, err := hex.DecodeString(digits)
	return ok && err == nil && len(b) == nonceSize+sumSize && hmac.Equal(b, v.sign(b[:nonceSize]))
}

// Seen reports whether a message with header h has passed this proxy before.
func (v Via) Seen(h http.Header) bool {
	for _, line := range h["Via"] {
		for _, entry := range strings.Split(line, ",") {
			if f := strings.Fields(entry); len(f) >= 2 && v.isOwn(f[1]) {
				return true
			}
		}
	}
	return false
}

// transforms is the comment that tells origins that a proxy may change content (W3C Guidelines for Web Content
// Transformation Proxies 1.0, §4.1.6.1). An origin can refuse that with Cache-Control: no-transform.
const transforms = " (http://www.w3.org/ns/ct)"

// Announce appends an entry with that comment for a request received as HTTP/major.minor.
func (v Via) Announce(h http.Header, major, minor int) {
	h.Add("Via", strconv.Itoa(major)+"."+strconv.Itoa(minor)+" "+v.Pseudonym()+transforms)
}

// Add appends an entry for a message received as HTTP/major.minor.
func (v Via) Add(h http.Header, major, minor int) {
	h.Add("Via", strconv.Itoa(major)+"."+strconv.Itoa(minor)+" "+v.Pseudonym())
}
