package pipeline

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"
)

// Response cleans resp in place (Header, Body, ContentLength), or leaves everything but the Winnow field as it was. It
// never fails: whatever goes wrong, the client gets the origin's bytes, and the origin's read error after them. A response
// that is not cleaned is not buffered. The caller must close resp.Body.
//
// Call it where the response leaves the transport (in a RoundTripper): goproxy drops Content-Length from a response
// whose Body a response handler has replaced.
func (rw *Pipeline) Response(x *Job, resp *http.Response) {
	if x == nil || resp == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			rw.passPanic(x, resp, v)
		}
	}()
	reason := x.reasonFor(resp)
	switch {
	case reason == "":
		rw.clean(x, resp)
		return
	case reason == ReasonNotModified:
		if t, ours := x.conditionals.restore(resp.Header.Get("Etag")); ours {
			notModifiedHeader(resp.Header, t)
		}
	case reason == ReasonMethod && rw.wouldClean(x, resp):
		gen, known := rw.generation(x.host)
		headHeader(resp.Header, rw.variant(x, gen), known)
		resp.ContentLength = -1
	}
	rw.pass(x, resp, reason, nil, nil)
}

// reasonFor returns why a response passes by its header, empty where it is to be cleaned.
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

// varies reports whether another request, or the same at another time, may get resp cleaned: caches must tell the two apart.
func (x *Job) varies(resp *http.Response) bool {
	get := x.method == http.MethodGet || x.method == http.MethodHead
	return get && !x.bypass && responseReason(resp) == ""
}

// wouldClean reports whether resp answers a HEAD whose GET would be cleaned, as far as headers tell.
func (rw *Pipeline) wouldClean(x *Job, resp *http.Response) bool {
	_, known := contentCodings(resp.Header)
	return x.method == http.MethodHead && x.reason == "" && !x.bypass && responseReason(resp) == "" &&
		known && resp.ContentLength <= int64(rw.opts.Limits.Body)
}

// pass marks resp as not cleaned and says why.
func (rw *Pipeline) pass(x *Job, resp *http.Response, reason Reason, err error, stack []byte) {
	passHeader(resp.Header, reason, x.varies(resp))
	rw.count(x.ctx, "passed", reason)
	rw.logPass(x.ctx, x, reason, err, stack)
}

// passPanic passes resp after a panic in this goroutine. What panicked may have been a metric or the logger, so that a
// second panic is let go.
func (rw *Pipeline) passPanic(x *Job, resp *http.Response, v any) {
	stack := debug.Stack()
	defer func() { _ = recover() }()
	rw.pass(x, resp, ReasonPanic, fmt.Errorf("%w: %v", errPanic, v), stack)
}

// count counts a response when nothing about it can change any more. A hook that panics must not change it either.
func (rw *Pipeline) count(ctx context.Context, outcome string, reason Reason) {
	if rw.opts.Metrics.Count == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			rw.opts.Logger.ErrorContext(ctx, "counting a response panicked", "panic", v)
		}
	}()
	rw.opts.Metrics.Count(outcome, reason)
}

// clean holds the body back and puts the cleaned page in its place.
func (rw *Pipeline) clean(x *Job, resp *http.Response) {
	codings, known := contentCodings(resp.Header)
	if !known {
		rw.pass(x, resp, ReasonCoding, fmt.Errorf("content coding %q", resp.Header["Content-Encoding"]), nil)
		return
	}
	if resp.ContentLength > int64(rw.opts.Limits.Body) {
		rw.pass(x, resp, ReasonTooLarge, fmt.Errorf("%d bytes declared", resp.ContentLength), nil)
		return
	}
	started := time.Now()
	body := hold(resp.Body, resp.ContentLength, int64(rw.opts.Limits.Body), rw.accountOf(x))
	resp.Body = body
	coded, reason, err := body.wait(x.ctx, rw.opts.Limits.Read)
	rw.timed("read", started)
	if reason == "" && len(coded) == 0 {
		reason = ReasonEmpty
	}
	if reason != "" {
		rw.pass(x, resp, reason, err, nil)
		return
	}
	r := rw.start(x.ctx, work{x, resp.Header.Clone(), coded, codings})
	if r.reason != "" {
		rw.pass(x, resp, r.reason, r.err, r.stack)
		return
	}
	rw.replace(x, resp, r)
}

// accountOf is the account of the client that asks.
func (rw *Pipeline) accountOf(x *Job) account { return account{rw.shares, x.client} }

// replace puts a cleaned page into resp.
func (rw *Pipeline) replace(x *Job, resp *http.Response, r result) {
	if !rw.opts.Shared {
		rw.generations.Add(x.host, r.page.variant.gen)
	}
	resp.Header = cleanedHeader(resp.Header, r.page)
	if !r.page.unchanged {
		rw.replaceBody(x, resp, r.body)
	}
	rw.count(x.ctx, "cleaned", "")
	rw.logClean(x.ctx, x, r.page)
}

func (rw *Pipeline) replaceBody(x *Job, resp *http.Response, body []byte) {
	_ = resp.Body.Close() // read to its end
	resp.Body = newPageBody(body, rw.accountOf(x))
	resp.ContentLength, resp.TransferEncoding, resp.Uncompressed = int64(len(body)), nil, false
	for _, f := range integrityFields() {
		resp.Trailer.Del(f)
	}
	if len(resp.Trailer) > 0 { // HTTP/1.1 can send trailers after a chunked body only (RFC 9112 §7.1.2)
		resp.ContentLength = -1
		resp.Header.Del("Content-Length")
	}
}
