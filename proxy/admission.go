package proxy

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/internal/sampler"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
)

// Why a client is turned away, as a metric label.
const (
	awayNetwork     = "network"     // it comes from none of the allowed networks
	awayConnections = "connections" // it has too many connections open
	awayRequests    = "requests"    // it has too many requests under way
	awayRate        = "rate"        // it asks too often
	awayNoPassword  = "no-password" // it gave none, as clients do before they are asked
	awayPassword    = "password"    // it gave a wrong one
	awayGuessing    = "guessing"    // it gave too many wrong ones
	awayBusy        = "busy"        // too many passwords are being checked
)

// admission decides, before a byte is read, which connections are served: by the client's network, and by how many the
// client has open. It is safe for concurrent use.
type admission struct {
	networks access.Networks
	open     *access.Shares[access.Client]
	log      *slog.Logger
	samples  *sampler.Sampler
	away     *prom.Vec[*prom.Counter]
	// leaving bounds how many clients get a 429 at once.
	leaving chan struct{}
}

// Bounds of telling clients why they are turned away.
const (
	leavingClients = 64
	leavingTime    = time.Second
)

func newAdmission(o Options) (*admission, error) {
	networks, err := access.ParseNetworks(o.AllowClients)
	if err != nil {
		return nil, fmt.Errorf("allowed client: %w", err)
	}
	samples, err := sampler.New(sampler.Interval, sampler.Keys)
	if err != nil {
		return nil, err
	}
	return &admission{networks: networks, log: o.Logger,
		open:    access.NewShares[access.Client](int64(o.Limits.Connections), int64(o.Limits.ClientConnections), access.LoopbackOnly(o.Listen)),
		samples: samples, away: o.Metrics.TurnedAway, leaving: make(chan struct{}, leavingClients)}, nil
}

// enter admits c and returns a function that must be called when c is closed. Otherwise it closes c and returns nil.
func (d *admission) enter(c net.Conn) (leave func()) {
	ip := access.AddrOf(c.RemoteAddr())
	if !d.networks.Admit(ip) {
		d.turnAway(awayNetwork, ip.String())
		c.Close() // without an answer: strangers need not know what this is
		return nil
	}
	client := access.ClientOf(ip)
	if !d.open.Take(client, 1) {
		d.turnAway(awayConnections, ip.String())
		d.explain(c)
		return nil
	}
	return func() { d.open.Give(client, 1) }
}

// turnAway counts a client that is turned away, and logs the first of many.
func (d *admission) turnAway(why, client string) {
	d.away.WithLabelValues(why).Inc()
	if dropped, ok := d.samples.Allow(why, time.Now()); ok {
		d.log.Warn("client turned away", "why", why, "client", client, "since_last", dropped)
	}
}

// explain tells a client that it has too many connections, and closes c. It reads what the client sends for a moment:
// if the connection were closed before, the client's system would discard the answer.
func (d *admission) explain(c net.Conn) {
	select {
	case d.leaving <- struct{}{}:
	default:
		c.Close()
		return
	}
	go func() {
		defer func() { <-d.leaving }()
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(leavingTime))
		const text = "This client has too many connections open.\n"
		_, err := fmt.Fprintf(c, "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Type: text/plain\r\n"+
			"Winnow: failed; reason=%s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", failure.Rate, len(text), text)
		if errors.Join(err, wire.CloseWrite(c)) == nil {
			_, _ = io.CopyN(io.Discard, c, 64<<10) // until it leaves, or the time is up
		}
	}()
}
