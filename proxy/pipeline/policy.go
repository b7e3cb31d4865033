package pipeline

import (
	"net/http"
	"strings"
)

// The policy says, on headers alone, which responses are cleaned: complete 200 answers to GET that are read as
// documents. Everything else passes.

// requestReason returns why the answer to a request should pass whatever it is, empty where it may be cleaned. Method,
// mode and host have their own rules.
func requestReason(h http.Header) Reason {
	switch {
	case asksForUpgrade(h):
		return ReasonUpgrade
	case hasDirective(h, "no-transform"):
		return ReasonNoTransform
	case asksForFragment(h):
		return ReasonFragment
	}
	return ""
}

// asksForUpgrade reports whether a client asks for another protocol. h2c is none to care about: clients offer it with
// ordinary requests, and a page that is answered is a page.
func asksForUpgrade(h http.Header) bool {
	for _, p := range elements(h["Upgrade"]) {
		if !strings.EqualFold(p, "h2c") {
			return true
		}
	}
	return false
}

// asksForFragment reports whether a script or a subresource asks: Fetch Metadata says so in browsers, X-Requested-With
// in older script libraries.
func asksForFragment(h http.Header) bool {
	switch strings.ToLower(h.Get("Sec-Fetch-Dest")) {
	case "", "document", "iframe", "frame", "embed", "object", "fencedframe":
		return strings.EqualFold(h.Get("X-Requested-With"), "XMLHttpRequest")
	}
	return true
}

// asksForDocument reports whether a person or scraper asks for a page to read: stronger than not asksForFragment, which
// a client that sends neither field passes as well.
func asksForDocument(h http.Header) bool {
	if dest := h.Get("Sec-Fetch-Dest"); dest != "" {
		return !asksForFragment(h)
	}
	for _, w := range parseWeighted(h["Accept"]) {
		if isDocumentType(w.name) && w.q > 0 {
			return true
		}
	}
	return false
}

// responseReason returns why a response passes, by its own header.
func responseReason(resp *http.Response) Reason {
	h := resp.Header
	mediaType := mediaTypeOf(h)
	switch {
	case resp.StatusCode == http.StatusSwitchingProtocols:
		return ReasonUpgrade
	case resp.StatusCode == http.StatusNotModified:
		return ReasonNotModified
	case resp.StatusCode == http.StatusPartialContent:
		return ReasonRange
	case resp.StatusCode != http.StatusOK:
		return ReasonStatus
	case mediaType == "text/event-stream":
		return ReasonEventStream
	case !isDocumentType(mediaType):
		return ReasonType
	case h.Get("Content-Range") != "":
		return ReasonRange
	case hasDirective(h, "no-transform"):
		return ReasonNoTransform
	case isAttachment(h):
		return ReasonAttachment
	}
	return ""
}

// isDocumentType reports whether pages are written in the media type (lower case).
func isDocumentType(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// mediaTypeOf returns the media type of a response in lower case, without parameters, which may well be malformed. It
// is empty where the response claims none, or more than one: browsers then guess, and we had better not.
func mediaTypeOf(h http.Header) string {
	var found string
	for i, line := range h["Content-Type"] {
		t, _, _ := strings.Cut(line, ";")
		t = strings.ToLower(strings.TrimSpace(t))
		if i > 0 && t != found {
			return ""
		}
		found = t
	}
	return found
}

func isAttachment(h http.Header) bool {
	disposition, _, _ := strings.Cut(h.Get("Content-Disposition"), ";")
	return strings.EqualFold(strings.TrimSpace(disposition), "attachment")
}

// mayLearn reports whether a cleaned page may be learned: never what is shown only to one who authenticates (RFC 9111
// §3.5); with LearnPublic nothing that the origin keeps from shared caches.
func mayLearn(policy LearnPolicy, authorized bool, response http.Header) bool {
	switch policy {
	case LearnAll:
		return !authorized
	case LearnPublic:
		private := response.Get("Set-Cookie") != "" || hasDirective(response, "private") ||
			hasDirective(response, "no-store")
		return !authorized && !private
	}
	return false
}
