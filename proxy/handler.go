package proxy

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/site"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// errOverdue says that a request has been going on for Limits.Total.
var errOverdue = errors.New("the request took longer than any may")

// serveOuter serves the proxy's own listener.
func (s *Server) serveOuter(x *exchange.Exchange, r *http.Request) {
	// A request to the proxy as a web server is for the portal. It needs no password: the portal has no secrets, and
	// clients fetch PAC file and certificate before they know the proxy.
	if r.Method != http.MethodConnect && !r.URL.IsAbs() {
		x.Identity.Client = access.ClientOf(access.ParseAddr(r.RemoteAddr))
		if s.mayAsk(x, r) {
			s.engine.ServeHTTP(x, r)
		}
		return
	}
	if !s.admit(x, r) {
		return
	}
	if r.Method == http.MethodConnect {
		s.serveConnect(x, r)
		return
	}
	to, err := parseTarget(r.Method, r.RequestURI)
	if err != nil {
		s.refuseTarget(x, r, err)
		return
	}
	r.URL.Scheme = to.scheme
	s.forward(x, r, to.authority, to.path)
}

// refuseTarget answers a request whose target makes no sense.
func (s *Server) refuseTarget(x *exchange.Exchange, r *http.Request, err error) {
	s.log.Debug("request refused", "error", err)
	s.pages.Write(x, r, unfetchable())
}

// serveIntercepted serves requests inside the connections that CONNECT opened.
func (s *Server) serveIntercepted(x *exchange.Exchange, r *http.Request) {
	target := x.Within.Origin
	if !s.stillMay(x, r) || !s.mayAsk(x, r) { // the CONNECT was authenticated
		return
	}
	if r.Method == http.MethodConnect {
		s.pages.Write(x, r, failure.New(http.StatusNotImplemented, failure.Request, "No tunnel within the tunnel",
			"The proxy intercepts this connection and can't open another one inside it."))
		return
	}
	// goproxy would follow the inner Host: past the access rules, and into another host's model.
	named, err := hostname.ParseAuthority(r.Host, target.Port)
	if r.Host != "" && (err != nil || named != target) {
		s.pages.Write(x, r, failure.New(http.StatusMisdirectedRequest, failure.Misdirected, "The request is for another site",
			"The connection was opened to "+target.String()+", but the request names "+r.Host+"."))
		return
	}
	to, err := parseTarget(r.Method, r.RequestURI)
	if err == nil && !to.isPath() && (to.scheme != x.Within.Scheme || to.authority != target) {
		err = errTarget
	}
	if err != nil {
		s.refuseTarget(x, r, err)
		return
	}
	r.URL.Scheme = x.Within.Scheme
	s.forward(x, r, target, to.path)
}

// handle serves a request by the configuration that is in force when it comes.
func (l *shared) handle(serve func(*Server, *exchange.Exchange, *http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := l.live.Load()
		x, r := exchange.New(w, r, l.buffers)
		x.Stall = s.opts.Limits.Stall
		defer s.conclude(x, r)
		if r.Body != http.NoBody { // net/http reads a body that nobody asks for before it sends the answer
			x.ReadDeadline(s.opts.Limits.Stall)
		}
		serve(s, x, r)
	})
}

// conclude ends an exchange. A panic becomes an error page where nothing has been sent yet, else it closes the
// connection. A response that broke off breaks off for the client too: goproxy would end it as if it were complete.
func (s *Server) conclude(x *exchange.Exchange, r *http.Request) {
	p := recover()
	x.Finish()
	_, broken := x.Errs()
	abort := p == http.ErrAbortHandler || x.Taken() == nil && broken != nil //nolint:errorlint // a panic value, never wrapped
	switch {
	case abort && p == nil:
		s.log.Debug("response broke off", "host", r.URL.Hostname(), "error", broken)
	case p != nil && !abort:
		s.metrics.Panics.WithLabelValues("connection").Inc()
		s.log.Error("panic contained", "host", cmp.Or(r.URL.Hostname(), hostname.WithoutPort(r.Host)), "panic", p,
			"stack", string(debug.Stack()))
		abort = s.apologise(x, r)
	}
	s.outlived()
	if status := cmp.Or(x.Status(), x.End.Status); x.Scheme != "" && (x.Scheme != "connect" || x.Taken() == nil) {
		s.metrics.Request(x.Scheme, status)
	}
	if s.opts.Record != nil && !x.Unlogged {
		s.opts.Record(x.Entry(r))
	}
	if abort {
		panic(http.ErrAbortHandler)
	}
}

// apologise tells the client of a panic where that is still possible, and reports whether the answer has to break off.
func (s *Server) apologise(x *exchange.Exchange, r *http.Request) (abort bool) {
	switch {
	case x.Taken() != nil:
		x.Taken().Close()
	case x.Status() != 0:
		return true
	default:
		s.pages.Write(x, r, failure.New(http.StatusInternalServerError, failure.Internal, "The proxy made a mistake",
			"Something went wrong inside the proxy. Its log says what."))
	}
	return false
}

// serveConnect checks a CONNECT before its connection is taken over. Names are checked again once they are resolved,
// when the origin is dialled.
func (s *Server) serveConnect(x *exchange.Exchange, r *http.Request) {
	x.Scheme = "connect"
	a, err := hostname.ParseAuthority(r.Host, "")
	if err != nil {
		s.pages.Write(x, r, failure.New(http.StatusBadRequest, failure.Request, "The tunnel's target makes no sense",
			"CONNECT needs a host and a port."))
		return
	}
	if s.via.Seen(r.Header) {
		s.pages.Write(x, r, failure.New(http.StatusLoopDetected, failure.Loop, "The request goes round in circles",
			"This CONNECT has been through this proxy before."))
		return
	}
	if err := s.dialer.PermitTunnel(r.Context(), a); err != nil {
		s.pages.Write(x, r, failure.Classify(a.Host, err))
		return
	}
	x.Origin = a
	s.engine.ServeHTTP(x, r)
}

// servePortal serves a request for the proxy's own site to somebody who uses the proxy.
func (s *Server) servePortal(x *exchange.Exchange, r *http.Request) {
	x.Name = x.Identity.String()
	teacher := s.opts.MayTeach != nil && s.opts.MayTeach(x.Identity)
	v := site.Visitor{Name: x.Name, Who: x.Identity, Teacher: teacher, Chooses: s.opts.Choices != nil,
		Refuses: func(host string) time.Time { return s.interceptor.PassesUntil(x.Identity, host) }}
	s.portal.ServeHTTP(x, r.WithContext(site.WithVisitor(r.Context(), v)))
}

// serveChoice sets the cookie by which a browser chooses how to see the site at host.
func (s *Server) serveChoice(x *exchange.Exchange, r *http.Request, host string) {
	if err := s.opts.Choices.ServeLink(x, r, x.Identity.String(), r.URL.Scheme, host, host); err != nil {
		s.pages.Write(x, r, failure.New(http.StatusForbidden, failure.Request, "This link does not work any more", "Open winnow's page about the site again: "+err.Error()+"."))
	}
}

// forward serves a request for path at a, through the rules that bind any proxy (RFC 9110 §7.6).
func (s *Server) forward(x *exchange.Exchange, r *http.Request, a hostname.Authority, path string) {
	x.Scheme, x.Target, x.Vintage = r.URL.Scheme, path, s.opts.Vintage.Serves(access.ParseAddr(r.RemoteAddr))
	scheme, err := s.opts.Vintage.Scheme(x, r.URL.Scheme, a)
	if err != nil {
		s.pages.Write(x, r, failure.New(http.StatusForbidden, failure.Denied, "This site is not offered without encryption",
			"The proxy's settings do not offer "+a.Host+" over plain HTTP, and it does not ask port 443 without encryption."))
		return
	}
	r.URL.Scheme = scheme
	if s.via.Seen(r.Header) {
		s.pages.Write(x, r, failure.New(http.StatusLoopDetected, failure.Loop, "The request goes round in circles",
			"This request has been through this proxy before: "+a.String()+" leads back to it."))
		return
	}
	if a.Host == hostname.Portal { // what it forgets goes by device, as the operator sees it
		s.servePortal(x, r)
		return
	}
	if s.opts.Choices != nil && strings.HasPrefix(path, sites.ChoicePath+"?") {
		s.serveChoice(x, r, a.In(scheme))
		return
	}
	x.Name = x.Identity.Name()
	if !s.requests.Take(x.Name, 1) {
		s.admission.turnAway(awayRequests, r.RemoteAddr)
		retryAfter(x, time.Second)
		s.pages.Write(x, r, tooManyRequests())
		return
	}
	defer s.requests.Give(x.Name, 1)
	ctx, cancel := context.WithTimeoutCause(r.Context(), s.opts.Limits.Total, errOverdue)
	defer cancel()
	r = r.WithContext(ctx)
	x.Origin, r.URL.Host = a, a.In(scheme)
	r.Host = r.URL.Host
	if r.Header.Get("Max-Forwards") != "" && s.lastHop(x, r) {
		return
	}
	// Before goproxy, which removes Connection, and with it the names of other fields to remove.
	protocol := s.via.Request(r.Header, r.ProtoMajor, r.ProtoMinor)
	if protocol != "" && r.ProtoMajor == 1 {
		s.serveUpgrade(x, r, protocol)
		return
	}
	if x.Within != nil { // goproxy, which did not open the connection, would only copy the answer
		x.Send(s.roundTrip(r))
		return
	}
	s.engine.ServeHTTP(x, r)
}
