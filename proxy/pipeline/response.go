package pipeline

import (
	"context"
	"fmt"
	"net/http"
	"time"

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
	if err := model.Contain(func() error { pl.respond(x, resp); return nil }); err != nil {
		// The panic may come from a metric or the logger, so a second one is ignored.
		_ = model.Contain(func() error { pl.pass(x, resp, ReasonPanic, err); return nil })
	}
}

// respond is Response without containment of panics.
func (pl *Pipeline) respond(x *Job, resp *http.Response) {
	reason := x.reasonFor(resp)
	switch {
	case reason == "":
		pl.clean(x, resp)
		return
	case reason == ReasonNotModified:
		if t, ours := x.conditionals.restore(resp.Header.Get("Etag")); ours {
			notModifiedHeader(resp.Header, t)
		}
	case reason == ReasonMethod && pl.wouldClean(x, resp):
		gen, known := pl.generation(x)
		headHeader(resp.Header, pl.variant(x, gen), known)
		resp.ContentLength = -1
	}
	if reason == ReasonType && x.smaller && pl.shrink(x, resp) {
		return
	}
	if reason == ReasonType {
		pl.watchScript(x, resp)
	}
	pl.pass(x, resp, reason, nil)
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
func (pl *Pipeline) wouldClean(x *Job, resp *http.Response) bool {
	_, known := contentCodings(resp.Header)
	return x.method == http.MethodHead && x.reason == "" && !x.bypass && responseReason(resp) == "" &&
		known && resp.ContentLength <= int64(pl.opts.Limits.Body)
}

// pass marks resp as not cleaned and says why.
func (pl *Pipeline) pass(x *Job, resp *http.Response, reason Reason, err error) {
	passHeader(resp.Header, reason, x.varies)
	if x.chooses && x.varies {
		addVary(resp.Header, "Cookie")
	}
	pl.count(x.ctx, "passed", reason)
	pl.logPass(x.ctx, x, reason, err)
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

// clean buffers the body and replaces it by the cleaned page.
func (pl *Pipeline) clean(x *Job, resp *http.Response) {
	codings, known := contentCodings(resp.Header)
	if !known {
		pl.pass(x, resp, ReasonCoding, fmt.Errorf("content coding %q", resp.Header["Content-Encoding"]))
		return
	}
	if resp.ContentLength > int64(pl.opts.Limits.Body) {
		pl.pass(x, resp, ReasonTooLarge, fmt.Errorf("%d bytes declared", resp.ContentLength))
		return
	}
	started := time.Now()
	body := hold(resp.Body, resp.ContentLength, int64(pl.opts.Limits.Body), pl.accountOf(x))
	resp.Body = body
	coded, reason, err := body.wait(x.ctx, pl.opts.Limits.Read)
	pl.timed("read", started)
	if reason == "" && len(coded) == 0 {
		reason = ReasonEmpty
	}
	if reason != "" {
		pl.pass(x, resp, reason, err)
		return
	}
	r := pl.start(x.ctx, work{x: x, header: resp.Header.Clone(), coded: coded, codings: codings})
	if r.reason != "" {
		pl.pass(x, resp, r.reason, r.err)
		return
	}
	pl.replace(x, resp, r)
}

// accountOf returns the account of the client.
func (pl *Pipeline) accountOf(x *Job) account { return account{pl.shares, x.client, !pl.shared(x)} }

// replace puts a cleaned page into resp.
func (pl *Pipeline) replace(x *Job, resp *http.Response, r result) {
	if !pl.shared(x) && !x.framed {
		gen := r.page.variant.gen
		pl.generations.Add(x.host, &gen)
	}
	if t, ok := x.conditionals.has(r.page.variant.mode, r.page.content); ok {
		pl.notModified(x, resp, r.page, t)
		return
	}
	resp.Header = cleanedHeader(resp.Header, r.page)
	if x.chooses {
		addVary(resp.Header, "Cookie")
	}
	if !r.page.unchanged {
		pl.replaceBody(x, resp, r.body)
	}
	pl.count(x.ctx, "cleaned", "")
	pl.logClean(x.ctx, x, r.page)
}

// notModified says that the copy which the client has, with the tag t, is still good: of the page that the origin has
// sent, the content is the same (RFC 9110 §15.4.5).
func (pl *Pipeline) notModified(x *Job, resp *http.Response, c cleanedPage, t ownTag) {
	resp.Header.Set(resultHeader, c.outcome())
	notModifiedHeader(resp.Header, t)
	if x.chooses {
		addVary(resp.Header, "Cookie")
	}
	_ = resp.Body.Close() // read to its end
	resp.StatusCode, resp.Status = http.StatusNotModified, ""
	resp.Body, resp.ContentLength, resp.TransferEncoding, resp.Trailer = http.NoBody, 0, nil, nil
	pl.count(x.ctx, "cleaned", "")
	pl.logClean(x.ctx, x, c)
}

func (pl *Pipeline) replaceBody(x *Job, resp *http.Response, body []byte) {
	_ = resp.Body.Close() // read to its end
	resp.Body = newPageBody(body, pl.accountOf(x))
	resp.ContentLength, resp.TransferEncoding, resp.Uncompressed = int64(len(body)), nil, false
	for _, f := range integrityFields() {
		resp.Trailer.Del(f)
	}
	if len(resp.Trailer) > 0 { // HTTP/1.1 can send trailers after a chunked body only (RFC 9112 §7.1.2)
		resp.ContentLength = -1
		resp.Header.Del("Content-Length")
	}
}
