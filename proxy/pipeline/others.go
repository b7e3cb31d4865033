package pipeline

import (
	"fmt"
	"net/http"
)

// ForbidsTransform reports whether Cache-Control forbids to change a message (RFC 9110 §7.7). It is, like the functions
// below, for who changes other answers than pages, such as feeds.
func ForbidsTransform(h http.Header) bool { return hasDirective(h, "no-transform") }

// LimitCodings limits Accept-Encoding, in a request to an origin, to codings that [Pipeline.Plain] undoes.
func LimitCodings(h http.Header) {
	h["Accept-Encoding"] = readAcceptEncoding(h).offer(h["Accept-Encoding"])
}

// Plain undoes the content codings of an answer's body. It fails for codings that it does not know, and for more than
// most bytes.
func (pl *Pipeline) Plain(h http.Header, coded []byte, most int64) ([]byte, error) {
	codings, known := contentCodings(h)
	if !known {
		return nil, fmt.Errorf("undo content coding %s: not known here", h.Get("Content-Encoding"))
	}
	return pl.decoder.open(coded, codings).upTo(most)
}

// ForgetBytes removes from an answer's header what speaks of the origin's bytes: coding, checksums, ranges, time.
func ForgetBytes(h http.Header) {
	h.Del("Content-Encoding")
	h.Del("Last-Modified")
	dropIntegrity(h)
}
