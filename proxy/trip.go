package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-proxy/winnow/proxy/hop"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// stalledError says that nothing of a body arrived for Limits.Stall.
type stalledError struct{}

// Error implements error.
func (stalledError) Error() string { return "the body stalled" }

// Timeout implements net.Error's half that tells a failure's class.
func (stalledError) Timeout() bool { return true }

// maxInterim is how many interim responses one request may get. net/http has no limit where they are looked at.
const maxInterim = 32

var errTooManyInterim = errors.New("too many 1xx responses")

// tripKey is the context key of a *trip.
type tripKey struct{}

// trip is the state of one request on its way to the origin and back. It travels in the request's context, because
// goproxy stands between the handler and the round trip.
type trip struct {
	client *clientWriter
	// target is the RequestURI as the client sent it.
	target string
	// origin is where the request goes; it is set once it is known to make sense.
	origin hostname.Authority

	mu sync.Mutex
	// hints counts the interim responses.
	hints int
	// settled is set when the final response has come: interim ones must not follow it. over is set when the
	// handler is about to return: the client's ResponseWriter must not be touched any more.
	settled, over bool
	// requestErr is what went wrong with reading the client's body, responseErr with the origin's.
	requestErr, responseErr error
}

func withTrip(ctx context.Context, t *trip) context.Context {
	return context.WithValue(ctx, tripKey{}, t)
}

func tripOf(ctx context.Context) *trip { return ctx.Value(tripKey{}).(*trip) }

// interim passes a 1xx response on (RFC 9110 §15.2). 100 is left out: net/http sends one by itself as soon as the
// origin's makes the transport read the client's body.
func (t *trip) interim(req *http.Request, status int, h http.Header) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hints++; t.hints > maxInterim {
		return errTooManyInterim
	}
	if status == http.StatusContinue || !req.ProtoAtLeast(1, 1) || t.settled || t.over {
		return nil
	}
	hop.Strip(h)
	h.Del("Alt-Svc") // as in stripResponse
	out := t.client.Header()
	for k, v := range h {
		out[k] = v
	}
	// net/http's HTTP/2 leaves the field out, and copies the header to do so; else it may still read the map when it has
	// returned, which ends the process as soon as a client resets its stream at the wrong moment.
	out["Content-Length"] = []string{"0"}
	t.client.WriteHeader(status)
	clear(out)
	return nil
}

// settle marks the arrival of the final response.
func (t *trip) settle() {
	t.mu.Lock()
	t.settled = true
	t.mu.Unlock()
}

// finish marks the end of the handler.
func (t *trip) finish() {
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
}

func (t *trip) requestFailed(err error) {
	t.mu.Lock()
	t.requestErr = err
	t.mu.Unlock()
}

func (t *trip) responseFailed(err error) {
	t.mu.Lock()
	t.responseErr = err
	t.mu.Unlock()
}

// errs returns what went wrong with the bodies.
func (t *trip) errs() (request, response error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.requestErr, t.responseErr
}

// readDeadline sets the deadline on reading from the client, none for 0. The transport may read the client's body
// after the handler has returned, when touching the ResponseWriter would hurt the next request or panic (HTTP/2).
func (t *trip) readDeadline(after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	var at time.Time
	if after > 0 {
		at = time.Now().Add(after)
	}
	_ = http.NewResponseController(t.client).SetReadDeadline(at) // without deadlines, the stall is not noticed
}

// requestBody is the client's body on its way to the origin; a client that stalls is cut off.
type requestBody struct {
	io.ReadCloser
	trip  *trip
	stall time.Duration
	ended atomic.Bool
}

// Read implements io.Reader.
func (b *requestBody) Read(p []byte) (int, error) {
	b.trip.readDeadline(b.stall)
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.ended.Store(true)
		b.trip.readDeadline(0) // net/http reads on to see whether the client leaves, for as long as the response takes
	} else if err != nil {
		b.trip.requestFailed(err)
	}
	return n, err
}

// Close implements io.Closer. net/http reads what is left of the body first, for which the client gets as long.
func (b *requestBody) Close() error {
	if b.ended.Load() {
		return b.ReadCloser.Close()
	}
	b.trip.readDeadline(b.stall)
	err := b.ReadCloser.Close()
	if wire.TimedOut(err) {
		b.trip.requestFailed(err)
	}
	return err
}

// responseBody is the origin's body on its way to the client; an origin that stalls is cut off. It remembers a failure,
// because goproxy would end the response as if it were complete.
type responseBody struct {
	io.ReadCloser
	trip   *trip
	stall  time.Duration
	cancel context.CancelCauseFunc
	timer  *time.Timer
	// touched is set by the first Read.
	touched atomic.Bool
}

// watchBody puts a responseBody around the body of resp, if it has one. cancel ends the request.
func (t *trip) watchBody(resp *http.Response, stall time.Duration, cancel context.CancelCauseFunc) *responseBody {
	body := &responseBody{ReadCloser: resp.Body, trip: t, stall: stall, cancel: cancel}
	if resp.Body == http.NoBody {
		cancel(nil)
	} else {
		resp.Body = body
	}
	return body
}

// Read implements io.Reader.
func (b *responseBody) Read(p []byte) (int, error) {
	b.touched.Store(true)
	if b.timer == nil {
		b.timer = time.AfterFunc(b.stall, func() { b.cancel(stalledError{}) })
	} else {
		b.timer.Reset(b.stall)
	}
	n, err := b.ReadCloser.Read(p)
	b.timer.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		b.trip.responseFailed(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *responseBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}
