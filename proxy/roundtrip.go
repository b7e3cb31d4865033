package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"runtime/debug"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/hop"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// errSwitched says that an origin switched protocols although nobody asked (RFC 9110 §7.8).
var errSwitched = errors.New("malformed answer: 101 to a request that asked for no other protocol")

// roundTrip sends req to its origin and returns the response as the client shall get it: cleaned or passed, or a page
// that explains what failed. It never returns nil.
func (s *Server) roundTrip(req *http.Request) *http.Response {
	t := tripOf(req.Context())
	ctx, cancel := context.WithCancelCause(req.Context())
	out := s.outgoing(ctx, req, t)
	x := s.prepare(out)
	start := time.Now()
	resp, err := s.dialer.RoundTrip(out, t.origin, t.target)
	t.settle()
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
	hop.StripResponse(resp.Header)
	s.via.Add(resp.Header, resp.ProtoMajor, resp.ProtoMinor)
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
	s.via.Announce(out.Header, req.ProtoMajor, req.ProtoMinor)
	if req.Body != nil && req.Body != http.NoBody {
		out.Body = &requestBody{ReadCloser: req.Body, trip: t, stall: s.opts.Limits.Stall}
	}
	return out
}

// prepare lets the rewriter see the request. Without a rewriter that works, the response passes.
func (s *Server) prepare(out *http.Request) (x *pipeline.Exchange) {
	defer func() {
		if p := recover(); p != nil {
			x = nil
			out.Header.Del("Winnow-Mode")
			s.panicked("request", out.URL.Hostname(), p)
		}
	}()
	if s.opts.Rewriter == nil {
		return nil
	}
	return s.opts.Rewriter.Request(out)
}

// rewrite lets the rewriter clean the response. If it panics in spite of its own precautions, the response passes
// untouched as long as nothing of its body has been taken.
func (s *Server) rewrite(x *pipeline.Exchange, req *http.Request, resp *http.Response, body *responseBody) {
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
			*resp = *s.explain(req, failure.New(http.StatusInternalServerError, failure.Internal, "The proxy made a mistake",
				"Something went wrong while this page was being cleaned. Reload it, or ask for the original."))
			return
		}
		resp.Header.Set("Winnow", "passed; reason="+string(pipeline.ReasonPanic))
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
	if req.Context().Err() != nil && !wire.TimedOut(clientErr) {
		panic(http.ErrAbortHandler)
	}
	f := failure.Classify(req.URL.Hostname(), err)
	if clientErr != nil && (errors.Is(err, clientErr) || errors.Is(err, context.Canceled)) {
		f = failure.New(http.StatusRequestTimeout, failure.Request, "The request did not arrive",
			"The body of the request broke off or stalled before it had been sent on.")
	}
	s.log.Info("request failed", "reason", f.Reason, "host", req.URL.Hostname(), "error", brief(err))
	return s.explain(req, f)
}

// explain makes and counts an error page.
func (s *Server) explain(req *http.Request, f failure.Failure) *http.Response {
	s.metrics.Failures.WithLabelValues(string(f.Reason)).Inc()
	return s.pages.Response(req, f)
}

// refuse sends and counts an error page.
func (s *Server) refuse(w http.ResponseWriter, req *http.Request, f failure.Failure) {
	s.metrics.Failures.WithLabelValues(string(f.Reason)).Inc()
	s.pages.Write(w, req, f)
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
