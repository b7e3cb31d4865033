// Package exchange is one request with its answer: who asks, where the request goes, what became of it, and the one
// writer that its answer goes through.
package exchange

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/hop"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// MaxInterim is how many interim responses one request may get. net/http has no limit where they are looked at.
const MaxInterim = 32

var errTooManyInterim = errors.New("too many 1xx responses")

// Exchange is one request with its answer. It travels in the request's context, because goproxy stands between the
// handler and the round trip.
//
// The fields are for the goroutine that serves the request; methods are safe for concurrent use.
type Exchange struct {
	// Writer takes the answer.
	*Writer
	// Identity says who asks. It is set at admission.
	Identity access.Identity
	// Name is the client's name where clients are counted, and share what one client may have. It is empty until it is
	// known that the request goes on.
	Name string
	// Within is the intercepted connection that carries the request, nil for one that came over the proxy's listener.
	Within *Connection
	// Scheme is "http" or "https", or "connect" for a tunnel; it is empty until it is known that the request goes on.
	Scheme string
	// Target is path and query as the client sent them, once they are known to make sense.
	Target string
	// Origin is where the request or the tunnel goes. It is set once it is known to make sense.
	Origin hostname.Authority
	// Upstream is the time that the origin took until the header of its answer had come.
	Upstream time.Duration
	// End is what a connection that was taken over ended with: the status, and the bytes sent to the client.
	End struct {
		Status int
		Sent   int64
	}
	// Unlogged leaves the exchange out of the access log: a CONNECT that is intercepted, as the requests within have lines
	// of their own.
	Unlogged bool

	asked   url.URL
	started time.Time

	mu sync.Mutex
	// hints counts the interim responses.
	hints int
	// settled is set when the final response has come: interim ones must not follow it. over is set when the
	// handler is about to return: the client's ResponseWriter must not be touched any more.
	settled, over bool
	// requestErr is what went wrong with reading the client's body, responseErr with the origin's.
	requestErr, responseErr error
}

// Connection is what requests inside an intercepted connection have in common.
type Connection struct {
	// Scheme is that of the requests: https, or http where the client speaks HTTP in the tunnel without TLS.
	Scheme string
	// Identity is who sent the CONNECT, Origin where to.
	Identity access.Identity
	Origin   hostname.Authority
}

// contextKey is the context key of an *Exchange, or of a *Connection for requests that have none yet.
type contextKey struct{}

// New returns the exchange of a request that has just come in, and the request with the exchange in its context. What
// is copied to the client goes through a buffer of b.
func New(w http.ResponseWriter, r *http.Request, b *wire.Buffers) (*Exchange, *http.Request) {
	x := &Exchange{Writer: newWriter(w, r, b), asked: *r.URL, started: time.Now()}
	if c, ok := r.Context().Value(contextKey{}).(*Connection); ok {
		x.Within, x.Identity = c, c.Identity
	}
	return x, r.WithContext(x.On(r.Context()))
}

// On puts x into the context of what is done for it.
func (x *Exchange) On(ctx context.Context) context.Context {
	return context.WithValue(ctx, contextKey{}, x)
}

// Of returns the exchange of a request's context.
func Of(ctx context.Context) *Exchange { return ctx.Value(contextKey{}).(*Exchange) }

// Name returns the Name of the exchange in ctx. Where there is none, as in programs without a proxy, it is empty, and
// all count as one client.
func Name(ctx context.Context) string {
	if x, ok := ctx.Value(contextKey{}).(*Exchange); ok {
		return x.Name
	}
	return ""
}

// On puts c into the context of the requests that come over it.
func (c *Connection) On(ctx context.Context) context.Context {
	return context.WithValue(ctx, contextKey{}, c)
}

// Interim passes a 1xx response on (RFC 9110 §15.2). 100 is left out: net/http sends one by itself as soon as the
// origin's makes the transport read the client's body.
func (x *Exchange) Interim(req *http.Request, status int, h http.Header) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.hints++; x.hints > MaxInterim {
		return errTooManyInterim
	}
	if status == http.StatusContinue || !req.ProtoAtLeast(1, 1) || x.settled || x.over {
		return nil
	}
	hop.Strip(h)
	h.Del("Alt-Svc") // as in hop.StripResponse
	out := x.Header()
	for k, v := range h {
		out[k] = v
	}
	// net/http's HTTP/2 leaves the field out, and copies the header to do so; else it may still read the map when it has
	// returned, which ends the process as soon as a client resets its stream at the wrong moment.
	out["Content-Length"] = []string{"0"}
	x.WriteHeader(status)
	clear(out)
	return nil
}

// Settle marks the arrival of the final response.
func (x *Exchange) Settle() {
	x.mu.Lock()
	x.settled = true
	x.mu.Unlock()
}

// Finish marks the end of the handler.
func (x *Exchange) Finish() {
	x.mu.Lock()
	x.over = true
	x.mu.Unlock()
}

func (x *Exchange) requestFailed(err error) {
	x.mu.Lock()
	x.requestErr = err
	x.mu.Unlock()
}

func (x *Exchange) responseFailed(err error) {
	x.mu.Lock()
	x.responseErr = err
	x.mu.Unlock()
}

// Errs returns what went wrong with the bodies.
func (x *Exchange) Errs() (request, response error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.requestErr, x.responseErr
}

// ReadDeadline sets the deadline on reading from the client, none for 0. The transport may read the client's body
// after the handler has returned, when touching the ResponseWriter would hurt the next request or panic (HTTP/2).
func (x *Exchange) ReadDeadline(after time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	var at time.Time
	if after > 0 {
		at = time.Now().Add(after)
	}
	_ = http.NewResponseController(x.Writer).SetReadDeadline(at) // without deadlines, the stall is not noticed
}
