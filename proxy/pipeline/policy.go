package pipeline

import (
	"net/http"
	"strings"
)

// The policy decides by headers alone which responses are cleaned: complete 200 answers to GET that somebody reads as
// documents. Everything else passes.

// requestReason returns why the answer to a request must pass, or an empty reason if it may be cleaned. Method, mode
// and host have rules of their own.
func requestReason(h requestHeader) Reason {
	switch {
	case asksForUpgrade(h.Header):
		return ReasonUpgrade
	case hasDirective(h.Header, "no-transform"):
		return ReasonNoTransform
	case asksForFragment(h.Header), h.prefersData():
		return ReasonFragment
	}
	return ""
}

// asksForUpgrade reports whether a client asks for another protocol. It ignores h2c: clients offer it with ordinary
// requests, and a page that is the answer is a page.
func asksForUpgrade(h http.Header) bool {
	for p := range eachElement(h["Upgrade"]) {
		if !strings.EqualFold(p, "h2c") {
			return true
		}
	}
	return false
}

// asksForFragment reports whether a script or a subresource makes the request: browsers say so by Fetch Metadata, older
// script libraries by X-Requested-With.
func asksForFragment(h http.Header) bool {
	switch strings.ToLower(h.Get("Sec-Fetch-Dest")) {
	case "", "document", "iframe", "frame", "embed", "object", "fencedframe":
		return strings.EqualFold(h.Get("X-Requested-With"), "XMLHttpRequest")
	}
	return true
}

// prefersData reports whether a program asks for data of its own kind, and takes a page as the second choice: pip reads
// package indexes in JSON or else in HTML (PEP 691), and looks for every link of them.
func (h requestHeader) prefersData() bool {
	var data, document float64
	for _, w := range h.accept {
		switch {
		case strings.HasPrefix(w.name, "application/vnd."):
			data = max(data, w.q)
		case isDocumentType(w.name):
			document = max(document, w.q)
		}
	}
	return document > 0 && data > document
}

// asksForDocument reports whether a person or scraper wants a page to read. It is stricter than not asksForFragment,
// which also holds for a client that sends neither field.
func (h requestHeader) asksForDocument() bool {
	if dest := h.Get("Sec-Fetch-Dest"); dest != "" {
		return !asksForFragment(h.Header)
	}
	for _, w := range h.accept {
		if isDocumentType(w.name) && w.q > 0 {
			return true
		}
	}
	return false
}

// responseReason returns why a response passes by its own header.
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

// isDocumentType reports whether a media type (lower case) is one of pages.
func isDocumentType(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// mediaTypeOf returns the media type of a response in lower case, without parameters, which may be malformed. It is
// empty if the response has none or more than one: browsers guess then, and winnow should not.
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

// mayLearn reports whether a cleaned page may be learned: never a page that requires authentication (RFC 9111 §3.5),
// and with LearnPublic no page that the origin withholds from shared caches.
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
