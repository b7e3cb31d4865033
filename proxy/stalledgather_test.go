package proxy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// smallBuffers is a listener whose connections hold little that the client has not read.
type smallBuffers struct {
	net.Listener
	buffers *wire.Buffers
	stall   time.Duration
}

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if err := c.(*net.TCPConn).SetWriteBuffer(4 << 10); err != nil {
		return nil, err
	}
	return exchange.NewClient(c, l.stall, l.buffers, func() {}), nil
}

// pieces reads as an origin's body arrives: in pieces that fit into what is gathered for one write.
type pieces struct{ io.Reader }

func (p pieces) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(len(b), 16_000)]) }

// When a client stalls so long that a part of an answer is given up, the answer to its next request must not follow in
// its place.
func TestNoAnswerInsideOfAStalledOne(t *testing.T) {
	for _, size := range []int{47_000, 48_000} { // the last piece fits, or fills the room
		ln := smallBuffers{listen(t, "127.0.0.1"), wire.NewBuffers(), 300 * time.Millisecond}
		served := make(chan struct{}, 2)
		s := &http.Server{ConnContext: connContext, ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x, _ := exchange.New(w, r, ln.buffers)
			body := strings.Repeat("a", size)
			if r.URL.Path == "/second" {
				body = "SECOND"
			}
			x.Send(&http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Length": {fmt.Sprint(len(body))}},
				Body: io.NopCloser(pieces{strings.NewReader(body)})})
			served <- struct{}{}
		})}
		go func() { _ = s.Serve(ln) }()
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, "GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n\r\n")
		<-served
		time.Sleep(ln.stall / 2) // the client reads again before the next write stalls too
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		all, err := io.ReadAll(c)
		if strings.Contains(string(all), "SECOND") && strings.Count(string(all), "a") < size || isTimeout(err) {
			t.Errorf("of %d bytes the client got %d, then another answer: %t, %v", size, len(all), strings.Contains(string(all), "SECOND"), err)
		}
		c.Close()
		s.Close()
	}
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error) //nolint:errorlint // as net.Conn returns it
	return ok && timeout.Timeout()
}
