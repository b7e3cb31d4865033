package intercept

import (
	"errors"
	"io"
	"net"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// awaitFirstWord serves the CONNECT of a client that has been silent: it leaves the first word to the server (SSH,
// SMTP), or is merely slow. Who speaks first decides. TLS that comes before a word from the origin is intercepted as
// usual, so that what a client gets does not depend on its speed; all else is tunnelled.
func (c *connect) awaitFirstWord() {
	origin := c.dial()
	if origin == nil {
		return
	}
	up, down, isTLS, err := firstWord(c.client, origin, c.Limits.TunnelIdle)
	c.client = wire.WithPrefix(c.client, up)
	switch {
	case isTLS && len(down) == 0:
		origin.Close()
		c.intercept()
	case err != nil:
		origin.Close()
	case len(down) == 0 && len(up) > 0 && c.speaksHTTP():
		origin.Close()
		c.plain()
	default:
		c.relay("not-tls", wire.WithPrefix(origin, down))
	}
}

// firstWord waits until the client or the origin says something or ends its stream, and returns what either has said by
// then, and whether the client begins with a TLS ClientHello. It fails where both are silent for patience, or either
// breaks.
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
