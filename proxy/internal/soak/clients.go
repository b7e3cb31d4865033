package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Shares of all requests. The rest are sound.
const (
	shareReset   = 0.05
	shareStall   = 0.05
	shareGarbage = 0.02
	shareBomb    = 0.005
	shareVanish  = 0.05
)

// stalledAtOnce bounds the requests that wait on a fault, in addition to the clients' own: each takes seconds but no
// work.
const stalledAtOnce = 1500

// fleet is the set of all clients of one winnow.
type fleet struct {
	world  *world
	report *report
	proxy  string
	// h1 uses HTTP/1.1 with the proxy and inside interception, h2 HTTP/2 inside.
	h1, h2 *http.Client
	faulty chan struct{}
	side   sync.WaitGroup
}

// newFleet makes clients that trust the CA of the winnow at proxy.
func newFleet(ctx context.Context, w *world, r *report, proxy string) (*fleet, error) {
	f := &fleet{world: w, report: r, proxy: proxy, faulty: make(chan struct{}, stalledAtOnce)}
	resp, err := f.h(nil, false).get(ctx, "http://winnow.internal/ca.pem")
	if err != nil {
		return nil, fmt.Errorf("fetch winnow's CA: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(resp) {
		return nil, errors.New("winnow's CA is not a certificate")
	}
	f.h1, f.h2 = f.h(pool, false).Client, f.h(pool, true).Client
	return f, nil
}

type simpleClient struct{ *http.Client }

// h returns a client. It keeps few idle connections, so that handshakes are part of the load.
func (f *fleet) h(pool *x509.CertPool, h2 bool) simpleClient {
	t := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: f.proxy}), DisableCompression: true,
		MaxIdleConns: 128, MaxIdleConnsPerHost: 32, IdleConnTimeout: 20 * time.Second, ForceAttemptHTTP2: h2,
		TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(256)}}
	if !h2 {
		t.Protocols = new(http.Protocols)
		t.Protocols.SetHTTP1(true)
	}
	return simpleClient{&http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func (c simpleClient) get(ctx context.Context, url string) ([]byte, error) {
	defer c.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// close hangs up.
func (f *fleet) close() {
	f.side.Wait()
	f.h1.CloseIdleConnections()
	f.h2.CloseIdleConnections()
}

// run makes requests with n concurrent clients until ctx ends. Running requests are finished.
func (f *fleet) run(ctx context.Context, n int, seed uint64) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			f.browse(ctx, rand.New(rand.NewPCG(seed, uint64(i))))
		})
	}
	wg.Wait()
	f.close()
}

// browse visits hosts, each for some requests, like people.
func (f *fleet) browse(ctx context.Context, r *rand.Rand) {
	for ctx.Err() == nil {
		host, secure, client := r.IntN(len(f.world.hosts)), r.IntN(5) < 3, f.h1
		if r.IntN(2) == 0 {
			client = f.h2
		}
		for range 2 + r.IntN(12) {
			if ctx.Err() != nil {
				return
			}
			f.one(ctx, ask{f: f, client: client, host: host, secure: secure, id: r.IntN(400), r: r.Uint64()}, r.Float64())
		}
	}
}

// one makes one request: a sound one directly, a faulty one in a separate goroutine, so that it delays no other.
func (f *fleet) one(ctx context.Context, a ask, draw float64) {
	kind := ""
	for _, c := range []struct {
		share float64
		kinds []string
	}{
		{shareReset, []string{"reset-early", "reset-file", "reset-page"}},
		{shareStall, []string{"stall-header", "stall-page", "stall-file", "stall-ever", "stall-page", "stall-file", "stall-long"}},
		{shareGarbage, []string{"garbage-noise", "garbage-chunks", "garbage-length", "garbage-header", "garbage-coding", "garbage-page"}},
		{shareBomb, []string{"bomb"}},
		{shareVanish, []string{"vanish-file", "vanish-page", "vanish-connect", "vanish-hello", "vanish-slow"}},
	} {
		if draw < c.share {
			kind = c.kinds[a.r%uint64(len(c.kinds))]
			break
		}
		draw -= c.share
	}
	if kind == "" {
		f.report.count(a.sound(context.WithoutCancel(ctx)))
		return
	}
	select {
	case f.faulty <- struct{}{}:
	case <-ctx.Done():
		return
	}
	f.side.Go(func() {
		defer func() { <-f.faulty }()
		if vanishing := strings.HasPrefix(kind, "vanish"); vanishing {
			f.report.count(kind, a.vanish(kind))
		} else {
			f.report.count(kind, a.faulty(context.WithoutCancel(ctx), kind))
		}
	})
}

// vanish is a client that leaves early.
func (a ask) vanish(kind string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	switch kind {
	case "vanish-page":
		ctx, leave := context.WithTimeout(ctx, time.Duration(a.r%20)*time.Millisecond)
		defer leave()
		if resp, err := a.do(ctx, http.MethodGet, fmt.Sprintf("/page/%d", a.id), nil, nil); err == nil {
			resp.Body.Close()
		}
	case "vanish-file":
		resp, err := a.do(ctx, http.MethodGet, fmt.Sprintf("/file/%d", downloads-1-a.id%8), nil, nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.CopyN(io.Discard, resp.Body, 20000)
		return err
	default:
		return a.vanishRaw(ctx, kind)
	}
	return nil
}

// vanishRaw leaves in the middle of CONNECT or of the handshake, or stops reading a large response for a while.
func (a ask) vanishRaw(ctx context.Context, kind string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", a.f.proxy)
	if err != nil {
		return err
	}
	defer conn.Close()
	target := strings.TrimPrefix(a.f.world.url(a.host, true, ""), "https://")
	switch kind {
	case "vanish-connect":
		_, err = fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target)
	case "vanish-hello":
		_, err = fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n\x16\x03\x01\x02\x00\x01\x00\x01", target, target)
		time.Sleep(50 * time.Millisecond)
	case "vanish-slow":
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", a.f.world.url(a.host, false, fmt.Sprintf("/file/%d", downloads-1)))
		time.Sleep(3 * time.Second)
	}
	return err
}

// unpack decompresses gzip.
func unpack(h http.Header, body []byte) ([]byte, error) {
	if h.Get("Content-Encoding") != "gzip" {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, 256<<20))
}
