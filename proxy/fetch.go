package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/hop"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// maxRedirects bounds the redirects on the way to one page.
const maxRedirects = 10

// Fetch sends a GET request to its origin for a program that does not use the proxy's listener. It returns the response
// as a client of the proxy would get it, cleaned or passed. It follows redirects and sends the same header fields each
// time; the Request of the response has the final URL. The rules of the proxy apply to each request: destinations,
// rates, concurrent requests of a client (who) and timeouts. Private addresses are reached where the context permits it
// by [dial.Named], and by a redirect only in its own place. The context of req also ends the reading of the body.
//
// The error is a [failure.Failure], a [pipeline.FieldError] if a header field has an unknown value, or the context's
// error. The caller closes the body.
func (s *Server) Fetch(req *http.Request, who access.Identity) (*http.Response, error) {
	for range maxRedirects + 1 {
		resp, err := s.fetchOnce(req, who)
		if err != nil || !redirects(resp) {
			return resp, err
		}
		resp.Body.Close()
		to, err := req.URL.Parse(resp.Header.Get("Location"))
		if err != nil {
			return nil, unfetchable()
		}
		req = req.Clone(dial.Follow(req.Context(), req.URL, to))
		req.URL, req.Host = to, ""
	}
	return nil, failure.New(http.StatusBadGateway, failure.Request, "The page redirects too often",
		fmt.Sprintf("It was redirected more than %d times.", maxRedirects))
}

// redirects reports whether a response names another URL at which its page is (RFC 9110 §15.4).
func redirects(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return resp.Header.Get("Location") != ""
	}
	return false
}

// fetchOnce is Fetch without redirects.
func (s *Server) fetchOnce(req *http.Request, who access.Identity) (*http.Response, error) {
	s = s.live.Load()
	u := *req.URL
	u.User, u.Fragment, u.RawFragment = nil, "", "" // none of the origin's business
	to, err := parseTarget(req.Method, u.String())
	if err == nil && to.isPath() {
		err = errTarget
	}
	if err != nil {
		return nil, unfetchable()
	}
	if _, ok := s.takeRate(who); !ok {
		return nil, tooFast()
	}
	client := who.Name()
	if !s.requests.Take(client, 1) {
		return nil, tooManyRequests()
	}
	ctx, cancel := context.WithTimeoutCause(named(req.Context(), who), s.opts.Limits.Total, errOverdue)
	release := sync.OnceFunc(func() { cancel(); s.requests.Give(client, 1) })
	out := req.Clone(ctx)
	u.Scheme, u.Host = to.scheme, to.authority.In(to.scheme)
	out.URL, out.Host = &u, ""
	resp, err := s.fetch(out, to)
	if err != nil {
		release()
		return nil, err
	}
	resp.Body = &fetchedBody{resp.Body, release}
	return resp, nil
}

// fetch sends req, which is ours, to its origin, and cleans what comes.
func (s *Server) fetch(req *http.Request, to target) (*http.Response, error) {
	s.via.Announce(req.Header, req.ProtoMajor, req.ProtoMinor)
	job := s.opts.Pipeline.Request(req)
	if err := job.Err(); err != nil {
		return nil, err
	}
	start := time.Now()
	resp, err := s.dialer.RoundTrip(req, to.authority, to.path, nil)
	if err == nil && resp.StatusCode == http.StatusSwitchingProtocols {
		err = errors.Join(errSwitched, resp.Body.Close())
	}
	switch {
	case err == nil:
	case req.Context().Err() != nil:
		return nil, context.Cause(req.Context())
	default:
		s.log.Debug("request failed", "host", to.authority.Host, "error", failure.Brief(err))
		f := failure.Classify(to.authority.Host, err)
		s.pages.Count(f)
		return nil, f
	}
	s.metrics.Upstream.Observe(time.Since(start).Seconds())
	hop.StripResponse(resp.Header)
	s.opts.Pipeline.Response(job, resp)
	s.metrics.Request(to.scheme, resp.StatusCode)
	return resp, nil
}

// Clean cleans a page that a program has at hand, as if resp had just come from the origin that req names. req's
// context bounds the work.
func (s *Server) Clean(req *http.Request, resp *http.Response, who access.Identity) error {
	return s.clean(req, resp, &exchange.Exchange{Identity: who, Name: who.Name()})
}

// Relay is Clean for an answer that another proxy has fetched, for who. That proxy may serve people who must not learn
// about each other, even where all who use winnow itself are one.
func (s *Server) Relay(req *http.Request, resp *http.Response, who access.Identity) error {
	return s.clean(req, resp, &exchange.Exchange{Identity: who, Name: who.Name(), Relayed: true})
}

func (s *Server) clean(req *http.Request, resp *http.Response, x *exchange.Exchange) error {
	who := x.Identity
	s = s.live.Load()
	if !x.Relayed || req.Method != http.MethodHead { // the header of an answer whose body is under way
		if _, ok := s.takeRate(who); !ok {
			return tooFast()
		}
		client := who.Name()
		if !s.requests.Take(client, 1) {
			return tooManyRequests()
		}
		defer s.requests.Give(client, 1)
	}
	job := s.opts.Pipeline.Request(req.WithContext(x.On(req.Context())))
	if err := job.Err(); err != nil {
		return err
	}
	s.opts.Pipeline.Response(job, resp)
	return nil
}

// Tag identifies what cleans pages now: it changes with settings, and as models learn. See [pipeline.Pipeline.Tag].
func (s *Server) Tag() string { return s.live.Load().opts.Pipeline.Tag() }

// Memory returns the account of who for what is in memory beside the pages themselves.
func (s *Server) Memory(who access.Identity) *pipeline.Memory {
	return s.live.Load().opts.Pipeline.Memory(who.Name())
}

// named puts into ctx in whose name a request comes.
func named(ctx context.Context, who access.Identity) context.Context {
	return (&exchange.Exchange{Identity: who, Name: who.Name()}).On(ctx)
}

// fetchedBody is the body of a response that was fetched for a program.
type fetchedBody struct {
	io.ReadCloser
	release func()
}

// Close implements io.Closer.
func (b *fetchedBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}

func tooManyRequests() failure.Failure {
	return failure.New(http.StatusTooManyRequests, failure.Rate, "Too many requests at once",
		"You have more requests under way than this proxy permits. Wait until some are answered.")
}

func unfetchable() failure.Failure {
	return failure.New(http.StatusBadRequest, failure.Request, "This kind of address can't be fetched",
		"The proxy fetches http and https addresses only, and this request does not name one.")
}
