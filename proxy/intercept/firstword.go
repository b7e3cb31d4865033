package intercept

import (
	"errors"
	"io"
	"net"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// awaitFirstWord serves the CONNECT of a silent client. The client waits for the server to speak first (SSH, SMTP), or
// is slow. The side that speaks first decides: if the client sends TLS before the origin sends anything, it is
// intercepted as usual, so that a slow client gets what others get. Everything else is tunnelled.
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

// firstWord waits until client or origin sends something or ends its stream. It returns what each has sent by then, and
// whether the client begins with a TLS ClientHello. It fails if both are silent for patience, or if reading fails.
func firstWord(client, origin net.Conn, patience time.Duration) (up, down []byte, isTLS bool, err error) {
	past := time.Unix(1, 0)
	_ = client.SetReadDeadline(time.Now().Add(patience))
	heard := make(chan error)
	go func() {
		buf := make([]byte, 512)
		n, err := origin.Read(buf)
		down = buf[:n]
		_ = client.SetReadDeadline(past) // ends the wait for the client
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

// readFailed reports whether a read error is neither the end of the stream nor a timeout.
func readFailed(err error) bool { return err != nil && !errors.Is(err, io.EOF) && !wire.TimedOut(err) }
