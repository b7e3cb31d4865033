package proxy

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/elazarl/goproxy"
)

// newEngine sets up goproxy. It dispatches what comes to the listener (requests, CONNECTs and requests to the proxy
// itself) and copies responses. Requests inside a CONNECT go by Server.forward alone.
// Its signer, interception and tunnels are never used: the hook on CONNECT takes every connection over, and every
// request goes through roundTrip.
func newEngine(s *Server) http.Handler {
	p := goproxy.NewProxyHttpServer()
	p.Logger = engineLog{s.log}
	p.Tr = nil                                               // every request has a RoundTripper of its own
	p.ConnectDial = func(string, string) (net.Conn, error) { // the default dials around the guard
		return nil, errors.New("goproxy must not dial")
	}
	p.KeepAcceptEncoding = true
	p.NonproxyHandler = s.portal
	p.OnRequest().HandleConnectFunc(func(host string, _ *goproxy.ProxyCtx) (*goproxy.ConnectAction, string) {
		return &goproxy.ConnectAction{Action: goproxy.ConnectHijack, Hijack: func(req *http.Request, client net.Conn, _ *goproxy.ProxyCtx) { s.interceptor.TakeOver(req, client) }}, host
	})
	// The work is done in the round trip, not in a response handler: where a handler replaces the body, goproxy drops
	// the Content-Length, and it calls the handler with nil when the request failed.
	trip := goproxy.RoundTripperFunc(func(req *http.Request, _ *goproxy.ProxyCtx) (*http.Response, error) {
		return s.roundTrip(req), nil
	})
	p.OnRequest().DoFunc(func(req *http.Request, ctx *goproxy.ProxyCtx) (*http.Request, *http.Response) {
		ctx.RoundTripper = trip
		return req, nil
	})
	return p
}

// engineLog takes goproxy's own messages, which may hold URLs, and logs them at debug level without their details of
// the request.
type engineLog struct{ log *slog.Logger }

// Printf implements goproxy.Logger.
func (l engineLog) Printf(format string, args ...any) {
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = fmt.Sprintf("%T", err)
		}
	}
	l.log.Debug("goproxy", "message", fmt.Sprintf(format, args...))
}
