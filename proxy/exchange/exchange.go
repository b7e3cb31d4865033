// Package exchange is one request with its answer: the client, the destination, the outcome, and the one writer that
// sends the answer.
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

// MaxInterim is the most interim responses to one request. net/http sets no limit for callers that handle them.
const MaxInterim = 32

var errTooManyInterim = errors.New("too many 1xx responses")

// Exchange is one request with its answer. It travels in the request's context, because goproxy stands between the
// handler and the round trip.
//
// The fields are for the goroutine that serves the request; methods are safe for concurrent use.
type Exchange struct {
	// Writer sends the answer.
	*Writer
	// Identity is the client. It is set at admission.
	Identity access.Identity
	// Name is the client's name in the limits that each client has a share of. It is empty until the proxy has decided to
	// forward the request.
	Name string
	// Within is the intercepted connection that carries the request, nil for requests from the proxy's listener.
	Within *Connection
	// Scheme is "http" or "https", or "connect" for a tunnel. Like Name, it is empty at first.
	Scheme string
	// Target is path and query as the client sent them, once they have proved valid.
	Target string
	// Origin is the destination of the request or the tunnel, once it has proved valid.
	Origin hostname.Authority
	// Upstream is the time until the header of the origin's response arrived.
	Upstream time.Duration
	// End is the outcome of a connection that was taken over: the status, and the bytes sent to the client.
	End struct {
		Status int
		Sent   int64
	}
	// Relayed says that another proxy has fetched the answer, for clients of its own (ICAP).
	Relayed bool
	// Vintage says that the client is one of the old browsers that the configuration names.
	Vintage bool
	// Unlogged leaves the exchange out of the access log. It is set for a CONNECT that is intercepted, because each
	// request inside has its own line.
	Unlogged bool

	asked   url.URL
	started time.Time

	mu sync.Mutex
	// hints counts the interim responses.
	hints int
	// settled is set when the final response has arrived: no interim response may follow. over is set when the handler is
	// about to return: after that nobody may use the client's ResponseWriter.
	settled, over bool
	// requestErr is the error of reading the client's body, responseErr of the origin's.
	requestErr, responseErr error
}

// Connection is what all requests inside an intercepted connection share.
type Connection struct {
	// Scheme is "https", or "http" if the client speaks HTTP without TLS in the tunnel.
	Scheme string
	// Identity is the client that sent the CONNECT, Origin its destination.
	Identity access.Identity
	Origin   hostname.Authority
	// client is nil where the connection to the client can't gather what is written.
	client *Client
}

// Inside returns the connection that x, a CONNECT, has opened, with requests of scheme inside.
func (x *Exchange) Inside(scheme string) Connection {
	return Connection{Scheme: scheme, Identity: x.Identity, Origin: x.Origin, client: x.client}
}

// contextKey is the context key of an *Exchange, or for requests that have no exchange yet, of a *Connection or of the
// *Client of the proxy's listener.
type contextKey struct{}

// New returns the exchange of a new request, and the request with the exchange in its context. Copying to the client
// uses a buffer of b.
func New(w http.ResponseWriter, r *http.Request, b *wire.Buffers) (*Exchange, *http.Request) {
	x := &Exchange{Writer: newWriter(w, r, b), asked: *r.URL, started: time.Now()}
	switch c := r.Context().Value(contextKey{}).(type) {
	case *Connection:
		x.Within, x.Identity, x.client = c, c.Identity, c.client
	case *Client:
		x.client = c
	}
	return x, r.WithContext(x.On(r.Context()))
}

// On puts x into a context.
func (x *Exchange) On(ctx context.Context) context.Context {
	return context.WithValue(ctx, contextKey{}, x)
}

// Of returns the exchange in a request's context.
func Of(ctx context.Context) *Exchange { return ctx.Value(contextKey{}).(*Exchange) }

// Name returns the Name of the exchange in ctx. Without an exchange, as in programs without a proxy, it is empty, and
// all requests count as those of one client.
func Name(ctx context.Context) string {
	if x, ok := ctx.Value(contextKey{}).(*Exchange); ok {
		return x.Name
	}
	return ""
}

// Relayed reports whether another proxy has fetched the answer of the exchange in ctx, for clients of its own.
func Relayed(ctx context.Context) bool {
	x, ok := ctx.Value(contextKey{}).(*Exchange)
	return ok && x.Relayed
}

// Plain reports whether the client sent the request without TLS.
func (x *Exchange) Plain() bool { return x.Within == nil || x.Within.Scheme == "http" }

// Vintage reports whether the request of the exchange in ctx comes from one of the old browsers that the configuration
// names, and whether it came without TLS.
func Vintage(ctx context.Context) (vintage, plain bool) {
	if x, ok := ctx.Value(contextKey{}).(*Exchange); ok {
		return x.Vintage, x.Plain()
	}
	return false, false
}

// Device names the device that a request comes from, by user and address; it is empty where Name is.
func Device(ctx context.Context) string {
	if x, ok := ctx.Value(contextKey{}).(*Exchange); ok && x.Name != "" {
		return x.Identity.String()
	}
	return ""
}

// On puts c into the context of its requests.
func (c *Connection) On(ctx context.Context) context.Context {
	return context.WithValue(ctx, contextKey{}, c)
}

// Interim forwards a 1xx response (RFC 9110 §15.2) except 100: net/http sends a 100 itself when the transport begins to
// read the client's body.
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
	// Because of this field, which it then leaves out, net/http's HTTP/2 copies the header. Otherwise it may read the map
	// after it has returned, and the process crashes when a client resets its stream at that moment.
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

// Errs returns the errors of the two bodies.
func (x *Exchange) Errs() (request, response error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.requestErr, x.responseErr
}

// ReadDeadline sets the deadline for reading from the client; 0 means none. The transport may read the client's body
// after the handler has returned. By then, use of the ResponseWriter would affect the next request or panic (HTTP/2).
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
