package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/textproto"
	"time"

	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// errSwitched says that an origin switched protocols although nobody asked (RFC 9110 §7.8).
var errSwitched = errors.New("malformed answer: 101 to a request that asked for no other protocol")

// errStatus says that an answer has a status that is none (RFC 9110 §15), which can't be passed on.
var errStatus = errors.New("malformed answer: its status is not of three digits from 100")

// roundTrip sends req to its origin and returns the response for the client: cleaned, passed, or a page that explains
// what failed. It never returns nil.
func (s *Server) roundTrip(req *http.Request) *http.Response {
	x := exchange.Of(req.Context())
	ctx, cancel := context.WithCancelCause(req.Context())
	out := s.outgoing(ctx, req, x)
	job := s.opts.Pipeline.Request(out)
	if err := job.Err(); err != nil {
		cancel(nil)
		return s.failed(req, x, err)
	}
	finish := s.openDoors(x, req, out)
	start := time.Now()
	resp, err := s.dialer.RoundTrip(out, x.Origin, x.Target, interim(x, req))
	x.Settle()
	if err == nil && resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body.Close()
		err = errSwitched
	}
	if err == nil && (resp.StatusCode < 100 || resp.StatusCode > 999) {
		resp.Body.Close()
		err = errStatus
	}
	if err != nil {
		cancel(nil)
		return s.failed(req, x, err)
	}
	x.Upstream = time.Since(start)
	s.metrics.Upstream.Observe(x.Upstream.Seconds())
	s.via.Response(resp)
	s.opts.Vintage.Response(x, out, resp)
	x.WatchResponse(resp, s.opts.Limits.Stall, cancel)
	s.opts.Pipeline.Response(job, resp)
	for _, f := range finish {
		f(resp)
	}
	if len(resp.Trailer) > 0 && req.ProtoMajor == 1 && req.ProtoAtLeast(1, 1) {
		resp.Header.Del("Content-Length") // HTTP/1.1 has trailers after chunks only (RFC 9112 §7.1.2), HTTP/2 always
		resp.ContentLength = -1
	}
	return resp
}

// door is an extra on the way of a response: it sees a request before it is sent, and returns what it does with the
// response after it was cleaned or passed, nil for nothing.
type door func(x *exchange.Exchange, req, out *http.Request) (finish func(*http.Response))

// doors are all of them. The proxy works without any.
func (s *Server) doors() []door {
	return []door{
		s.feedDoor, // door: feeds
	}
}

// openDoors asks the doors about a request, and returns what they do with its response.
func (s *Server) openDoors(x *exchange.Exchange, req, out *http.Request) (finish []func(*http.Response)) {
	for _, open := range s.openable {
		if f := open(x, req, out); f != nil {
			finish = append(finish, f)
		}
	}
	return finish
}

// interim returns a function that passes interim responses to the client.
func interim(x *exchange.Exchange, req *http.Request) dial.Interim {
	return func(status int, h textproto.MIMEHeader) error { return x.Interim(req, status, http.Header(h)) }
}

// outgoing makes the request to the origin from the client's, whose hop-by-hop fields are gone. A browser names the
// addresses of redirects and of parts of pages like those that its user types.
func (s *Server) outgoing(ctx context.Context, req *http.Request, x *exchange.Exchange) *http.Request {
	out := req.Clone(dial.Named(ctx))
	out.RequestURI, out.Close = "", false
	out.Trailer = req.Trailer // the server fills this very map when it reaches the end of the body
	s.opts.Vintage.Request(x, out)
	if req.Body != nil && req.Body != http.NoBody {
		out.Body = x.WatchRequest(req.Body, s.opts.Limits.Stall)
	}
	return out
}

// failed returns the page that explains err. A client that has left gets no page. A client whose body stalled is still
// there, although net/http has cancelled its request.
func (s *Server) failed(req *http.Request, x *exchange.Exchange, err error) *http.Response {
	clientErr, _ := x.Errs()
	if req.Context().Err() != nil && !wire.TimedOut(clientErr) {
		panic(http.ErrAbortHandler)
	}
	if wrong := (*pipeline.FieldError)(nil); errors.As(err, &wrong) {
		f := failure.New(http.StatusBadRequest, failure.Request, "The request asks for something that does not exist",
			"The header field "+wrong.Field+" is for winnow, which can't obey it: "+wrong.Err.Error()+".")
		return s.pages.FieldResponse(req, f, wrong.Field, wrong.Value)
	}
	f := failure.Classify(req.URL.Hostname(), err)
	if clientErr != nil && (errors.Is(err, clientErr) || errors.Is(err, context.Canceled)) {
		f = failure.New(http.StatusRequestTimeout, failure.Request, "The request did not arrive",
			"The body of the request broke off or stalled before it had been sent on.")
	}
	s.log.Info("request failed", "reason", f.Reason, "host", req.URL.Hostname(), "error", failure.Brief(err))
	return s.pages.Response(req, f)
}
