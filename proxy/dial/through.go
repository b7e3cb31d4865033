package dial

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	socks "golang.org/x/net/proxy"

	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// ProxyFault is what went wrong with an upstream proxy.
type ProxyFault uint8

const (
	// ProxyUnreachable: the upstream proxy itself can't be reached, or does not follow the protocol.
	ProxyUnreachable ProxyFault = iota
	// ProxyAuth: it wants other credentials.
	ProxyAuth
	// ProxyRefused: it does not permit the destination.
	ProxyRefused
	// OriginUnreachable: it could not reach the origin.
	OriginUnreachable
)

// ProxyError says that an upstream proxy did not do its part. Its text holds no credentials.
type ProxyError struct {
	Fault ProxyFault
	Err   error
}

// Error implements error.
func (e *ProxyError) Error() string { return "upstream proxy: " + e.Err.Error() }

// Unwrap serves errors.Is and errors.As.
func (e *ProxyError) Unwrap() error { return e.Err }

// reach connects to the upstream proxy itself. The guard does not check it, since the operator chose it.
func (d *Dialer) reach(ctx context.Context, u *upstream) (net.Conn, error) {
	conn, err := d.connect(ctx, u.addr, nil)
	if errors.Is(err, ErrBusy) {
		return nil, err
	}
	if err != nil {
		return nil, &ProxyError{ProxyUnreachable, err}
	}
	if !u.tls {
		return conn, nil
	}
	ctx, cancel := within(ctx, d.limits.Handshake)
	defer cancel()
	secure := tls.Client(conn, upstreamTLS(d.tls, u.addr.Host))
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, &ProxyError{ProxyUnreachable, fmt.Errorf("TLS with it: %w", err)}
	}
	return secure, nil
}

// through connects to a by a tunnel through the upstream proxy, which has as long to reach a as a direct connection
// would have.
func (d *Dialer) through(ctx context.Context, u *upstream, a hostname.Authority) (net.Conn, error) {
	ctx, cancel := within(ctx, 2*d.limits.Dial)
	defer cancel()
	if u.socks {
		return d.throughSOCKS(ctx, u, a)
	}
	conn, err := d.reach(ctx, u)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	tunnel, err := d.askTunnel(conn, u, a)
	if !stop() { // ctx ended and closed the connection: its error is only a consequence
		err = errors.Join(&ProxyError{OriginUnreachable, os.ErrDeadlineExceeded}, err)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return tunnel, nil
}

// askTunnel sends CONNECT for a and returns what conn carries after the answer.
func (d *Dialer) askTunnel(conn net.Conn, u *upstream, a hostname.Authority) (net.Conn, error) {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Host: a.String()}, Host: a.String(),
		Header: http.Header{"User-Agent": {""}}} // else net/http would put in its own
	if u.user != nil {
		password, _ := u.user.Password()
		basic := base64.StdEncoding.EncodeToString([]byte(u.user.Username() + ":" + password))
		req.Header.Set("Proxy-Authorization", "Basic "+basic)
	}
	d.via.Add(req.Header, 1, 1) // an upstream proxy that leads back here is noticed
	if err := req.Write(conn); err != nil {
		return nil, &ProxyError{ProxyUnreachable, err}
	}
	br := bufio.NewReader(&io.LimitedReader{R: conn, N: int64(d.limits.HeaderBytes)})
	resp, err := http.ReadResponse(br, req)
	if err != nil {
		return nil, &ProxyError{ProxyUnreachable, fmt.Errorf("answer to CONNECT: %w", err)}
	}
	if resp.StatusCode != http.StatusOK {
		return nil, &ProxyError{connectFault(resp.StatusCode), errors.New("answer to CONNECT: " + resp.Status)}
	}
	ahead, err := br.Peek(br.Buffered())
	if err != nil {
		return nil, &ProxyError{ProxyUnreachable, err}
	}
	return wire.WithPrefix(conn, append([]byte(nil), ahead...)), nil
}

// connectFault returns why an upstream proxy gave no tunnel, by the status of its answer.
func connectFault(status int) ProxyFault {
	switch status {
	case http.StatusProxyAuthRequired, http.StatusUnauthorized:
		return ProxyAuth
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusNotFound,
		http.StatusInternalServerError:
		return OriginUnreachable
	}
	return ProxyRefused
}

// throughSOCKS is through for a SOCKS5 proxy.
func (d *Dialer) throughSOCKS(ctx context.Context, u *upstream, a hostname.Authority) (net.Conn, error) {
	s, err := socks.SOCKS5("tcp", u.addr.String(), u.auth(), reacher{d, u})
	if err != nil {
		return nil, &ProxyError{ProxyUnreachable, err}
	}
	conn, err := s.(socks.ContextDialer).DialContext(ctx, "tcp", a.String())
	var known *ProxyError
	if err == nil || errors.As(err, &known) {
		return conn, err
	}
	return nil, &ProxyError{socksFault(err), err}
}

// socksFault returns why a SOCKS5 proxy gave no tunnel. It reads the error's text, because x/net has no types for it.
func socksFault(err error) ProxyFault {
	text := err.Error()
	switch {
	case strings.Contains(text, "authentication"):
		return ProxyAuth
	case strings.Contains(text, "not allowed by ruleset"):
		return ProxyRefused
	case strings.Contains(text, "unknown error"), wire.TimedOut(err):
		return OriginUnreachable
	}
	return ProxyUnreachable
}

// reacher dials the SOCKS5 proxy for x/net.
type reacher struct {
	dialer *Dialer
	via    *upstream
}

// Dial implements socks.Dialer.
func (r reacher) Dial(network, addr string) (net.Conn, error) {
	return r.DialContext(context.Background(), network, addr)
}

// DialContext implements socks.ContextDialer.
func (r reacher) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	return r.dialer.reach(ctx, r.via)
}
