package exchange

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// stalledError says that no byte of a body arrived for Limits.Stall.
type stalledError struct{}

// Error implements error.
func (stalledError) Error() string { return "the body stalled" }

// Timeout implements the method of net.Error by which callers recognise timeouts.
func (stalledError) Timeout() bool { return true }

// requestBody is the client's body on its way to the origin. Reads fail if the client stalls.
type requestBody struct {
	io.ReadCloser
	exchange *Exchange
	stall    time.Duration
	ended    atomic.Bool
}

// Read implements io.Reader.
func (b *requestBody) Read(p []byte) (int, error) {
	b.exchange.ReadDeadline(b.stall)
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.ended.Store(true)
		b.exchange.ReadDeadline(0) // net/http keeps reading during the response, to notice a client that leaves
	} else if err != nil {
		b.exchange.requestFailed(err)
	}
	return n, err
}

// Close implements io.Closer. net/http first reads the rest of the body; the client gets the same time for that.
func (b *requestBody) Close() error {
	if b.ended.Load() {
		return b.ReadCloser.Close()
	}
	b.exchange.ReadDeadline(b.stall)
	err := b.ReadCloser.Close()
	if wire.TimedOut(err) {
		b.exchange.requestFailed(err)
	}
	return err
}

// WatchRequest returns body, the client's. Reading it fails when nothing arrives for stall.
func (x *Exchange) WatchRequest(body io.ReadCloser, stall time.Duration) io.ReadCloser {
	return &requestBody{ReadCloser: body, exchange: x, stall: stall}
}

// responseBody is the origin's body on its way to the client. Reads fail if the origin stalls. It remembers the
// failure, because goproxy would end the response as if it were complete.
type responseBody struct {
	io.ReadCloser
	exchange *Exchange
	stall    time.Duration
	cancel   context.CancelCauseFunc
	timer    *time.Timer
}

// WatchResponse watches the body of resp, if it has one: reading it fails when nothing arrives for stall, and the
// exchange remembers the error. cancel ends the request.
func (x *Exchange) WatchResponse(resp *http.Response, stall time.Duration, cancel context.CancelCauseFunc) {
	if resp.Body == http.NoBody {
		cancel(nil)
		return
	}
	resp.Body = &responseBody{ReadCloser: resp.Body, exchange: x, stall: stall, cancel: cancel}
}

// Read implements io.Reader.
func (b *responseBody) Read(p []byte) (int, error) {
	if b.timer == nil {
		b.timer = time.AfterFunc(b.stall, func() { b.cancel(stalledError{}) })
	} else {
		b.timer.Reset(b.stall)
	}
	n, err := b.ReadCloser.Read(p)
	b.timer.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		b.exchange.responseFailed(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *responseBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}
