package proxy

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
	"github.com/winnow-proxy/winnow/proxy/limits"
)

// outcome is what a client is to get from an origin that fails.
type outcome uint8

const (
	// explained: an error page, with a status and a reason.
	explained outcome = iota
	// broken: the origin's header, the beginning of its body, and then an error: never an end that looks like the end.
	broken
	// whole: the origin's body, to the last byte.
	whole
)

// fault is an origin that does something wrong once it has read a request.
type fault struct {
	name string
	// do answers the request.
	do   func(c net.Conn, contentType string)
	want outcome
	// status and reason are those of the page; other is a second reason that will do, as the network decides.
	status        int
	reason, other failure.Reason
	body          string
}

// faultBody is a page that cleaning would not leave as it is, were it sound.
var faultBody = `<html><body><div id="nav"><a href="/1">One thing</a> <a href="/2">Another thing</a></div>` + //nolint:gochecknoglobals // a long constant
	strings.Repeat("<p>A paragraph of some length, which stands for the story that the page is about.</p>", 20) + "</body></html>"

func head(contentType, rest string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: " + contentType + "\r\n" + rest + "\r\n"
}

// reset ends a connection with RST, whatever is on its way.
func reset(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	_ = c.(*net.TCPConn).SetLinger(0)
	c.Close()
}

// stall waits until the other side has had enough.
func stall(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// say writes text, all at once.
func say(text string) func(net.Conn, string) {
	return func(c net.Conn, _ string) { fmt.Fprint(c, text) }
}

// drip writes text a few bytes at a time.
func drip(c net.Conn, text string, size int, pause time.Duration) {
	for len(text) > 0 {
		n := min(size, len(text))
		if _, err := fmt.Fprint(c, text[:n]); err != nil {
			return
		}
		text = text[n:]
		time.Sleep(pause)
	}
}

// withBody writes a header that promises a body in some framing, half of that body, and then does something.
func withBody(framing string, then func(net.Conn)) func(net.Conn, string) {
	return func(c net.Conn, contentType string) {
		half := faultBody[:len(faultBody)/2]
		if strings.HasPrefix(framing, "Transfer-Encoding") {
			half = fmt.Sprintf("%x\r\n%s\r\n", len(half), half)
		}
		fmt.Fprint(c, head(contentType, framing), half)
		then(c)
	}
}

// faultsBeforeTheBody are those of which the client learns by a page.
func faultsBeforeTheBody() []fault {
	page := func(name string, status int, reason, other failure.Reason, do func(net.Conn, string)) fault {
		return fault{name: name, do: do, want: explained, status: status, reason: reason, other: other}
	}
	return []fault{
		page("closes without a word", 502, failure.Reset, "", say("")),
		page("resets without a word", 502, failure.Reset, "", func(c net.Conn, _ string) { reset(c) }),
		page("closes in its header", 502, failure.Reset, failure.Protocol, say("HTTP/1.1 200 OK\r\nContent-Le")),
		page("resets in its header", 502, failure.Reset, failure.Protocol, func(c net.Conn, _ string) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Le")
			reset(c)
		}),
		page("stalls", 504, failure.Timeout, "", func(c net.Conn, _ string) { stall(c) }),
		page("stalls in its header", 504, failure.Timeout, "", func(c net.Conn, _ string) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Le")
			stall(c)
		}),
		page("drips its header for ever", 504, failure.Timeout, "", func(c net.Conn, t string) {
			drip(c, head(t, "X-Slow: "+strings.Repeat("x", 10_000)+"\r\n"), 1, 20*time.Millisecond)
		}),
		page("header without end", 502, failure.Protocol, "", func(c net.Conn, _ string) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\n")
			drip(c, strings.Repeat("X-More: "+strings.Repeat("x", 1000)+"\r\n", 10_000), 64<<10, 0)
		}),
		page("one header line without end", 502, failure.Protocol, "", func(c net.Conn, _ string) {
			drip(c, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 8<<20), 64<<10, 0)
		}),
		page("nothing but interim answers", 502, failure.Protocol, "", func(c net.Conn, _ string) {
			drip(c, strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 10_000), 64<<10, 0)
		}),
		page("not HTTP", 502, failure.Protocol, "", say("\x16\x03\x01\x00\x00garbage\r\n\r\n")),
		page("zeros", 502, failure.Protocol, failure.Reset, say(strings.Repeat("\x00", 4096))),
		page("a status that is none", 502, failure.Protocol, "", say("HTTP/1.1 9x9 What\r\n\r\n")),
		page("a status below 100", 502, failure.Protocol, "", say("HTTP/1.1 099 What\r\nContent-Length: 0\r\n\r\n")),
		page("a version that is none", 502, failure.Protocol, "", say("HTTP/7 200 OK\r\n\r\n")),
		page("a header line that is none", 502, failure.Protocol, "", say("HTTP/1.1 200 OK\r\nno colon here\r\n\r\n")),
		page("a length below nothing", 502, failure.Protocol, "", say("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n")),
		page("two lengths", 502, failure.Protocol, "", say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef")),
		page("a coding of transfer that nobody knows", 502, failure.Protocol, "", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\nabc")),
	}
}

// faultsInTheBody are those that the client sees as it would without the proxy.
func faultsInTheBody(t *testing.T) []fault {
	bomb := gzipped(t, make([]byte, 64<<20))
	length := fmt.Sprintf("Content-Length: %d\r\n", len(faultBody))
	const chunked = "Transfer-Encoding: chunked\r\n"
	hangUp := func(net.Conn) {}
	all := func(framing, tail string) func(net.Conn, string) {
		return func(c net.Conn, contentType string) { fmt.Fprint(c, head(contentType, framing), faultBody, tail) }
	}
	return []fault{
		{name: "closes midway", do: withBody(length, hangUp), want: broken},
		{name: "closes midway, chunked", do: withBody(chunked, hangUp), want: broken},
		{name: "resets midway", do: withBody(length, reset), want: broken},
		{name: "resets midway, chunked", do: withBody(chunked, reset), want: broken},
		{name: "stalls midway", do: withBody(length, stall), want: broken},
		{name: "stalls midway, chunked", do: withBody(chunked, stall), want: broken},
		{name: "chunks that are none", do: withBody(chunked, func(c net.Conn) { fmt.Fprint(c, "zz\r\nwhat\r\n0\r\n\r\n") }), want: broken},
		{name: "a chunk without end", do: withBody(chunked, func(c net.Conn) {
			fmt.Fprint(c, "7fffffffffffffff\r\n", faultBody[len(faultBody)/2:])
		}), want: broken},
		{name: "half-closed", do: func(c net.Conn, contentType string) {
			all(length, "")(c, contentType)
			_ = wire.CloseWrite(c)
			stall(c)
		}, want: whole, body: faultBody},
		{name: "ends with the connection", do: all("", ""), want: whole, body: faultBody},
		{name: "ends with the half-closed connection", do: func(c net.Conn, contentType string) {
			all("", "")(c, contentType)
			_ = wire.CloseWrite(c)
			stall(c)
		}, want: whole, body: faultBody},
		{name: "more than it said", do: all(length, "and more"), want: whole, body: faultBody},
		{name: "another answer behind its own", do: all(length, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), want: whole, body: faultBody},
		{name: "drips", do: func(c net.Conn, contentType string) {
			fmt.Fprint(c, head(contentType, length))
			drip(c, faultBody, 100, 10*time.Millisecond)
		}, want: whole, body: faultBody},
		{name: "a bomb", do: func(c net.Conn, contentType string) {
			fmt.Fprint(c, head(contentType, fmt.Sprintf("Content-Encoding: gzip\r\nContent-Length: %d\r\n", len(bomb))), bomb)
		}, want: whole, body: bomb},
	}
}

// faultyOrigin starts an origin that serves the fault at /, and answers other paths as it should.
func (r *world) faultyOrigin(secure bool, f fault, contentType string) string {
	const ip = "127.0.1.7"
	addr := r.rawOrigin(ip, func(c net.Conn) {
		if secure {
			config := r.origins.TLSConfig(ip)
			config.NextProtos = []string{"http/1.1"}
			tc := tls.Server(c, config)
			defer tc.Close()
			c = tc
		}
		swallow(c)
		f.do(c, contentType)
	})
	if secure {
		return "https://" + addr + "/"
	}
	return "http://" + addr + "/"
}

// Origins fail in every way there is, on every path and in pages as in downloads: the client gets a page that says what
// is wrong, or what the origin sent, and then an error where the origin broke off; and the proxy goes on.
func TestOriginsThatFail(t *testing.T) {
	t.Parallel()
	stalls := func(f fault) bool {
		return strings.Contains(f.name, "stalls") || strings.Contains(f.name, "drips its header")
	}
	for _, group := range []struct {
		name   string
		limits func(*limits.Limits)
		faults []fault
		// atOnce is how many origins fail at a time.
		atOnce int
	}{
		{"before the body", func(*limits.Limits) {}, without(faultsBeforeTheBody(), stalls), 8},
		{"in the body", func(*limits.Limits) {}, without(faultsInTheBody(t), stalls), 8},
		// Only those who wait for nothing are short of time, so that a busy machine does no harm.
		{"header stalls", func(l *limits.Limits) { l.Response = 2 * time.Second }, only(faultsBeforeTheBody(), stalls), 20},
		{"body stalls", func(l *limits.Limits) { l.Stall = 2 * time.Second }, only(faultsInTheBody(t), stalls), 20},
	} {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			option, models := cleaning(t, t.TempDir())
			r := newWorld(t, option, func(o *Options) { group.limits(&o.Limits) })
			t.Cleanup(func() { r.end(); _ = models.Close(context.Background()) })
			r.fail(t, group.faults, group.atOnce)
		})
	}
}

func only(faults []fault, such func(fault) bool) []fault {
	return without(faults, func(f fault) bool { return !such(f) })
}

func without(faults []fault, such func(fault) bool) []fault {
	return slices.DeleteFunc(slices.Clone(faults), such)
}

// fail has origins fail on every path, a few at a time, and checks what clients get; after each, a sound origin is
// served.
func (r *world) fail(t *testing.T, faults []fault, atOnce int) {
	t.Helper()
	const soundAnswer = "all is well"
	sound := r.secureOrigin("127.0.1.8", "sound.test", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, soundAnswer) })
	var g errgroup.Group
	g.SetLimit(atOnce)
	pages := 0.0
	for _, f := range faults {
		for _, path := range []string{"http", "https 1.1", "https 2"} {
			for _, contentType := range []string{"application/octet-stream", "text/html"} {
				if f.want == explained {
					pages++
				}
				g.Go(func() error {
					c := r.client(path == "https 2")
					if err := f.check(c, r.faultyOrigin(path != "http", f, contentType)); err != nil {
						t.Errorf("%s, %s, %s: %v", f.name, path, contentType, err)
					}
					if err := (fault{want: whole, body: soundAnswer}).check(c, sound); err != nil {
						t.Errorf("after %s, %s, %s: %v", f.name, path, contentType, err)
					}
					return nil
				})
			}
		}
	}
	_ = g.Wait() // there are none
	m := r.server.metrics
	for _, reason := range []failure.Reason{failure.Reset, failure.Protocol, failure.Timeout} {
		pages -= m.Failures.WithLabelValues(string(reason)).Value()
	}
	if n := m.Panics.WithLabelValues("response").Value(); pages != 0 || n != 0 {
		t.Errorf("%v error pages were not counted, %v panics", pages, n)
	}
}

// check fetches u and says in what it differs from what the fault is to give.
func (f fault) check(c *http.Client, u string) error {
	req, err := http.NewRequest(http.MethodGet, u, nil)
	if err != nil {
		return err
	}
	for k, v := range map[string]string{"Accept": "text/html", "Accept-Encoding": "gzip", "Sec-Fetch-Dest": "document"} {
		req.Header.Set(k, v)
	}
	resp, err := c.Do(req)
	if err != nil && f.want == broken { // the header and the break came in one
		return nil
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	winnow, ok := resp.Header.Get("Winnow"), false
	switch got := failure.Reason(strings.TrimPrefix(winnow, "failed; reason=")); f.want {
	case explained:
		ok = resp.StatusCode == f.status && (got == f.reason || got == f.other && got != "") && err == nil &&
			strings.Contains(string(body), "<h1>")
	case broken:
		ok = resp.StatusCode == 200 && err != nil && strings.HasPrefix(faultBody, string(body))
	case whole: // a page is sound after all where the end was; what cleaning leaves of it is tested elsewhere
		ok = resp.StatusCode == 200 && err == nil && (string(body) == f.body || strings.HasPrefix(winnow, "cleaned"))
	}
	if !ok {
		return fmt.Errorf("%s, Winnow %q, %d bytes, error %v; want outcome %d %s", resp.Status, winnow, len(body), err, f.want, //nolint:errorlint // may be nil
			f.reason)
	}
	return nil
}

// What an origin sends behind its answer must not become the answer to somebody else's request.
func TestAnswersBehindAnAnswerReachNobody(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	u := "http://" + r.rawOrigin("127.0.1.1", func(c net.Conn) {
		for range 5 {
			swallow(c)
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
		}
	})
	for range 20 {
		if _, body := get(t, r.client(false), u); body != "good" {
			t.Fatalf("got %q", body)
		}
	}
}

// An origin that refuses an upload in the midst of it is heard, or its connection's end explained.
func TestUploadsThatAreRefusedMidway(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	for name, then := range map[string]func(net.Conn){"and reads on": stall, "and closes": func(net.Conn) {}, "and resets": reset} {
		u := "http://" + r.rawOrigin("127.0.1.1", func(c net.Conn) {
			swallow(c)
			fmt.Fprint(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
			then(c)
		})
		c := r.dial()
		fmt.Fprintf(c, "POST %s/ HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", u, 64<<20)
		sent := make(chan struct{})
		go func() { // net/http's client might give up writing before it reads
			defer close(sent)
			for chunk, err := make([]byte, 64<<10), error(nil); err == nil; {
				_, err = c.Write(chunk)
			}
		}()
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if resp.StatusCode != 413 && resp.Header.Get("Winnow") != "failed; reason=reset" {
			t.Errorf("%s: %s, Winnow %q", name, resp.Status, resp.Header.Get("Winnow"))
		}
		_ = c.Close() // ends the writing
		<-sent
	}
}

// Streams of HTTP/2 are reset one by one, and other streams of their connection live on.
func TestStreamsThatAreReset(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	u := r.secureOrigin("127.0.1.1", "site.test", func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/header":
			panic(http.ErrAbortHandler)
		case "/body":
			fmt.Fprint(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, req.Proto)
	})
	c := r.client(true)
	for range 3 {
		if resp, _ := get(t, c, u+"/header"); resp.StatusCode != 502 || !strings.HasPrefix(resp.Header.Get("Winnow"), "failed; reason=") {
			t.Errorf("before the header: %s, Winnow %q", resp.Status, resp.Header.Get("Winnow"))
		}
		resp, err := c.Get(u + "/body")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != "half" || err == nil {
			t.Errorf("in the body: %q, %v", body, err)
		}
		if _, body := get(t, c, u); body != "HTTP/2.0" {
			t.Errorf("afterwards: %q", body)
		}
	}
}

func gzipped(t *testing.T, b []byte) string {
	t.Helper()
	var out strings.Builder
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
