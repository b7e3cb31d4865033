package proxy

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// awaitFirstWord serves the CONNECT of a client that has been silent: it leaves the first word to the server (SSH, SMTP),
// or is merely slow. Who speaks first decides. TLS that comes before a word from the origin is intercepted as ever, so that
// what a client gets does not hang on how fast it is; all else is tunnelled.
func (s *Server) awaitFirstWord(tracked *tunnel, client net.Conn, a hostname.Authority, req *http.Request, rec *record) {
	origin := s.dialTunnel(tracked, client, a, nil, rec)
	if origin == nil {
		return
	}
	up, down, isTLS, err := firstWord(client, origin, s.opts.Limits.TunnelIdle)
	client = wire.WithPrefix(client, up)
	switch {
	case isTLS && len(down) == 0:
		origin.Close()
		rec.silent = true
		s.intercept(tracked, client, a, identityOf(req.Context()))
	case err != nil:
		origin.Close()
		tracked.end()
	default:
		s.relay(tracked, "not-tls", client, wire.WithPrefix(origin, down), rec)
	}
}

// firstWord waits until the client or the origin says something or ends its stream, and returns what either has said by
// then, and whether the client begins with a TLS ClientHello. It fails where both are silent for patience, or either breaks.
func firstWord(client, origin net.Conn, patience time.Duration) (up, down []byte, isTLS bool, err error) {
	past := time.Unix(1, 0)
	_ = client.SetReadDeadline(time.Now().Add(patience))
	heard := make(chan error)
	go func() {
		buf := make([]byte, 512)
		n, err := origin.Read(buf)
		down = buf[:n]
		_ = client.SetReadDeadline(past) // the client need not be waited for any longer
		heard <- err
	}()
	up, isTLS, upErr := readHello(client)
	_ = origin.SetReadDeadline(past)
	downErr := <-heard
	_ = client.SetReadDeadline(time.Time{})
	_ = origin.SetReadDeadline(time.Time{})
	switch {
	case wire.TimedOut(upErr) && wire.TimedOut(downErr) && len(up) == 0:
		return up, down, false, upErr
	case readFailed(upErr):
		return up, down, false, upErr
	case readFailed(downErr) && len(down) == 0:
		return up, down, isTLS, downErr
	}
	return up, down, isTLS, nil
}

// readFailed reports whether err, of reading, is neither the stream's end nor a deadline's.
func readFailed(err error) bool { return err != nil && !errors.Is(err, io.EOF) && !wire.TimedOut(err) }
