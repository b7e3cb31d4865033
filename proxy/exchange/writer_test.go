package exchange

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// What is not complete is flushed: the first event of a stream arrives while the handler still runs.
func TestFlushesWhatIsIncomplete(t *testing.T) {
	next := make(chan struct{})
	s := serve(t, func(x *Exchange, _ *http.Request) {
		x.WriteHeader(http.StatusOK)
		<-next // until the client has the header
		_, _ = io.WriteString(x, "one\n")
		<-next // until the client has the first line
		_, _ = io.WriteString(x, "two\n")
	})
	resp, err := s.Client().Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for _, want := range []string{"one\n", "two\n"} {
		next <- struct{}{}
		if got, err := lines.ReadString('\n'); got != want || err != nil {
			t.Errorf("line %q, error %v", got, err)
		}
	}
}

// A request in chunks ends its connection, because net/http hides a Content-Length beside them (RFC 9112 §6.1).
func TestChunksEndConnection(t *testing.T) {
	s := serve(t, func(x *Exchange, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(x, "ok")
	})
	for request, last := range map[string]bool{
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi":                                      false,
		"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n":           true,
		"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n": true,
	} {
		resp, body := answer(t, raw(t, s, request), http.MethodPost)
		if resp.Close != last || body != "ok" {
			t.Errorf("%q: the connection ends: %v, body %q", request, resp.Close, body)
		}
	}
}

// HTTP/1.0 is answered with the proxy's own version (RFC 9110 §2.5), without chunks, and its connection ends.
func TestAnswersOldVersion(t *testing.T) {
	for _, declared := range []bool{false, true} {
		s := serve(t, func(x *Exchange, _ *http.Request) {
			if declared {
				x.Header().Set("Content-Length", "8")
			}
			_, _ = io.WriteString(x, "old ")
			_, _ = io.WriteString(x, "fine")
		})
		c := raw(t, s, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
		all, err := io.ReadAll(c) // the server ends the connection
		if err != nil {
			t.Fatal(err)
		}
		header, body, _ := strings.Cut(string(all), "\r\n\r\n")
		if !strings.HasPrefix(header, "HTTP/1.1 200 ") || body != "old fine" || strings.Contains(header, "chunked") ||
			!strings.Contains(header, "Connection: close") || strings.Contains(header, "Content-Length: 8") != declared {
			t.Errorf("declared %v: %q", declared, all)
		}
	}
}

// The writer knows what it has sent. Interim responses do not count, and a second status goes nowhere.
func TestKnowsWhatItSent(t *testing.T) {
	s := serve(t, func(x *Exchange, _ *http.Request) {
		x.WriteHeader(http.StatusEarlyHints)
		if x.Status() != 0 {
			t.Errorf("status %d after an interim response", x.Status())
		}
		if n, err := x.ReadFrom(strings.NewReader(strings.Repeat("x", 100_000))); n != 100_000 || err != nil {
			t.Errorf("%d bytes, error %v", n, err)
		}
		if x.Status() != http.StatusOK || x.Sent() != 100_000 || x.Taken() != nil {
			t.Errorf("status %d, %d bytes, taken %v", x.Status(), x.Sent(), x.Taken())
		}
	})
	c := bufio.NewReader(raw(t, s, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
	for _, want := range []struct{ status, length int }{{http.StatusEarlyHints, 0}, {http.StatusOK, 100_000}} {
		if resp, body := answer(t, c, http.MethodGet); resp.StatusCode != want.status || len(body) != want.length {
			t.Errorf("%s with %d bytes", resp.Status, len(body))
		}
	}
}

// Send sends a response and closes its body; the answer to HEAD has no body, but the length of one.
func TestSend(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		closed := make(chan bool, 1)
		s := serve(t, func(x *Exchange, _ *http.Request) {
			x.Send(&http.Response{StatusCode: http.StatusAccepted, Header: http.Header{"X-A": {"1", "2"}, "Content-Length": {"4"}},
				Body: closer{strings.NewReader("body"), closed}})
		})
		resp, body := answer(t, raw(t, s, method+" / HTTP/1.1\r\nHost: a\r\n\r\n"), method)
		want := map[string]string{http.MethodGet: "body"}[method]
		if resp.StatusCode != http.StatusAccepted || len(resp.Header["X-A"]) != 2 || body != want || resp.ContentLength != 4 || !<-closed {
			t.Errorf("%s: %v %q", method, resp, body)
		}
	}
}

type closer struct {
	io.Reader
	closed chan bool
}

func (c closer) Close() error {
	c.closed <- true
	return nil
}

// A connection that is taken over keeps what the client sent ahead, and can be half-closed.
func TestTakenOver(t *testing.T) {
	s := serve(t, func(x *Exchange, _ *http.Request) {
		c, rw, err := x.Hijack()
		if err != nil || x.Taken() == nil {
			t.Errorf("taken %v, error %v", x.Taken(), err)
			return
		}
		defer c.Close()
		if n := rw.Reader.Buffered(); n != 0 {
			t.Errorf("%d bytes are in the buffer", n)
		}
		ahead := make([]byte, 5)
		if _, err := io.ReadFull(c, ahead); err != nil || string(ahead) != "ahead" {
			t.Errorf("ahead %q, error %v", ahead, err)
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		if err := wire.CloseWrite(c); err != nil {
			t.Error(err)
		}
		if rest, err := io.ReadAll(c); err != nil || string(rest) != " and later" {
			t.Errorf("later %q, error %v", rest, err)
		}
	})
	c := raw(t, s, "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\nahead")
	if got, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 200") {
		t.Errorf("answer %q, error %v", got, err)
	}
	_, _ = io.WriteString(c, " and later")
	_ = wire.CloseWrite(c)
	_, _ = io.ReadAll(c)
}

// Nothing takes a connection over in the middle of a response, where the client would read the rest as something else.
func TestNotTakenOverInResponse(t *testing.T) {
	s := serve(t, func(x *Exchange, _ *http.Request) {
		x.Header().Set("Content-Length", "5")
		_, _ = io.WriteString(x, "wh")
		if _, _, err := x.Hijack(); err == nil || !strings.Contains(err.Error(), "in the middle of a response") {
			t.Errorf("error %v", err)
		}
		_, _ = io.WriteString(x, "ole")
	})
	if _, body := answer(t, raw(t, s, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"), http.MethodGet); body != "whole" {
		t.Errorf("answer %q", body)
	}
	x, _ := New(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil), wire.NewBuffers())
	if _, _, err := x.Hijack(); err == nil || x.Taken() != nil {
		t.Errorf("a writer without a connection gave one: %v, %v", x.Taken(), err)
	}
}

// A stream of HTTP/2 whose client does not read is given up after Stall, and others of the connection go on.
func TestStreamNobodyReads(t *testing.T) {
	ended := make(chan struct{})
	b := wire.NewBuffers()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x, _ := New(w, r, b)
		defer x.Finish()
		if r.URL.Path == "/fine" {
			_, _ = io.WriteString(x, "fine")
			return
		}
		x.Stall = 100 * time.Millisecond
		for {
			if _, err := x.Write(make([]byte, 64<<10)); err != nil {
				close(ended)
				return
			}
		}
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	resp, err := s.Client().Get(s.URL + "/stuck")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.ProtoMajor != 2 {
		t.Fatalf("protocol %s", resp.Proto)
	}
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("the stream is still open")
	}
	other, err := s.Client().Get(s.URL + "/fine")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Body.Close()
	if body, err := io.ReadAll(other.Body); string(body) != "fine" || err != nil {
		t.Errorf("another stream: %q, %v", body, err)
	}
}
