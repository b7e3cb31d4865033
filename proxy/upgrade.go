package proxy

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/winnow-proxy/winnow/proxy/hop"
)

// serveUpgrade serves a request to switch to protocol (RFC 9110 §7.8), WebSocket mostly. Once the origin has agreed,
// the bytes pass untouched. goproxy knows WebSocket alone, and its relay stops at the first half-close, has no timeout
// and is unknown to a shutdown.
func (s *Server) serveUpgrade(t *trip, req *http.Request, protocol string) {
	ctx, cancel := context.WithCancelCause(req.Context())
	defer cancel(nil)
	out := s.outgoing(ctx, req, t)
	out.Header["Connection"], out.Header["Upgrade"] = []string{"Upgrade"}, []string{protocol}
	x := s.prepare(out)
	resp, err := s.dialer.Upgrade(out, t.origin, t.target)
	t.settle()
	if err != nil {
		writeResponse(t.client, req, s.failed(req, t, err))
		return
	}
	defer resp.Body.Close()
	switched := hop.Upgrade(resp.Header)
	hop.StripResponse(resp.Header)
	s.via.Add(resp.Header, resp.ProtoMajor, resp.ProtoMinor)
	origin, ok := resp.Body.(io.ReadWriteCloser)
	if resp.StatusCode != http.StatusSwitchingProtocols || !ok {
		s.rewrite(x, req, resp, t.watchBody(resp, s.opts.Limits.Stall, cancel))
		writeResponse(t.client, req, resp)
		return
	}
	resp.Header["Connection"], resp.Header["Upgrade"] = []string{"Upgrade"}, []string{switched}
	s.switchProtocols(t, resp, origin, recordOf(req.Context()))
}

// switchProtocols passes the origin's 101 on and then the bytes of the new protocol.
func (s *Server) switchProtocols(t *trip, resp *http.Response, origin io.ReadWriteCloser, rec *record) {
	client, _, err := t.client.Hijack()
	if err != nil {
		s.log.Warn("upgrade failed: the client's connection can't be taken over", "error", err)
		return
	}
	t.client.status, rec.status = resp.StatusCode, resp.StatusCode
	tracked := s.tunnels.add(client)
	if tracked == nil {
		return
	}
	var head strings.Builder
	head.WriteString("HTTP/1.1 101 Switching Protocols\r\n")
	_ = resp.Header.Write(&head) // a Builder takes everything
	head.WriteString("\r\n")
	if _, err := io.WriteString(client, head.String()); err != nil {
		tracked.end()
		return
	}
	s.relay(tracked, "upgrade", client, origin, rec)
}

// writeResponse sends resp to the client.
func writeResponse(w *clientWriter, req *http.Request, resp *http.Response) {
	defer resp.Body.Close()
	for k, v := range resp.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(resp.StatusCode)
	if req.Method != http.MethodHead {
		_, _ = io.Copy(w, resp.Body) // the trip remembers what the origin did wrong; the client notices its own faults
	}
}
