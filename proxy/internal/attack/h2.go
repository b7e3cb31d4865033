// Package attack holds clients that do what no sound client does: to try the proxy's limits in tests, and to measure
// what others notice of it. Everything in it is bounded, works on loopback alone, and ends with its context.
package attack

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// H2 is a connection of HTTP/2 written frame by frame. Its methods may be called side by side.
type H2 struct {
	conn   net.Conn
	framer *http2.Framer

	mu   sync.Mutex // guards writing, header compression included
	enc  *hpack.Encoder
	head bytes.Buffer
	next uint32
}

// Event is what became of a stream: a status, or its end.
type Event struct {
	Stream uint32
	// Status is that of an answer's header; it is empty where the stream was reset.
	Status string
	// Header is the answer's header, names in lower case.
	Header map[string]string
}

// OpenH2 begins HTTP/2 on conn, on which TLS has agreed on it. window is how many bytes of each answer the proxy may
// send before it is told that they were read, which H2 never says.
func OpenH2(conn net.Conn, window uint32) (*H2, error) {
	h := &H2{conn: conn, framer: http2.NewFramer(conn, conn), next: 1}
	h.framer.AllowIllegalWrites = true
	h.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	h.enc = hpack.NewEncoder(&h.head)
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		return nil, fmt.Errorf("open HTTP/2: %w", err)
	}
	if err := h.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window}); err != nil {
		return nil, fmt.Errorf("open HTTP/2: %w", err)
	}
	return h, nil
}

// Get sends a GET and returns its stream. fields are names and values in turns, sent as they are.
func (h *H2) Get(authority, path string, fields ...string) (stream uint32, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.head.Reset()
	fields = append([]string{":method", "GET", ":scheme", "https", ":authority", authority, ":path", path}, fields...)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := h.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}); err != nil {
			return 0, err
		}
	}
	stream = h.next
	h.next += 2
	return stream, h.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: h.head.Bytes(),
		EndStream: true, EndHeaders: true})
}

// Reset takes a stream back.
func (h *H2) Reset(stream uint32) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.framer.WriteRSTStream(stream, http2.ErrCodeCancel)
}

// Next waits for the next event. One goroutine may call it. It fails when the connection ends.
func (h *H2) Next() (Event, error) {
	for {
		f, err := h.framer.ReadFrame()
		if err != nil {
			return Event{}, err
		}
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				h.mu.Lock()
				err = h.framer.WriteSettingsAck()
				h.mu.Unlock()
			}
		case *http2.PingFrame:
			if !f.IsAck() {
				h.mu.Lock()
				err = h.framer.WritePing(true, f.Data)
				h.mu.Unlock()
			}
		case *http2.RSTStreamFrame:
			return Event{Stream: f.StreamID}, nil
		case *http2.GoAwayFrame:
			return Event{}, fmt.Errorf("the proxy ends the connection: %s", f.ErrCode)
		case *http2.MetaHeadersFrame:
			e := Event{Stream: f.StreamID, Header: map[string]string{}}
			for _, field := range f.Fields {
				e.Header[field.Name] = field.Value
			}
			e.Status = e.Header[":status"]
			return e, nil
		}
		if err != nil {
			return Event{}, err
		}
	}
}

// Close closes the connection.
func (h *H2) Close() error { return h.conn.Close() }
