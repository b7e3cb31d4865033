package pipeline

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
)

// resultHeader is the response field that reports the result.
const resultHeader = "Winnow"

// tokensHeader is the response field that says how many tokens Markdown has, as other services for agents name it.
const tokensHeader = "X-Markdown-Tokens"

// integrityFields lists the response fields that describe the origin's bytes and do not hold for others: checksums (RFC
// 1864, RFC 3230, RFC 9530 and its draft successor), ranges (RFC 9110 §14.3), and use as a compression dictionary (RFC
// 9842).
func integrityFields() []string {
	return []string{"Content-Md5", "Digest", "Content-Digest", "Repr-Digest", "Unencoded-Digest", "Accept-Ranges",
		"Use-As-Dictionary"}
}

// VaryFields lists the request fields that select the representation of a page (RFC 9110 §12.5.5): mode, form, coding,
// and whether a document is requested.
func VaryFields() []string {
	return []string{modeHeader, keepHeader, dropHeader, linksHeader, chunksHeader, "Accept", "Accept-Encoding", "Sec-Fetch-Dest", upgradeField, "X-Requested-With"}
}

// varyFieldsOf is VaryFields, with what selects the representation of a page in one mode alone.
func varyFieldsOf(mode page.Mode) []string {
	if mode == page.ModeVintage {
		return append(VaryFields(), charsetField)
	}
	return VaryFields()
}

// passedOutcome begins the result of a response that passed.
const passedOutcome = "passed; reason="

// passHeader marks a response as not cleaned; varies says that another request may get it cleaned. It changes nothing
// else.
func passHeader(h http.Header, reason Reason, varies bool) {
	outcome := passedOutcome + string(reason)
	if reason == ReasonApplication || reason == ReasonNoContent {
		outcome += "; thin" // a shell that scripts fill, a page without text
	}
	h.Set(resultHeader, outcome)
	if varies {
		addVary(h, VaryFields()...)
	}
}

// PassedReason returns why a response passed unchanged, as its header says, or false if it does not.
func PassedReason(h http.Header) (Reason, bool) {
	reason, passed := strings.CutPrefix(h.Get(resultHeader), passedOutcome)
	reason, _, _ = strings.Cut(reason, ";")
	return Reason(reason), passed
}

// cleanedPage describes a cleaned page for its header.
type cleanedPage struct {
	variant variant
	// pages is negative if the answer must not name it.
	pages   int
	removed float64
	estimate
	// contentType is empty if the origin's stays.
	contentType string
	coding      string
	size        int
	// content is a hash of the content, 0 in modes that have more than that.
	content digest
	// tokens is the size of Markdown for language models, 0 in other modes.
	tokens int
	// unchanged says that the body is the origin's, including its coding.
	unchanged bool
}

// cleanedHeader returns the header of a cleaned page. It works on a copy of the origin's header, so that a panic can't
// leave a half-changed one.
func cleanedHeader(origin http.Header, c cleanedPage) http.Header {
	h := origin.Clone()
	h.Set(resultHeader, c.outcome())
	replaceTag(h, c.variant, c.content)
	addVary(h, varyFieldsOf(c.variant.mode)...)
	h.Del("Accept-Ranges")
	if c.unchanged {
		return h
	}
	dropIntegrity(h)
	if c.contentType != "" {
		h.Set("Content-Type", c.contentType)
	}
	if c.tokens > 0 {
		h.Set(tokensHeader, strconv.Itoa(c.tokens))
	}
	h.Set("Content-Length", strconv.Itoa(c.size))
	h.Del("Content-Encoding")
	if c.coding != codingIdentity {
		h.Set("Content-Encoding", c.coding)
	}
	return h
}

// outcome returns the value of the field Winnow.
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

// replaceTag replaces the origin's entity tag by ours. It removes a malformed tag, because that is not this page's.
func replaceTag(h http.Header, v variant, content digest) {
	t, ok := makeTag(h, v, content)
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

// headHeader limits the header of an answer to HEAD to what also holds for the cleaned answer to GET (RFC 9110 §9.3.2
// permits leaving out fields that only generating the content would tell). The tag stays where it is known without the
// content: in modes whose tag has neither a hash of it nor what scripts look for, if the model's generation is known.
func headHeader(h http.Header, v variant, known bool) {
	dropIntegrity(h)
	h.Del("Content-Length")
	h.Del("Content-Encoding")
	if v.mode.Extension() != page.ModeOff.Extension() { // no HTML
		h.Del("Content-Type")
	}
	if known && !followsContent(v.mode) && v.mode != page.ModeAuto {
		replaceTag(h, v, 0)
	} else {
		h.Del("Etag")
	}
	addVary(h, varyFieldsOf(v.mode)...)
}

// notModifiedHeader makes a 304 describe the cleaned copy of the client. A cache updates its copy's fields from the
// 304, so the origin's description of its own bytes must go (RFC 9110 §15.4.5, RFC 9111 §3.2).
func notModifiedHeader(h http.Header, t ownTag) {
	dropIntegrity(h)
	for _, f := range []string{"Content-Type", "Content-Length", "Content-Encoding"} {
		h.Del(f)
	}
	h.Set("Etag", t.String())
	addVary(h, varyFieldsOf(t.variant.mode)...)
}
