package proxy

import (
	"bufio"
	"net"
	"net/http"

	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// contained is h with its panics made error pages, or closed connections where an answer has been begun: net/http closes
// the connection in any case, and the client never learns why. What happens to single responses is contained further in, in
// conclude and rewrite; this is for all that lies around.
func (s *Server) contained(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bw := &begunWriter{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // a panic value, never wrapped
				panic(p)
			}
			s.panicked("connection", hostname.WithoutPort(r.Host), p)
			switch {
			case bw.taken != nil:
				bw.taken.Close()
			case bw.begun:
				panic(http.ErrAbortHandler)
			default:
				s.refuse(bw, r, mistake())
			}
		}()
		h(bw, r)
	})
}

// mistake is what clients are told of a panic.
func mistake() failure.Failure {
	return failure.New(http.StatusInternalServerError, failure.Internal, "The proxy made a mistake",
		"Something went wrong inside the proxy. Its log says what.")
}

// begunWriter knows whether an answer has been begun, or its connection taken over.
type begunWriter struct {
	http.ResponseWriter
	begun bool
	taken net.Conn
}

// WriteHeader implements http.ResponseWriter.
func (w *begunWriter) WriteHeader(status int) {
	w.begun = w.begun || status >= http.StatusOK || status == http.StatusSwitchingProtocols
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *begunWriter) Write(b []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(b)
}

// Hijack implements http.Hijacker.
func (w *begunWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.taken = c
	}
	return c, rw, err
}

// Unwrap serves http.ResponseController.
func (w *begunWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
