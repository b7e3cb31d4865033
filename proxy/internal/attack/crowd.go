package attack

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Crowd is a number of hostile and some honest clients, each at its own address on this machine.
type Crowd struct {
	// Proxy is the address of the proxy, Trust verifies its certificates.
	Proxy string
	Trust *x509.CertPool
	// Pages is the authority of an https origin with pages: /sound/N is to be cleaned, /large/N is large. Plain is one for
	// http. Silent is the authority of an https origin that never answers.
	Pages, Plain, Silent string
	// Mode is what Fetch asks for, empty for what the proxy does by itself.
	Mode string
	// Hostile and Sound are how many clients there are of each sort.
	Hostile, Sound int
}

// Report has the results of the honest clients, and the number of attacks.
type Report struct {
	// Asked counts the requests of honest clients, Failed those without a complete answer of status 200, Passed those
	// whose page was not cleaned.
	Asked, Failed, Passed int
	// Slowest is the longest wait of an honest client.
	Slowest time.Duration
	// Attacks counts the attacks of hostile clients by kind.
	Attacks map[string]int64
	// Noticed counts the errors of honest clients by text.
	Noticed map[string]int
}

// Run runs the crowd against the proxy until ctx ends.
func (c Crowd) Run(ctx context.Context) Report {
	r := Report{Attacks: map[string]int64{}, Noticed: map[string]int{}}
	kinds := c.kinds()
	counts := make([]atomic.Int64, len(kinds))
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range c.Hostile {
		h := hostile{c, netip.AddrFrom4([4]byte{127, 9, byte(i / 250), byte(1 + i%250)}), &counts[i%len(kinds)]}
		wg.Go(func() {
			for ctx.Err() == nil {
				_ = kinds[i%len(kinds)].attack(h, ctx) // turned away: try again, with a breath between
				Pause(ctx, 100*time.Millisecond)
			}
		})
	}
	for i := range c.Sound {
		wg.Go(func() {
			s := c.sound(ctx, i)
			mu.Lock()
			defer mu.Unlock()
			r.Asked, r.Failed, r.Passed = r.Asked+s.Asked, r.Failed+s.Failed, r.Passed+s.Passed
			r.Slowest = max(r.Slowest, s.Slowest)
			for what, n := range s.Noticed {
				r.Noticed[what] += n
			}
		})
	}
	wg.Wait()
	for i, k := range kinds {
		r.Attacks[k.name] = counts[i].Load()
	}
	return r
}

// kind is a kind of attack. attack returns when the proxy ends it, or after a while.
type kind struct {
	name   string
	attack func(h hostile, ctx context.Context) error
}

func (c Crowd) kinds() []kind {
	return []kind{
		{"streams to a silent origin", hostile.silentStreams},
		{"pages that are not read", hostile.unreadPages},
		{"slow headers", hostile.slowHeaders},
		{"large pages", hostile.largePages},
		{"idle tunnels", hostile.idleTunnels},
		{"streams taken back", hostile.resets},
		{"slow bodies", hostile.slowBodies},
		{"handshakes", hostile.handshakes},
	}
}

// hostile is one hostile client.
type hostile struct {
	Crowd
	ip    netip.Addr
	count *atomic.Int64
}

// eachTime is how long a hostile client uses one connection.
const eachTime = 10 * time.Second

func (c Crowd) dial(ctx context.Context, ip netip.Addr) (net.Conn, error) {
	d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, 0)), Timeout: eachTime}
	return d.DialContext(ctx, "tcp", c.Proxy)
}

// connect opens a tunnel to target, and TLS inside it with the offered protocols.
func (c Crowd) connect(ctx context.Context, ip netip.Addr, target string, protocols ...string) (*tls.Conn, error) {
	conn, err := c.dial(ctx, ip)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(eachTime))
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target)
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), &http.Request{Method: http.MethodConnect})
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	host, _, _ := net.SplitHostPort(target)
	secure := tls.Client(conn, &tls.Config{RootCAs: c.Trust, ServerName: host, NextProtos: protocols})
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return secure, nil
}

// frames opens HTTP/2 and reads until the connection or the time of h ends.
func (h hostile) frames(ctx context.Context, target string, window uint32, use func(*H2) error) error {
	conn, err := h.connect(ctx, h.ip, target, "h2")
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	c, err := OpenH2(conn, window)
	if err != nil {
		return err
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for {
			if _, err := c.Next(); err != nil {
				return
			}
		}
	}()
	err = use(c)
	conn.Close()
	<-read
	return err
}

func (h hostile) silentStreams(ctx context.Context) error {
	return h.frames(ctx, h.Silent, 65535, func(c *H2) error {
		for range 100 {
			if _, err := c.Get(h.Silent, "/"); err != nil {
				return err
			}
			h.count.Add(1)
		}
		Pause(ctx, eachTime)
		return nil
	})
}

func (h hostile) unreadPages(ctx context.Context) error {
	return h.frames(ctx, h.Pages, 0, func(c *H2) error {
		for i := range 50 {
			if _, err := c.Get(h.Pages, fmt.Sprint("/large/", i), "accept", "text/html"); err != nil {
				return err
			}
			h.count.Add(1)
			Pause(ctx, 100*time.Millisecond)
		}
		Pause(ctx, eachTime)
		return nil
	})
}

func (h hostile) resets(ctx context.Context) error {
	return h.frames(ctx, h.Silent, 65535, func(c *H2) error {
		for range 200 {
			stream, err := c.Get(h.Silent, "/")
			if err != nil {
				return err
			}
			if err := c.Reset(stream); err != nil {
				return err
			}
			h.count.Add(1)
			Pause(ctx, 20*time.Millisecond)
		}
		return nil
	})
}

// many opens connections until the proxy refuses one, sends the output of say on each, and keeps them open for a while.
func (h hostile) many(ctx context.Context, n int, say func(net.Conn)) error {
	for range n {
		conn, err := h.dial(ctx, h.ip)
		if err != nil {
			return err
		}
		defer conn.Close() //nolint:gocritic // all are held until the end
		say(conn)
		h.count.Add(1)
	}
	Pause(ctx, eachTime)
	return nil
}

func (h hostile) slowHeaders(ctx context.Context) error {
	return h.many(ctx, 60, func(c net.Conn) { fmt.Fprintf(c, "GET http://%s/sound/1 HTTP/1.1\r\nHost: x\r\nX-Slow: ", h.Plain) })
}

func (h hostile) idleTunnels(ctx context.Context) error {
	return h.many(ctx, 60, func(c net.Conn) { fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", h.Pages) })
}

func (h hostile) slowBodies(ctx context.Context) error {
	return h.many(ctx, 60, func(c net.Conn) {
		fmt.Fprintf(c, "POST http://%s/sound/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nsome", h.Plain)
	})
}

// handshakes makes TLS handshakes, several at a time, without any request.
func (h hostile) handshakes(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, eachTime)
	defer cancel()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for ctx.Err() == nil {
				conn, err := h.connect(ctx, h.ip, h.Pages, "http/1.1")
				if err != nil {
					Pause(ctx, 100*time.Millisecond)
					continue
				}
				conn.Close()
				h.count.Add(1)
			}
		})
	}
	wg.Wait()
	return nil
}

func (h hostile) largePages(ctx context.Context) error {
	for i := 0; ctx.Err() == nil; i++ {
		conn, err := h.dial(ctx, h.ip)
		if err != nil {
			return err
		}
		_ = conn.SetDeadline(time.Now().Add(eachTime))
		fmt.Fprintf(conn, "GET http://%s/large/%d HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n\r\n", h.Plain, i)
		_, _ = io.Copy(io.Discard, conn)
		conn.Close()
		h.count.Add(1)
		Pause(ctx, 500*time.Millisecond)
	}
	return nil
}

// sound is an honest client. It occasionally reads a page, alternately over http and https.
func (c Crowd) sound(ctx context.Context, n int) (r Report) {
	ip := netip.AddrFrom4([4]byte{127, 8, 0, byte(1 + n)})
	r.Noticed = map[string]int{}
	for i := 0; ctx.Err() == nil; i++ {
		start := time.Now()
		outcome, err := c.Fetch(ip, i%2 == 0, fmt.Sprint("/sound/", i%20))
		r.Asked++
		r.Slowest = max(r.Slowest, time.Since(start))
		switch {
		case err != nil:
			r.Failed++
		case !strings.HasPrefix(outcome, "cleaned;"):
			r.Passed++
			err = fmt.Errorf("a page passed: %q", outcome)
		}
		if err != nil {
			r.Noticed[err.Error()]++
		}
		Pause(ctx, 300*time.Millisecond)
	}
	return r
}

// Fetch fetches a page as the client at ip, over http or https, and returns its field Winnow. It completes the request
// even if the context of the crowd ends.
func (c Crowd) Fetch(ip netip.Addr, secure bool, path string) (outcome string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var conn net.Conn
	target := path
	host := c.Pages
	if secure {
		conn, err = c.connect(ctx, ip, c.Pages, "http/1.1")
	} else {
		host, target = c.Plain, "http://"+c.Plain+path
		conn, err = c.dial(ctx, ip)
	}
	if err != nil {
		return "", fmt.Errorf("connect: %w", err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	mode := ""
	if c.Mode != "" {
		mode = "Winnow-Mode: " + c.Mode + "\r\n"
	}
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/html\r\n%sConnection: close\r\n\r\n", target, host, mode)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return "", fmt.Errorf("answer: %w", err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("answer: %s, %w", resp.Status, err)
	}
	return resp.Header.Get("Winnow"), nil
}

// Pause waits until d is over or ctx ends.
func Pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
