package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
	"github.com/winnow-proxy/winnow/proxy/portal"
)

// targetKey is the context key of the authority that a CONNECT or an intercepted connection is for.
type targetKey struct{}

func targetOf(ctx context.Context) hostname.Authority {
	return ctx.Value(targetKey{}).(hostname.Authority)
}

// serveConnect checks a CONNECT before its connection is taken over. Names are checked again once they are resolved,
// when the origin is dialled.
func (s *Server) serveConnect(w http.ResponseWriter, r *http.Request) {
	cw := newClientWriter(w, r, s.buffers)
	defer func() {
		if !cw.hijacked {
			s.metrics.Request("connect", cw.status)
		}
	}()
	a, err := hostname.ParseAuthority(r.Host, "")
	if err != nil {
		s.refuse(cw, r, failure.New(http.StatusBadRequest, failure.Request, "The tunnel's target makes no sense",
			"CONNECT needs a host and a port."))
		return
	}
	if s.via.Seen(r.Header) {
		s.refuse(cw, r, failure.New(http.StatusLoopDetected, failure.Loop, "The request goes round in circles",
			"This CONNECT has been through this proxy before."))
		return
	}
	if err := s.dialer.Permit(a); err != nil {
		s.refuse(cw, r, failure.Classify(a.Host, err))
		return
	}
	s.engine.ServeHTTP(cw, r.WithContext(context.WithValue(r.Context(), targetKey{}, a)))
}

// tunnelReason says why the connections of a client to a host are none of ours to open; it is empty where they are.
func (s *Server) tunnelReason(id identity, host string) string {
	switch {
	case host == portal.Host:
		return ""
	case s.bypass.Match(host):
		return "bypass"
	case len(s.opts.Intercept) > 0 && !s.listed.Match(host):
		return "unlisted"
	case s.passthrough.passes(passthroughKey{id.text(), host}):
		return "passthrough"
	}
	return ""
}

// takeOver serves the connection of a CONNECT: hosts that are not to be opened are tunnelled; the rest is intercepted if the
// client speaks TLS, and tunnelled if it does not. An intercepted client is told that its tunnel stands before the origin
// has been dialled: what fails then is explained by a page inside TLS, while browsers never show the answer to a CONNECT.
func (s *Server) takeOver(req *http.Request, client net.Conn) {
	a, rec := targetOf(req.Context()), recordOf(req.Context())
	rec.status = http.StatusOK
	tracked := s.tunnels.add(client)
	if tracked == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil { // a tunnel that is never released holds up the shutdown
			tracked.end()
			panic(p)
		}
	}()
	if why := s.tunnelReason(identityOf(req.Context()), a.Host); why != "" {
		s.tunnelTo(tracked, client, a, req, why, rec)
		return
	}
	if !s.established(client, req) {
		tracked.end()
		return
	}
	first, isTLS, err := sniff(client, s.patience(a))
	silent := len(first) == 0 && err != nil
	client = wire.WithPrefix(client, first)
	switch {
	case isTLS:
		rec.silent = true
		s.intercept(tracked, client, a, identityOf(req.Context()))
	case silent && wire.TimedOut(err):
		s.awaitFirstWord(tracked, client, a, req, rec)
	case silent: // the client has left
		tracked.end()
	default:
		s.tunnelTo(tracked, client, a, nil, "not-tls", rec)
	}
}

// patience is how long the client may take over its first bytes.
func (s *Server) patience(a hostname.Authority) time.Duration {
	if a.Port == hostname.DefaultPort("https") {
		return s.opts.Limits.Handshake
	}
	return s.opts.Limits.Sniff
}

// established tells the client that its tunnel stands.
func (s *Server) established(client net.Conn, req *http.Request) bool {
	proto := "HTTP/1.1"
	if !req.ProtoAtLeast(1, 1) {
		proto = "HTTP/1.0"
	}
	_, err := io.WriteString(client, proto+" 200 Connection established\r\n\r\n")
	if err == nil {
		s.metrics.Request("connect", http.StatusOK)
	}
	return err == nil
}

// sniff reads what the client sends first, waiting no longer than patience, and reports whether it is the start of a
// TLS ClientHello. err tells a client that says nothing from one that has left.
func sniff(client net.Conn, patience time.Duration) (first []byte, isTLS bool, err error) {
	_ = client.SetReadDeadline(time.Now().Add(patience))
	defer func() { _ = client.SetReadDeadline(time.Time{}) }()
	return readHello(client)
}

// readHello reads until it knows whether what comes is the start of a TLS ClientHello, or until reading fails.
func readHello(client net.Conn) (first []byte, isTLS bool, err error) {
	var buf [6]byte
	n := 0
	for {
		m, err := client.Read(buf[n:])
		n += m
		hello, decided := clientHello(buf[:n])
		if decided || err != nil {
			return buf[:n], hello, err
		}
	}
}

// clientHello reports whether b begins a TLS record that carries a ClientHello (RFC 8446 §4 and §5.1), once b is long
// enough to tell.
func clientHello(b []byte) (hello, decided bool) {
	const handshake, major, hello1 = 22, 3, 1
	if len(b) > 0 && b[0] != handshake || len(b) > 1 && b[1] != major {
		return false, true
	}
	if len(b) < 6 {
		return false, false
	}
	return b[5] == hello1, true
}

// tunnelTo connects client and a byte for byte. req is the CONNECT that is still to be answered, nil when it has been:
// then a destination that can't be reached shows as a connection that is closed.
func (s *Server) tunnelTo(tracked *tunnel, client net.Conn, a hostname.Authority, req *http.Request, why string, rec *record) {
	origin := s.dialTunnel(tracked, client, a, req, rec)
	if origin == nil {
		return
	}
	if req != nil && !s.established(client, req) {
		origin.Close()
		tracked.end()
		return
	}
	s.relay(tracked, why, client, origin, rec)
}

// dialTunnel connects to the origin of a tunnel. Where it can't, it ends the tunnel as tunnelTo says, and returns nil.
func (s *Server) dialTunnel(tracked *tunnel, client net.Conn, a hostname.Authority, req *http.Request, rec *record) net.Conn {
	origin, err := s.dialer.Tunnel(s.tunnels.ctx, a)
	if err != nil {
		rec.status = s.tunnelFailed(client, a, req, err)
		tracked.end()
		return nil
	}
	return origin
}

func (s *Server) tunnelFailed(client net.Conn, a hostname.Authority, req *http.Request, err error) (status int) {
	f := failure.Classify(a.Host, err)
	s.metrics.Failures.WithLabelValues(string(f.Reason)).Inc()
	s.log.Info("tunnel failed", "reason", f.Reason, "host", a.Host, "error", brief(err))
	if req == nil {
		return f.Status
	}
	s.metrics.Request("connect", f.Status)
	resp := s.pages.Response(req, f)
	resp.Close = true
	_ = resp.Write(client) // the connection is closed next
	return f.Status
}

// relay moves bytes between client and origin until either is done. tracked has covered client so far.
func (s *Server) relay(tracked *tunnel, why string, client, origin io.ReadWriteCloser, rec *record) {
	t := s.tunnels.add(client, origin)
	tracked.release()
	if t == nil {
		return
	}
	open := s.metrics.Connections.WithLabelValues("tunnel")
	open.Inc()
	defer open.Dec()
	s.metrics.Tunnels.WithLabelValues(why).Inc()
	overdue := time.AfterFunc(s.opts.Limits.Total, t.closeEnds)
	defer overdue.Stop()
	up, down := t.relay(client, origin, s.opts.Limits.TunnelIdle)
	rec.sent = down
	s.metrics.TunnelBytes.WithLabelValues("up").Add(float64(up))
	s.metrics.TunnelBytes.WithLabelValues("down").Add(float64(down))
}
