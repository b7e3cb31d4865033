package main

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/certs"
)

// world is the environment of winnow: the origins of all hosts.
type world struct {
	hosts []netip.Addr
	// plain and secure are the ports of all hosts.
	plain, secure int
	files         []file
	bombs         []bomb
	longPause     time.Duration
	// ca is the file with the CA certificate of the origins.
	ca      string
	servers []*http.Server
	ended   context.CancelFunc
}

// newWorld starts the origins.
func newWorld(dir string, o options) (*world, error) {
	authority, err := certs.LoadOrCreate(filepath.Join(dir, "origins"), time.Now)
	if err != nil {
		return nil, err
	}
	w := &world{files: newFiles(), longPause: o.Pause, ca: filepath.Join(dir, "origins.pem")}
	if err := os.WriteFile(w.ca, authority.PEM(), 0o600); err != nil {
		return nil, err
	}
	if w.bombs, err = newBombs(); err != nil {
		return nil, err
	}
	for i := range o.Hosts {
		w.hosts = append(w.hosts, netip.AddrFrom4([4]byte{127, byte(32 + i/62500), byte(1 + i/250%250), byte(1 + i%250)}))
	}
	var ctx context.Context
	ctx, w.ended = context.WithCancel(context.Background())
	secured := &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		return authority.TLSConfig(h.Conn.LocalAddr().(*net.TCPAddr).IP.String()), nil
	}}
	if w.plain, err = w.serve(ctx, nil); err == nil {
		w.secure, err = w.serve(ctx, secured)
	}
	if err != nil {
		w.close()
		return nil, fmt.Errorf("start the origins: %w", err)
	}
	return w, nil
}

// serve listens on one port at the addresses of all hosts and serves them.
func (w *world) serve(ctx context.Context, config *tls.Config) (port int, err error) {
	s := &http.Server{Handler: http.HandlerFunc(w.handle), ReadHeaderTimeout: time.Minute, TLSConfig: config,
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		BaseContext: func(net.Listener) context.Context { return ctx }}
	w.servers = append(w.servers, s)
	for _, h := range w.hosts {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", netip.AddrPortFrom(h, uint16(port)).String())
		if err != nil {
			return 0, err
		}
		port = l.Addr().(*net.TCPAddr).Port
		if config != nil {
			go s.ServeTLS(l, "", "") //nolint:errcheck // it returns after close
		} else {
			go s.Serve(l) //nolint:errcheck // as above
		}
	}
	return port, nil
}

// close stops the origins and closes all their connections.
func (w *world) close() {
	w.ended()
	for _, s := range w.servers {
		s.Close()
	}
}

// url returns the address of a path at a host.
func (w *world) url(host int, secure bool, path string) string {
	scheme, port := "http", w.plain
	if secure {
		scheme, port = "https", w.secure
	}
	return fmt.Sprintf("%s://%s:%d%s", scheme, w.hosts[host], port, path)
}

// number returns the number of the host that a request was sent to.
func (w *world) number(r *http.Request) int {
	a, err := netip.ParseAddrPort(r.Context().Value(http.LocalAddrContextKey).(net.Addr).String())
	if err != nil {
		return 0
	}
	b := a.Addr().Unmap().As4()
	return int(b[1]-32)*62500 + int(b[2]-1)*250 + int(b[3]-1)
}

// handle serves /KIND/NUMBER.
func (w *world) handle(rw http.ResponseWriter, r *http.Request) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	id, err := strconv.Atoi(rest)
	if err != nil {
		http.NotFound(rw, r)
		return
	}
	switch kind {
	case "page":
		servePage(rw, r, newPage(w.number(r), id).body)
	case "file":
		w.serveFile(rw, r, w.files[id].body)
	case "events":
		serveEvents(rw, id)
	case "upload":
		serveUpload(rw, r)
	default:
		w.serveFault(rw, r, kind, id)
	}
}

// servePage serves a page. It compresses it if the client accepts that and the page's length is even.
func servePage(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Etag", fmt.Sprintf(`"%d"`, len(body)))
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") || len(body)%2 == 1 {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err == nil {
		_, err = z.Write(body)
		err = errors.Join(err, z.Close())
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
}

// serveFile serves a download, whole or in ranges, with its length or, for every third file, in chunks.
func (w *world) serveFile(rw http.ResponseWriter, r *http.Request, body []byte) {
	rw.Header().Set("Content-Type", "application/octet-stream")
	if len(body)%3 != 0 {
		http.ServeContent(rw, r, "", time.Time{}, strings.NewReader(string(body)))
		return
	}
	for len(body) > 0 {
		n := min(len(body), 20000)
		if _, err := rw.Write(body[:n]); err != nil {
			return
		}
		body = body[n:]
	}
}

// serveUpload returns what it received. For HTTP/1.1, net/http must read the request before the response begins.
func serveUpload(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(body) // the client detects missing bytes
}

// event is one event of an event stream.
func event(id, i int) string { return fmt.Sprintf("data: event %d of stream %d\n\n", i, id) }

func serveEvents(w http.ResponseWriter, id int) {
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range id%5 + 1 {
		_, _ = io.WriteString(w, event(id, i))
		_ = http.NewResponseController(w).Flush()
		time.Sleep(10 * time.Millisecond)
	}
}
