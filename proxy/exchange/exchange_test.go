package exchange

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server whose requests are exchanges, and returns it.
func serve(t *testing.T, f func(*Exchange, *http.Request)) *httptest.Server {
	t.Helper()
	b := wire.NewBuffers()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x, r := New(w, r, b)
		defer x.Finish()
		f(x, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// raw opens a connection to s, on which it has written request.
func raw(t *testing.T, s *httptest.Server, request string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	return c
}

// answer reads the answer to a request for method from c.
func answer(t *testing.T, c io.Reader, method string) (*http.Response, string) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// The exchange travels in the context, under one key, which a connection has until there is an exchange.
func TestContext(t *testing.T) {
	if name := Name(context.Background()); name != "" {
		t.Errorf("without an exchange, the client is called %q", name)
	}
	c := &Connection{Identity: access.Identity{User: "ann"}, Origin: hostname.Authority{Host: "a.example", Port: "443"}}
	r := httptest.NewRequest(http.MethodGet, "/page", nil)
	r = r.WithContext(c.On(r.Context()))
	if name := Name(r.Context()); name != "" {
		t.Errorf("before the exchange, the client is called %q", name)
	}
	x, r := New(httptest.NewRecorder(), r, wire.NewBuffers())
	x.Name = "user ann"
	if Of(r.Context()) != x || x.Within != c || x.Identity.User != "ann" || Name(r.Context()) != "user ann" {
		t.Errorf("exchange %+v, name %q", x, Name(r.Context()))
	}
	if ctx := x.On(context.Background()); Of(ctx) != x {
		t.Error("a context of its own does not carry the exchange")
	}
}

// Interim responses pass, without what concerns one hop, but 100, which net/http sends itself.
func TestInterimPasses(t *testing.T) {
	s := serve(t, func(x *Exchange, r *http.Request) {
		hints := func() http.Header {
			return http.Header{"Link": {"</a.css>; rel=preload"}, "Connection": {"X-Hop"}, "X-Hop": {"1"}, "Alt-Svc": {"h3"}}
		}
		for _, status := range []int{http.StatusContinue, http.StatusEarlyHints} {
			if err := x.Interim(r, status, hints()); err != nil {
				t.Error(err)
			}
		}
		x.Settle()
		if err := x.Interim(r, http.StatusEarlyHints, hints()); err != nil {
			t.Error(err)
		}
		x.Header().Set("X-Final", "1")
		x.WriteHeader(http.StatusNoContent)
	})
	var got []int
	var header textproto.MIMEHeader
	trace := &httptrace.ClientTrace{Got1xxResponse: func(status int, h textproto.MIMEHeader) error {
		got, header = append(got, status), h
		return nil
	}}
	req, _ := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodGet, s.URL, nil)
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if !slices.Equal(got, []int{http.StatusEarlyHints}) {
		t.Errorf("interim responses %v", got)
	}
	if header.Get("Link") == "" || header.Get("X-Hop") != "" || header.Get("Connection") != "" || header.Get("Alt-Svc") != "" {
		t.Errorf("header of the interim response: %v", header)
	}
	if resp.Header.Get("Link") != "" || resp.Header.Get("X-Final") != "1" {
		t.Errorf("header of the final response: %v", resp.Header)
	}
}

// An HTTP/1.0 client gets no interim response, and nobody gets any number of them or one that comes too late.
func TestInterimStops(t *testing.T) {
	w := httptest.NewRecorder()
	x, r := New(w, httptest.NewRequest(http.MethodGet, "/", nil), wire.NewBuffers())
	old := r.Clone(r.Context())
	old.Proto, old.ProtoMinor = "HTTP/1.0", 0
	if err := x.Interim(old, http.StatusEarlyHints, http.Header{"Link": {"</a>"}}); err != nil || w.Code != http.StatusOK {
		t.Errorf("HTTP/1.0: status %d, error %v", w.Code, err)
	}
	x.Finish()
	for i := 1; i < MaxInterim; i++ {
		if err := x.Interim(r, http.StatusEarlyHints, http.Header{}); err != nil {
			t.Fatalf("interim response %d: %v", i+1, err)
		}
	}
	if err := x.Interim(r, http.StatusEarlyHints, http.Header{}); !errors.Is(err, errTooManyInterim) {
		t.Errorf("one too many: %v", err)
	}
	if w.Code != http.StatusOK || len(w.Header()) != 0 {
		t.Errorf("the writer was touched after the end: %d %v", w.Code, w.Header())
	}
}

// A client that stops sending its body is cut off, and the exchange says that it was the client.
func TestRequestStalls(t *testing.T) {
	failed := make(chan [2]error, 1)
	s := serve(t, func(x *Exchange, r *http.Request) {
		body := x.WatchRequest(r.Body, 50*time.Millisecond)
		_, err := io.ReadAll(body)
		body.Close()
		request, response := x.Errs()
		failed <- [2]error{err, request}
		if response != nil {
			t.Errorf("the origin is blamed: %v", response)
		}
	})
	raw(t, s, "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 10\r\n\r\nhalf")
	if errs := <-failed; !wire.TimedOut(errs[0]) || !wire.TimedOut(errs[1]) {
		t.Errorf("read: %v, request: %v", errs[0], errs[1])
	}
}

// A body that came whole leaves no deadline behind, so that the answer may take longer than the body might have
// stalled.
func TestRequestEndsWatch(t *testing.T) {
	s := serve(t, func(x *Exchange, r *http.Request) {
		body := x.WatchRequest(r.Body, 50*time.Millisecond)
		if b, err := io.ReadAll(body); string(b) != "whole" || err != nil {
			t.Errorf("body %q, error %v", b, err)
		}
		body.Close()
		select {
		case <-r.Context().Done():
			t.Error("the request ended while its answer was made")
		case <-time.After(200 * time.Millisecond):
		}
		_, _ = io.WriteString(x, "done")
	})
	c := raw(t, s, "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\n\r\nwhole")
	if _, body := answer(t, c, http.MethodPost); body != "done" {
		t.Errorf("answer %q", body)
	}
}

// An origin that stops sending is cut off by its request's cancellation; an end is no failure.
func TestResponseStalls(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	pr, pw := io.Pipe()
	context.AfterFunc(ctx, func() { pw.CloseWithError(context.Cause(ctx)) })
	x, _ := New(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil), wire.NewBuffers())
	resp := &http.Response{Body: pr}
	x.WatchResponse(resp, 20*time.Millisecond, cancel)
	go func() { _, _ = io.WriteString(pw, "half") }()
	body, err := io.ReadAll(resp.Body)
	if string(body) != "half" || !errors.Is(err, stalledError{}) {
		t.Errorf("body %q, error %v", body, err)
	}
	if request, response := x.Errs(); request != nil || !errors.Is(response, stalledError{}) {
		t.Errorf("request %v, response %v", request, response)
	}
	resp.Body.Close()
}

func TestResponseEndsWatch(t *testing.T) {
	for name, body := range map[string]io.ReadCloser{"a body": io.NopCloser(strings.NewReader("whole")), "none": http.NoBody} {
		ctx, cancel := context.WithCancelCause(t.Context())
		x, _ := New(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil), wire.NewBuffers())
		resp := &http.Response{Body: body}
		x.WatchResponse(resp, time.Minute, cancel)
		if _, err := io.ReadAll(resp.Body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		resp.Body.Close()
		if _, err := x.Errs(); err != nil || ctx.Err() == nil {
			t.Errorf("%s: error %v; the request is over: %v", name, err, ctx.Err() != nil)
		}
	}
}

// A line of the log names what the client asked for, a tunnel's its target, and a request within a connection its
// origin.
func TestEntry(t *testing.T) {
	get := httptest.NewRequest(http.MethodGet, "http://a.example/page?q=1", nil)
	tunnel := httptest.NewRequest(http.MethodConnect, "b.example:443", nil)
	inside := httptest.NewRequest(http.MethodGet, "/deep", nil)
	c := &Connection{Scheme: "https", Identity: access.Identity{User: "ann"}, Origin: hostname.Authority{Host: "c.example", Port: "443"}}
	inside = inside.WithContext(c.On(inside.Context()))
	for _, tc := range []struct {
		r                        *http.Request
		scheme, host, path, user string
		status                   int
		sent                     int64
	}{
		{get, "http", "a.example", "/page", "", http.StatusTeapot, 4},
		{tunnel, "", "b.example:443", "", "", http.StatusOK, 99},
		{inside, "https", "c.example", "/deep", "ann", http.StatusTeapot, 4},
	} {
		x, r := New(httptest.NewRecorder(), tc.r, wire.NewBuffers())
		if tc.r == tunnel {
			x.End.Status, x.End.Sent = http.StatusOK, 99
		} else {
			x.Header().Set("Winnow", "passed; reason=test")
			x.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(x, "tea\n")
		}
		r.URL.Path, r.URL.Host = "/changed", "changed.example" // what the proxy does to a request is not what was asked
		e := x.Entry(r)
		if e.Scheme != tc.scheme || e.Host != tc.host || e.Path != tc.path || e.User != tc.user || e.Status != tc.status || e.Bytes != tc.sent {
			t.Errorf("%s: %+v", tc.r.Method, e)
		}
		if e.Client != "192.0.2.1" || (e.Outcome == "") != (tc.r == tunnel) || e.Took < 0 {
			t.Errorf("%s: %+v", tc.r.Method, e)
		}
	}
}
