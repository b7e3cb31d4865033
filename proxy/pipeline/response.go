package pipeline

import (
	"context"
	"net/http"

	"github.com/winnow-proxy/winnow/model"
)

// Response cleans resp in place (Header, Body, ContentLength), or changes only the field Winnow. It never fails: after
// any error, the client gets the origin's bytes and then the origin's read error. It does not buffer a response that is
// not cleaned. The caller must close resp.Body.
//
// Call it where the response leaves the transport (in a RoundTripper): goproxy removes the Content-Length of a response
// whose Body a response handler has replaced.
func (pl *Pipeline) Response(x *Job, resp *http.Response) {
	if x == nil || resp == nil {
		return
	}
	x.varies = x.mayVary(resp)
	if err := model.Contain(func() error { x.respond(resp); return nil }); err != nil {
		// The panic may come from a metric or the logger, so a second one is ignored.
		_ = model.Contain(func() error { x.pass(resp, ReasonPanic, err); return nil })
	}
}

// respond is Response without containment of panics.
func (x *Job) respond(resp *http.Response) {
	reason := x.reasonFor(resp)
	switch {
	case reason == "":
		x.clean(resp)
		return
	case reason == ReasonNotModified:
		if t, ours := x.conditionals.restore(resp.Header.Get("Etag")); ours {
			notModifiedHeader(resp.Header, t)
		}
	case reason == ReasonMethod && x.wouldClean(resp):
		gen, known := x.generation()
		headHeader(resp.Header, x.variant(gen, 0), known)
		resp.ContentLength = -1
	}
	if reason == ReasonType && x.smaller && x.shrink(resp) {
		return
	}
	if reason == ReasonType {
		x.watchScript(resp)
	}
	x.pass(resp, reason, nil)
}

// reasonFor returns why a response passes by its header, or an empty reason if it is cleaned.
func (x *Job) reasonFor(resp *http.Response) Reason {
	switch own := responseReason(resp); {
	case own == ReasonUpgrade, own == ReasonNotModified:
		return own
	case x.bypass:
		return ReasonBypass
	case x.method != http.MethodGet:
		return ReasonMethod
	case own != "":
		return own
	case x.reason != "":
		return x.reason
	case resp.Body == nil || resp.Body == http.NoBody || resp.ContentLength == 0:
		return ReasonEmpty
	}
	return ""
}

// mayVary reports whether another request, or the same request later, may get a cleaned response: caches must keep the
// two apart.
func (x *Job) mayVary(resp *http.Response) bool {
	get := x.method == http.MethodGet || x.method == http.MethodHead
	return get && !x.bypass && responseReason(resp) == ""
}

// wouldClean reports whether resp answers a HEAD whose GET would be cleaned, as far as headers say.
func (x *Job) wouldClean(resp *http.Response) bool {
	_, known := contentCodings(resp.Header)
	return x.method == http.MethodHead && x.reason == "" && !x.bypass && responseReason(resp) == "" &&
		known && resp.ContentLength <= int64(x.pl.opts.Limits.Body)
}

// pass marks resp as not cleaned and says why.
func (x *Job) pass(resp *http.Response, reason Reason, err error) {
	passHeader(resp.Header, reason, x.varies)
	if x.chooses && x.varies {
		addVary(resp.Header, "Cookie")
	}
	x.pl.count(x.ctx, "passed", reason)
	x.logPass(reason, err)
}

// count counts a response that can't change any more. A panic of the hook must not change it either.
func (pl *Pipeline) count(ctx context.Context, outcome string, reason Reason) {
	if pl.opts.Metrics.Count == nil {
		return
	}
	if err := model.Contain(func() error { pl.opts.Metrics.Count(outcome, reason); return nil }); err != nil {
		pl.opts.Logger.ErrorContext(ctx, "counting a response panicked", "panic", err)
	}
}

// clean takes the page in resp through all stages.
func (x *Job) clean(resp *http.Response) {
	x.work = &work{resp: resp}
	reason, err := x.run(x.pl.arrival)
	if reason == "" {
		reason, err = x.aside(x.pl.cleaning)
	}
	if reason != "" {
		x.pass(resp, reason, err)
		return
	}
	x.replace(resp)
}

// replace puts the cleaned page into resp.
func (x *Job) replace(resp *http.Response) {
	if !x.shared() && !x.framed {
		gen := x.cleaned.variant.gen
		x.pl.generations.Add(x.host, &gen)
	}
	if t, ok := x.conditionals.has(x.cleaned.variant, x.cleaned.content); ok {
		x.notModified(resp, x.cleaned, t)
		return
	}
	resp.Header = cleanedHeader(resp.Header, x.cleaned)
	if x.chooses {
		addVary(resp.Header, "Cookie")
	}
	if !x.cleaned.unchanged {
		x.replaceBody(resp, x.encoded)
	}
	x.pl.count(x.ctx, "cleaned", "")
	x.logClean(x.cleaned)
}

// notModified says that the copy which the client has, with the tag t, is still good: of the page that the origin has
// sent, the content is the same (RFC 9110 §15.4.5).
func (x *Job) notModified(resp *http.Response, c cleanedPage, t ownTag) {
	resp.Header.Set(resultHeader, c.outcome())
	notModifiedHeader(resp.Header, t)
	if x.chooses {
		addVary(resp.Header, "Cookie")
	}
	_ = resp.Body.Close() // read to its end
	resp.StatusCode, resp.Status = http.StatusNotModified, ""
	resp.Body, resp.ContentLength, resp.TransferEncoding, resp.Trailer = http.NoBody, 0, nil, nil
	x.pl.count(x.ctx, "cleaned", "")
	x.logClean(c)
}

func (x *Job) replaceBody(resp *http.Response, body []byte) {
	_ = resp.Body.Close() // read to its end
	resp.Body = newPageBody(body, x.account())
	resp.ContentLength, resp.TransferEncoding, resp.Uncompressed = int64(len(body)), nil, false
	for _, f := range integrityFields() {
		resp.Trailer.Del(f)
	}
	if len(resp.Trailer) > 0 { // HTTP/1.1 can send trailers after a chunked body only (RFC 9112 §7.1.2)
		resp.ContentLength = -1
		resp.Header.Del("Content-Length")
	}
}
