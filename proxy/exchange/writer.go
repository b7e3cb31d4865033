package exchange

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// Writer sends an answer to the client. It does what a proxy needs and net/http does not:
//
//   - It flushes incomplete bodies, so that event streams and slow pages arrive as the origin sends them.
//   - It closes the connection after a request in chunks. net/http silently removes a Content-Length beside a
//     Transfer-Encoding, and such a request must be the last of its connection (RFC 9112 §6.1).
//   - It answers HTTP/1.0 with the proxy's own version (RFC 9110 §2.5), and closes that connection too.
//   - It keeps the bytes that a client sends before the answer to its CONNECT, which goproxy discards.
//   - It ends an HTTP/2 stream whose client does not read, as the listener ends a connection.
//   - It reports what it has sent: see Status, Sent and Taken.
type Writer struct {
	http.ResponseWriter
	// Stall is how long an HTTP/2 stream may accept no byte; 0 means no limit.
	Stall time.Duration
	// served is the request that net/http created. The handlers have a copy.
	served  *http.Request
	buffers *wire.Buffers
	// client is the connection below, nil where it can't gather what is written.
	client *Client
	status int
	sent   int64
	// missing is the number of body bytes still to come, -1 if the header does not say.
	missing int64
	// hasBody is false for answers without a body.
	hasBody bool
	taken   net.Conn
}

func newWriter(w http.ResponseWriter, r *http.Request, b *wire.Buffers) *Writer {
	if r.ProtoMajor == 1 && r.Body != http.NoBody {
		// An origin may answer before it has read the body (RFC 9110 §7.5); net/http would hold the answer back.
		_ = http.NewResponseController(w).EnableFullDuplex() // always there in HTTP/1
	}
	return &Writer{ResponseWriter: w, served: r, buffers: b}
}

// Status returns the status of the answer, 0 until its header has been written.
func (w *Writer) Status() int { return w.status }

// Sent returns the number of bytes of the body that were written.
func (w *Writer) Sent() int64 { return w.sent }

// Taken returns the client's connection if it was taken over, else nil.
func (w *Writer) Taken() net.Conn { return w.taken }

// WriteHeader implements http.ResponseWriter.
func (w *Writer) WriteHeader(status int) {
	if w.status != 0 || status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.status, w.missing = status, -1
	if n, err := strconv.ParseInt(w.Header().Get("Content-Length"), 10, 64); err == nil {
		w.missing = n
	}
	w.hasBody = w.served.Method != http.MethodHead && status != http.StatusNoContent && status != http.StatusNotModified
	w.endConnection()
	w.ResponseWriter.WriteHeader(status)
	if w.hasBody && w.missing < 0 {
		w.Flush() // the header of an event stream may come long before its first event
	}
}

// endConnection closes the connection after this answer if the request calls for that.
func (w *Writer) endConnection() {
	old := w.served.ProtoMajor == 1 && w.served.ProtoMinor == 0
	if w.served.ProtoMajor != 1 || !old && len(w.served.TransferEncoding) == 0 {
		return
	}
	w.Header().Set("Connection", "close")
	if old {
		// net/http derives the version of its answer from the request, and decides by it whether the client understands
		// chunks. This client does not.
		w.served.Proto, w.served.ProtoMinor = "HTTP/1.1", 1
		if w.missing < 0 {
			w.Header().Set("Transfer-Encoding", "identity") // net/http's word for a body that ends with the connection
		}
	}
}

// Write implements http.ResponseWriter.
func (w *Writer) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.client != nil && w.served.ProtoMajor == 1 { // the connections of HTTP/2 have other streams
		return w.gather(b)
	}
	w.limit()
	n, err := w.write(b)
	// net/http flushes a complete body together with its end.
	if err == nil && w.missing != 0 && w.hasBody {
		w.Flush()
	}
	return n, err
}

// gather writes b, together with the header before it, at once.
func (w *Writer) gather(b []byte) (n int, err error) {
	w.client.gather()
	defer func() { err = cmp.Or(err, w.client.flush()) }()
	if n, err = w.write(b); err == nil && w.hasBody {
		w.Flush()
	}
	return n, err
}

// write passes b to net/http and counts it.
func (w *Writer) write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.sent += int64(n)
	if w.missing >= 0 {
		w.missing -= int64(n)
	}
	return n, err
}

// ReadFrom implements io.ReaderFrom for io.Copy, with a pooled buffer.
func (w *Writer) ReadFrom(r io.Reader) (int64, error) {
	buf := w.buffers.Get()
	defer w.buffers.Put(buf)
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, *buf)
}

// Send sends resp with its trailers, and closes its body.
func (w *Writer) Send(resp *http.Response) {
	defer resp.Body.Close()
	h := w.Header()
	maps.Copy(h, resp.Header)
	announced := maps.Clone(resp.Trailer)
	for name := range announced {
		h.Add("Trailer", name)
	}
	w.WriteHeader(resp.StatusCode)
	if w.served.Method == http.MethodHead {
		return
	}
	_, _ = io.Copy(w, resp.Body) // the exchange remembers errors of the origin; the client knows its own
	for name, values := range resp.Trailer {
		if _, ok := announced[name]; !ok {
			name = http.TrailerPrefix + name
		}
		h[name] = values
	}
}

// limit bounds the time that the client takes to accept the next bytes, and the rest at the end. In HTTP/1 the
// connection has its own deadline.
func (w *Writer) limit() {
	if w.Stall > 0 && w.served.ProtoMajor == 2 {
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.Stall)) // always there in HTTP/2
	}
}

// Flush implements http.Flusher.
func (w *Writer) Flush() {
	w.limit()
	_ = http.NewResponseController(w.ResponseWriter).Flush() // what can't be flushed shows at the next write
}

// Unwrap serves http.ResponseController.
func (w *Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack implements http.Hijacker. Reads from the connection first return the bytes that the client sent ahead; the
// returned bufio.ReadWriter is empty.
func (w *Writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if w.status != 0 {
		return nil, nil, errors.New("connection taken over in the middle of a response")
	}
	c, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.taken = c
	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered()) // what is in the buffer is there
	c = wire.WithPrefix(c, bytes.Clone(ahead))
	return c, bufio.NewReadWriter(bufio.NewReader(c), bufio.NewWriter(c)), nil
}
