package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"runtime/debug"
	"strings"
	"time"
)

// errSwitched says that an origin switched protocols although nobody asked (RFC 9110 §7.8).
var errSwitched = errors.New("malformed answer: 101 to a request that asked for no other protocol")

// roundTrip sends req to its origin and returns the response as the client shall get it: cleaned or passed, or a page
// that explains what failed. It never returns nil.
func (s *Server) roundTrip(req *http.Request) *http.Response {
	t := tripOf(req.Context())
	ctx, cancel := context.WithCancelCause(req.Context())
	way := s.routes.to(req.URL.Scheme, t.origin)
	out := s.outgoing(withRoute(ctx, way), req, t)
	x := s.prepare(out)
	start := time.Now()
	resp, err := s.transport.RoundTrip(exactPath(out, t.target, way.absolute))
	t.settle()
	if err == nil && way.absolute && resp.StatusCode == http.StatusProxyAuthRequired { // not the client's credentials
		resp.Body.Close()
		err = &upstreamError{faultAuth, errors.New("answer: " + resp.Status)}
	}
	if err == nil && resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body.Close()
		err = errSwitched
	}
	if err != nil {
		cancel(nil)
		return s.failed(req, t, err)
	}
	took := time.Since(start)
	recordOf(req.Context()).upstream = took
	s.metrics.Upstream.Observe(took.Seconds())
	stripResponse(resp.Header)
	s.via.add(resp.Header, resp.ProtoMajor, resp.ProtoMinor)
	s.rewrite(x, req, resp, t.watchBody(resp, s.opts.Limits.Stall, cancel))
	if len(resp.Trailer) > 0 && req.ProtoMajor == 1 && req.ProtoAtLeast(1, 1) {
		resp.Header.Del("Content-Length") // HTTP/1.1 has trailers after chunks only (RFC 9112 §7.1.2), HTTP/2 always
		resp.ContentLength = -1
	}
	return resp
}

// outgoing makes the request to the origin from the client's, whose hop-by-hop fields are gone.
func (s *Server) outgoing(ctx context.Context, req *http.Request, t *trip) *http.Request {
	trace := &httptrace.ClientTrace{Got1xxResponse: func(status int, h textproto.MIMEHeader) error {
		return t.interim(req, status, http.Header(h))
	}}
	out := req.Clone(httptrace.WithClientTrace(ctx, trace))
	out.RequestURI, out.Close = "", false
	out.Trailer = req.Trailer // the server fills this very map when it reaches the end of the body
	s.via.announce(out.Header, req.ProtoMajor, req.ProtoMinor)
	if req.Body != nil && req.Body != http.NoBody {
		out.Body = &requestBody{ReadCloser: req.Body, trip: t, stall: s.opts.Limits.Stall}
	}
	return out
}

// exactPath makes the transport send path and query as they stand in target, the client's request line: a proxy must
// not modify them (RFC 9110 §7.7), and net/url writes some characters differently. The rewriter keeps out itself, whose
// URL stays readable. To an upstream proxy, absolute, the host goes before the path.
func exactPath(out *http.Request, target string, absolute bool) *http.Request {
	raw := target
	if i := strings.Index(target, "://"); i >= 0 && target[0] != '/' { // an origin's path may well hold another address
		raw = target[i+len("://"):]
		if i = strings.IndexAny(raw, "/?"); i < 0 {
			raw = ""
		} else {
			raw = raw[i:]
		}
	}
	path, _, _ := strings.Cut(raw, "?")
	server := out.Method == http.MethodOptions && (raw == "" || raw == "*") // RFC 9112 §3.2.4
	if !server && (path == out.URL.EscapedPath() || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//")) {
		return out
	}
	u := &url.URL{Scheme: out.URL.Scheme, Host: out.URL.Host, Opaque: path, RawQuery: out.URL.RawQuery,
		ForceQuery: out.URL.ForceQuery}
	switch {
	case server && absolute: // the last proxy on the way makes it "*"
		u.Opaque = "//" + u.Host
	case server:
		u.Opaque = "*"
	case absolute:
		u.Opaque = "//" + u.Host + path
	}
	sent := *out
	sent.URL = u
	return &sent
}

// prepare lets the rewriter see the request. Without a rewriter that works, the response passes.
func (s *Server) prepare(out *http.Request) (x *Exchange) {
	defer func() {
		if p := recover(); p != nil {
			x = nil
			out.Header.Del("Winnow-Mode")
			s.panicked("request", out.URL.Hostname(), p)
		}
	}()
	return s.opts.Rewriter.Request(out)
}

// rewrite lets the rewriter clean the response. If it panics in spite of its own precautions, the response passes
// untouched as long as nothing of its body has been taken.
func (s *Server) rewrite(x *Exchange, req *http.Request, resp *http.Response, body *responseBody) {
	if x == nil {
		return
	}
	before := *resp
	before.Header = resp.Header.Clone()
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		s.panicked("response", req.URL.Hostname(), p)
		*resp = before
		if body.touched.Load() {
			_ = body.Close() // nothing more is wanted of it
			*resp = *s.explain(req, failure{http.StatusInternalServerError, FailInternal, "The proxy made a mistake",
				"Something went wrong while this page was being cleaned. Reload it, or ask for the original."})
			return
		}
		resp.Header.Set("Winnow", "passed; reason="+string(ReasonPanic))
	}()
	s.opts.Rewriter.Response(x, resp)
}

func (s *Server) panicked(where, host string, p any) {
	s.metrics.Panics.WithLabelValues(where).Inc()
	s.log.Error("panic contained", "where", where, "host", host, "panic", p, "stack", string(debug.Stack()))
}

// failed returns the page that explains err. When the client has left, nobody is there to read it. A client whose body
// stalled is still there, although net/http has cancelled its request.
func (s *Server) failed(req *http.Request, t *trip, err error) *http.Response {
	clientErr, _ := t.errs()
	if req.Context().Err() != nil && !timedOut(clientErr) {
		panic(http.ErrAbortHandler)
	}
	f := classify(req.URL.Hostname(), err)
	if clientErr != nil && (errors.Is(err, clientErr) || errors.Is(err, context.Canceled)) {
		f = failure{http.StatusRequestTimeout, FailRequest, "The request did not arrive",
			"The body of the request broke off or stalled before it had been sent on."}
	}
	s.log.Info("request failed", "reason", f.reason, "host", req.URL.Hostname(), "error", brief(err))
	return s.explain(req, f)
}

// explain makes and counts an error page.
func (s *Server) explain(req *http.Request, f failure) *http.Response {
	s.metrics.Failures.WithLabelValues(string(f.reason)).Inc()
	return s.pages.response(req, f)
}

// refuse sends and counts an error page.
func (s *Server) refuse(w http.ResponseWriter, req *http.Request, f failure) {
	s.metrics.Failures.WithLabelValues(string(f.reason)).Inc()
	s.pages.write(w, req, f)
}

// brief is the text of err for the log, where some errors quote all that the origin sent.
func brief(err error) string {
	const most = 200
	text := err.Error()
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
