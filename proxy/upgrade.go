package proxy

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/winnow-proxy/winnow/proxy/exchange"
)

// serveUpgrade serves a request to switch to protocol (RFC 9110 §7.8), WebSocket mostly. Once the origin has agreed,
// the bytes pass untouched. goproxy knows WebSocket alone, and its relay stops at the first half-close, has no timeout
// and is unknown to a shutdown.
func (s *Server) serveUpgrade(x *exchange.Exchange, req *http.Request, protocol string) {
	ctx, cancel := context.WithCancelCause(req.Context())
	defer cancel(nil)
	out := s.outgoing(ctx, req, x)
	out.Header["Connection"], out.Header["Upgrade"] = []string{"Upgrade"}, []string{protocol}
	job := s.opts.Pipeline.Request(out)
	if err := job.Err(); err != nil {
		x.Send(s.failed(req, x, err))
		return
	}
	resp, err := s.dialer.Upgrade(out, x.Target, interim(x, req))
	x.Settle()
	if err != nil {
		x.Send(s.failed(req, x, err))
		return
	}
	defer resp.Body.Close()
	switched := s.via.Response(resp)
	origin, ok := resp.Body.(io.ReadWriteCloser)
	if resp.StatusCode != http.StatusSwitchingProtocols || !ok {
		s.opts.Vintage.Response(x, out, resp)
		x.WatchResponse(resp, s.opts.Limits.Stall, cancel)
		s.opts.Pipeline.Response(job, resp)
		x.Send(resp)
		return
	}
	resp.Header["Connection"], resp.Header["Upgrade"] = []string{"Upgrade"}, []string{switched}
	s.switchProtocols(x, resp, origin)
}

// switchProtocols passes the origin's 101 on and then the bytes of the new protocol.
func (s *Server) switchProtocols(x *exchange.Exchange, resp *http.Response, origin io.ReadWriteCloser) {
	client, _, err := x.Hijack()
	if err != nil {
		s.log.Warn("upgrade failed: the client's connection can't be taken over", "error", err)
		return
	}
	x.End.Status = resp.StatusCode
	tracked := s.tunnels.Add(client)
	if tracked == nil {
		return
	}
	var head strings.Builder
	head.WriteString("HTTP/1.1 101 Switching Protocols\r\n")
	_ = resp.Header.Write(&head) // a Builder takes everything
	head.WriteString("\r\n")
	if _, err := io.WriteString(client, head.String()); err != nil {
		tracked.End()
		return
	}
	x.End.Sent = s.tunnels.Relay(tracked, "upgrade", client, origin, s.opts.Limits, s.metrics)
}
