package proxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// clientWriter is the way to the client. It flushes what is not complete at once, so that event streams and slow pages
// arrive as the origin sends them; goproxy alone flushes event streams only. Its Hijack keeps the bytes that the
// client sent ahead, which goproxy throws away after CONNECT.
type clientWriter struct {
	http.ResponseWriter
	buffers *wire.Buffers
	// status is 0 until the header has been written.
	status int
	// missing is the number of bytes of the body still to come, -1 when the header does not say.
	missing int64
	// hasBody is false for answers that end with their header.
	hasBody bool
	head    bool
	// hijacked is set when the connection is no longer net/http's.
	hijacked bool
}

func newClientWriter(w http.ResponseWriter, r *http.Request, b *wire.Buffers) *clientWriter {
	return &clientWriter{ResponseWriter: w, buffers: b, head: r.Method == http.MethodHead}
}

// WriteHeader implements http.ResponseWriter.
func (w *clientWriter) WriteHeader(status int) {
	if status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.status, w.missing = status, -1
	if n, err := strconv.ParseInt(w.Header().Get("Content-Length"), 10, 64); err == nil {
		w.missing = n
	}
	w.hasBody = !w.head && status != http.StatusNoContent && status != http.StatusNotModified
	w.ResponseWriter.WriteHeader(status)
	if w.hasBody && w.missing < 0 {
		w.Flush() // the header of an event stream may come long before its first event
	}
}

// Write implements http.ResponseWriter.
func (w *clientWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(b)
	if w.missing >= 0 {
		w.missing -= int64(n)
	}
	// A body that is now complete is flushed by net/http together with its end.
	if err == nil && w.missing != 0 && w.hasBody {
		w.Flush()
	}
	return n, err
}

// ReadFrom implements io.ReaderFrom for io.Copy, with a pooled buffer.
func (w *clientWriter) ReadFrom(r io.Reader) (int64, error) {
	buf := w.buffers.Get()
	defer w.buffers.Put(buf)
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, *buf)
}

// Flush implements http.Flusher.
func (w *clientWriter) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush() // what can't be flushed shows at the next write
}

// Unwrap serves http.ResponseController.
func (w *clientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack implements http.Hijacker. What the client sent ahead is read from the connection first, and the
// bufio.ReadWriter that is returned beside it is empty.
func (w *clientWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.hijacked = true
	if rw.Writer.Buffered() > 0 {
		c.Close()
		return nil, nil, errors.New("connection taken over in the middle of a response")
	}
	ahead, err := rw.Reader.Peek(rw.Reader.Buffered())
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	c = wire.WithPrefix(c, append([]byte(nil), ahead...))
	return c, bufio.NewReadWriter(bufio.NewReader(c), bufio.NewWriter(c)), nil
}
