// Package limits lists what bounds clients, origins and pages.
package limits

import (
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// Limits bounds what one client or origin can make the proxy hold or wait for.
type Limits struct {
	// Connections is the most client connections open at once, tunnels included; more wait to be accepted.
	Connections int
	// ClientConnections is the most connections of one client ([access.Client]); a further one is closed with a 429.
	// Zero means 1024, or no limit where only this machine can connect; a negative number means no limit.
	ClientConnections int
	// ClientRate is the most requests a second of one user or client over ten seconds; a further one is answered with
	// a 429. Zero means 500, or no limit where only this machine can connect; a negative number means no limit.
	ClientRate float64
	// HeaderBytes is the most that a request's or a response's header may take.
	HeaderBytes int
	// Header is the most time that a client may take over a request's header.
	Header time.Duration
	// Handshake is the most time for a TLS handshake, with a client or an origin, and for a client's first bytes
	// after CONNECT to port 443.
	Handshake time.Duration
	// Sniff is how long a client may stay silent after CONNECT to another port before the origin is connected to, for
	// protocols in which the server speaks first (SSH, SMTP). If it does, the connection is tunnelled.
	Sniff time.Duration
	// Idle is how long a client's or an origin's connection is kept between requests.
	Idle time.Duration
	// Dial is the most time for connecting to an origin, name lookup included.
	Dial time.Duration
	// Continue is how long an origin may take to ask for a body (100 Continue) before it is sent unasked.
	Continue time.Duration
	// Response is how long an origin may take until its response header has arrived. Scripts that wait for news (long
	// polling) keep a request open for a minute or two on purpose.
	Response time.Duration
	// Stall is the longest pause within a body, in either direction, and of a client that does not read.
	Stall time.Duration
	// TunnelIdle is the longest silence in a tunnel.
	TunnelIdle time.Duration
	// Total is the longest life of a request with its answer, and of a tunnel.
	Total time.Duration
	// Grace is how long Serve waits for requests and tunnels when its context ends.
	Grace time.Duration
}

// DefaultLimits are generous to people on slow links and still end everything that nobody waits for.
func Default() Limits {
	return Limits{
		Connections: 8192, HeaderBytes: 128 << 10,
		Header: 20 * time.Second, Handshake: 15 * time.Second, Sniff: time.Second, Idle: 2 * time.Minute,
		Dial: 15 * time.Second, Continue: time.Second, Response: 3 * time.Minute, Stall: 5 * time.Minute, TunnelIdle: time.Hour,
		Total: 24 * time.Hour,
		Grace: 10 * time.Second,
	}
}

// WithDefaults fills zero fields from DefaultLimits.
func (l Limits) WithDefaults() Limits {
	d := Default()
	for _, f := range []struct{ v, d *int }{{&l.Connections, &d.Connections}, {&l.HeaderBytes, &d.HeaderBytes}} {
		if *f.v <= 0 {
			*f.v = *f.d
		}
	}
	for _, f := range []struct{ v, d *time.Duration }{
		{&l.Header, &d.Header}, {&l.Handshake, &d.Handshake}, {&l.Sniff, &d.Sniff}, {&l.Idle, &d.Idle},
		{&l.Dial, &d.Dial}, {&l.Continue, &d.Continue}, {&l.Response, &d.Response}, {&l.Stall, &d.Stall}, {&l.TunnelIdle, &d.TunnelIdle},
		{&l.Total, &d.Total},
		{&l.Grace, &d.Grace},
	} {
		if *f.v <= 0 {
			*f.v = *f.d
		}
	}
	return l
}

// ForListen fills in the limits of single clients. Where only this machine can connect, all clients are one.
func (l Limits) ForListen(listen string) Limits {
	local := access.LoopbackOnly(listen)
	if l.ClientConnections == 0 && !local {
		l.ClientConnections = 1024
	}
	if l.ClientRate == 0 && !local {
		l.ClientRate = 500
	}
	return l
}

// Named returns the limits by the names that they have as a metric label; a limit that is off is 0.
func (l Limits) Named() map[string]float64 {
	return map[string]float64{
		"connections":        float64(l.Connections),
		"client_connections": float64(max(0, l.ClientConnections)),
		"client_rate":        max(0, l.ClientRate),
		"header_bytes":       float64(l.HeaderBytes),
		"header_seconds":     l.Header.Seconds(),
		"handshake_seconds":  l.Handshake.Seconds(),
		"idle_seconds":       l.Idle.Seconds(),
		"dial_seconds":       l.Dial.Seconds(),
		"response_seconds":   l.Response.Seconds(),
		"stall_seconds":      l.Stall.Seconds(),
		"tunnel_seconds":     l.TunnelIdle.Seconds(),
		"total_seconds":      l.Total.Seconds(),
	}
}
