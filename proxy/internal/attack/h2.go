// Package attack has hostile clients, to test the proxy's limits and to measure their effect on other clients.
// Everything is bounded, uses loopback only, and ends with its context.
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

// H2 is an HTTP/2 connection written frame by frame. Its methods are safe for concurrent use.
type H2 struct {
	conn   net.Conn
	framer *http2.Framer

	mu   sync.Mutex // guards writing, header compression included
	enc  *hpack.Encoder
	head bytes.Buffer
	next uint32
}

// Event is a response header or the end of a stream.
type Event struct {
	Stream uint32
	// Status is the status of the response, empty if the stream was reset.
	Status string
	// Header is the answer's header, names in lower case.
	Header map[string]string
}

// OpenH2 begins HTTP/2 on conn, whose TLS has negotiated it. window is the flow-control window of each response, which
// H2 never extends.
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

// Get sends a GET and returns its stream. fields are alternating names and values, sent unchanged.
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

// Reset resets a stream.
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
