package proxy

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/hop"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/portal"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// errOverdue says that a request has been going on for Limits.Total.
var errOverdue = errors.New("the request took longer than any may")

// serveOuter serves the proxy's own listener.
func (s *Server) serveOuter(w http.ResponseWriter, r *http.Request) {
	s.limitBody(w, r)
	// A request to the proxy as a web server is for the portal, which holds nothing secret; what sets a client up for
	// the proxy (PAC file, certificate) is fetched before there is a proxy to give a password to.
	if r.Method != http.MethodConnect && !r.URL.IsAbs() {
		if s.mayAsk(w, r, identity{client: access.ClientOf(access.ParseAddr(r.RemoteAddr))}) {
			s.engine.ServeHTTP(w, r)
		}
		return
	}
	if r = s.admit(w, r); r == nil {
		return
	}
	switch {
	case r.Method == http.MethodConnect:
		s.serveConnect(w, r)
	case r.URL.Scheme != "http" && r.URL.Scheme != "https":
		s.refuse(w, r, failure.New(http.StatusBadRequest, failure.Request, "This kind of address can't be fetched",
			"The proxy fetches http and https addresses only."))
	default:
		s.forward(w, r, r.Host)
	}
}

// serveIntercepted serves requests inside intercepted connections.
func (s *Server) serveIntercepted(w http.ResponseWriter, r *http.Request) {
	s.limitBody(w, r)
	target := targetOf(r.Context())
	if !s.stillMay(w, r) || !s.mayAsk(w, r, identityOf(r.Context())) { // who it is was asked at the CONNECT
		return
	}
	if r.Method == http.MethodConnect {
		s.refuse(w, r, failure.New(http.StatusNotImplemented, failure.Request, "No tunnel within the tunnel",
			"The proxy intercepts this connection and can't open another one inside it."))
		return
	}
	// goproxy would go wherever the inner Host points: past the access rules, and into another host's model.
	named, err := hostname.ParseAuthority(r.Host, target.Port)
	if r.Host != "" && (err != nil || named != target) {
		s.refuse(w, r, failure.New(http.StatusMisdirectedRequest, failure.Misdirected, "The request is for another site",
			"The connection was opened to "+target.String()+", but the request names "+r.Host+"."))
		return
	}
	r.URL.Scheme = "https"
	s.forward(w, r, target.String())
}

// limitBody limits the time for a body that is never asked for: net/http reads it before it sends the answer.
func (s *Server) limitBody(w http.ResponseWriter, r *http.Request) {
	if r.Body != http.NoBody {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.opts.Limits.Stall)) // as in trip.readDeadline
	}
}

// forward serves a request to host, through the rules that bind any proxy (RFC 9110 §7.6).
func (s *Server) forward(w http.ResponseWriter, r *http.Request, host string) {
	t := &trip{client: newClientWriter(w, r, s.buffers), target: r.RequestURI}
	scheme := r.URL.Scheme
	defer func() { s.metrics.Request(scheme, t.client.status) }()
	defer s.outlived()
	defer s.conclude(t, r)
	a, err := hostname.ParseAuthority(host, hostname.DefaultPort(scheme))
	if err != nil {
		s.refuse(t.client, r, failure.New(http.StatusBadRequest, failure.Request, "The address makes no sense",
			"The request does not name a host that could be asked."))
		return
	}
	if s.via.Seen(r.Header) {
		s.refuse(t.client, r, failure.New(http.StatusLoopDetected, failure.Loop, "The request goes round in circles",
			"This request has been through this proxy before: "+a.String()+" leads back to it."))
		return
	}
	if a.Host == portal.Host {
		s.portal.ServeHTTP(t.client, r)
		return
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), s.opts.Limits.Total, errOverdue)
	defer cancel()
	r = r.WithContext(withTrip(ctx, t))
	t.origin, r.URL.Host = a, a.In(scheme)
	r.Host = r.URL.Host
	if r.Header.Get("Max-Forwards") != "" && s.lastHop(t.client, r) {
		return
	}
	protocol := hop.Upgrade(r.Header)
	hop.StripRequest(r.Header) // goproxy would take off Connection, and with it the names of what else must go
	if protocol != "" && r.ProtoMajor == 1 {
		s.serveUpgrade(t, r, protocol)
		return
	}
	s.engine.ServeHTTP(t.client, r)
}

// conclude ends a request. A panic becomes an error page where nothing has been sent yet. A response that broke off
// breaks off for the client too: goproxy would end it as if it were complete.
func (s *Server) conclude(t *trip, r *http.Request) {
	p := recover()
	t.finish()
	if p == http.ErrAbortHandler { //nolint:errorlint // a panic value, never wrapped
		panic(p)
	}
	if p != nil {
		s.panicked("request", r.URL.Hostname(), p)
		if t.client.status != 0 || t.client.hijacked {
			panic(http.ErrAbortHandler)
		}
		s.refuse(t.client, r, mistake())
		return
	}
	if _, err := t.errs(); err != nil && !t.client.hijacked {
		s.log.Debug("response broke off", "host", r.URL.Hostname(), "error", err)
		panic(http.ErrAbortHandler)
	}
}
