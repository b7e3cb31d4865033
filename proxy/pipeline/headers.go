package pipeline

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/winnow-proxy/winnow/model/page"
)

// resultHeader is the response field that says what was done.
const resultHeader = "Winnow"

// integrityFields lists the response fields that speak of the origin's bytes and no longer hold for others: checksums
// (RFC 1864, RFC 3230, RFC 9530 and its draft successor), ranges of them (RFC 9110 §14.3), and their use as a
// compression dictionary (RFC 9842).
func integrityFields() []string {
	return []string{"Content-Md5", "Digest", "Content-Digest", "Repr-Digest", "Unencoded-Digest", "Accept-Ranges",
		"Use-As-Dictionary"}
}

// varyFields lists the request fields that choose what a page is sent as (RFC 9110 §12.5.5): the mode, the form, the
// coding, and whether it is read as a document.
func varyFields() []string {
	return []string{modeHeader, keepHeader, dropHeader, linksHeader, chunksHeader, "Accept", "Accept-Encoding", "Sec-Fetch-Dest", upgradeField, "X-Requested-With"}
}

// passHeader marks a response as not cleaned; varies says that it might have been. All else stays as it was.
func passHeader(h http.Header, reason Reason, varies bool) {
	outcome := "passed; reason=" + string(reason)
	if reason == ReasonApplication || reason == ReasonNoContent {
		outcome += "; thin" // a shell that scripts fill, a page without text
	}
	h.Set(resultHeader, outcome)
	if varies {
		addVary(h, varyFields()...)
	}
}

// cleanedPage describes a cleaned page for its header.
type cleanedPage struct {
	variant variant
	// pages is below 0 where it is not told.
	pages   int
	removed float64
	estimate
	// contentType is empty where the origin's stays.
	contentType string
	coding      string
	size        int
	// unchanged says that the body is still the origin's, coding and all.
	unchanged bool
}

// cleanedHeader returns the header of a cleaned page, made from the origin's, which it leaves alone: so that a panic
// midway can't leave a header that is half ours.
func cleanedHeader(origin http.Header, c cleanedPage) http.Header {
	h := origin.Clone()
	h.Set(resultHeader, c.outcome())
	replaceTag(h, c.variant)
	addVary(h, varyFields()...)
	h.Del("Accept-Ranges")
	if c.unchanged {
		return h
	}
	dropIntegrity(h)
	if c.contentType != "" {
		h.Set("Content-Type", c.contentType)
	}
	h.Set("Content-Length", strconv.Itoa(c.size))
	h.Del("Content-Encoding")
	if c.coding != codingIdentity {
		h.Set("Content-Encoding", c.coding)
	}
	return h
}

// outcome is the value of the field Winnow.
func (c cleanedPage) outcome() string {
	pages := ""
	if c.pages >= 0 {
		pages = fmt.Sprintf("pages=%d; ", c.pages)
	}
	outcome := fmt.Sprintf("cleaned; mode=%s; %sremoved=%.2f", c.variant.mode, pages, c.removed)
	if c.confidence > 0 {
		outcome += fmt.Sprintf("; confidence=%.2f", c.confidence)
	}
	if c.thin {
		outcome += "; thin"
	}
	return outcome
}

// replaceTag puts our entity tag in the place of the origin's; a tag that can't be read goes, as it is not this page's.
func replaceTag(h http.Header, v variant) {
	t, ok := makeTag(h, v)
	h.Del("Etag")
	if ok {
		h.Set("Etag", t.String())
	}
}

func dropIntegrity(h http.Header) {
	for _, f := range integrityFields() {
		h.Del(f)
	}
}

// headHeader makes the header of an answer to HEAD say no more than holds for the cleaned answer to GET (RFC 9110
// §9.3.2 lets fields go that only making the content would tell). The tag stays where the model's generation is known.
func headHeader(h http.Header, v variant, known bool) {
	dropIntegrity(h)
	h.Del("Content-Length")
	h.Del("Content-Encoding")
	if v.mode.Extension() != page.ModeOff.Extension() { // no HTML
		h.Del("Content-Type")
	}
	if known {
		replaceTag(h, v)
	} else {
		h.Del("Etag")
	}
	addVary(h, varyFields()...)
}

// notModifiedHeader makes a 304 speak of the cleaned copy that the client has, whose fields a cache updates from it:
// the origin's description of its own bytes must not get there (RFC 9110 §15.4.5, RFC 9111 §3.2).
func notModifiedHeader(h http.Header, t ownTag) {
	dropIntegrity(h)
	for _, f := range []string{"Content-Type", "Content-Length", "Content-Encoding"} {
		h.Del(f)
	}
	h.Set("Etag", t.String())
	addVary(h, varyFields()...)
}
