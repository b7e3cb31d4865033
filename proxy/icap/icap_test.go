package icap_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/icap"
)

// client is an ICAP client that writes what a test says.
type client struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
}

func dial(t *testing.T, addr string) *client {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return &client{t, c, bufio.NewReader(c)}
}

func (c *client) send(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.conn, format, args...); err != nil {
		c.t.Fatal(err)
	}
}

// answer is what came back: the HTTP header and body where there are any.
type answer struct {
	status string
	header textproto.MIMEHeader
	http   *http.Response
	body   string
}

func (c *client) receive() answer {
	c.t.Helper()
	a, err := c.read()
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

func (c *client) read() (a answer, err error) {
	text := textproto.NewReader(c.r)
	if a.status, err = text.ReadLine(); err != nil {
		return a, err
	}
	if a.header, err = text.ReadMIMEHeader(); err != nil {
		return a, err
	}
	var size int
	encapsulated := a.header.Get("Encapsulated")
	if n, _ := fmt.Sscanf(encapsulated, "res-hdr=0, res-body=%d", &size); n == 0 {
		if n, _ = fmt.Sscanf(encapsulated, "res-hdr=0, null-body=%d", &size); n == 0 {
			return a, nil
		}
	}
	head := make([]byte, size)
	if _, err = io.ReadFull(c.r, head); err != nil {
		return a, err
	}
	if a.http, err = http.ReadResponse(bufio.NewReader(strings.NewReader(string(head))), nil); err != nil {
		return a, err
	}
	if strings.Contains(encapsulated, "res-body") {
		body, err := io.ReadAll(httputil.NewChunkedReader(c.r))
		if err != nil {
			return a, err
		}
		a.body = string(body)
		_, err = text.ReadLine() // after the last chunk
		return a, err
	}
	return a, nil
}

// respmod is the header of a request about an answer. fields are lines of ICAP's.
func respmod(path, answerHead, body, fields string) string {
	req := "GET http://coast.test" + path + " HTTP/1.1\r\nHost: coast.test\r\n\r\n"
	kind := "res-body"
	if body == "" {
		kind = "null-body"
	}
	return fmt.Sprintf("RESPMOD icap://127.0.0.1/winnow ICAP/1.0\r\nHost: 127.0.0.1\r\n%sEncapsulated: req-hdr=0, res-hdr=%d, %s=%d\r\n\r\n%s%s",
		fields, len(req), kind, len(req)+len(answerHead), req, answerHead)
}

func chunked(body string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body) }

const (
	htmlHead  = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nEtag: \"v1\"\r\n\r\n"
	imageHead = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
)

// A page that is known to be too large is asked for before the answer begins, as nothing can be asked within it.
func TestLargePageAfterPreview(t *testing.T) {
	w := newWorld(t)
	text := "<p>" + strings.Repeat("And on and on it goes. ", 100000)
	head := strings.Replace(htmlHead, "Etag", fmt.Sprintf("Content-Length: %d\r\nEtag", len(text)), 1)
	c := dial(t, w.icap)
	c.send("%s0\r\n\r\n", respmod("/log/1", head, text, "Preview: 0\r\n"))
	if line, err := c.r.ReadString('\n'); err != nil || line != "ICAP/1.0 100 Continue\r\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	if _, err := c.r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(c.conn, chunked(text))
		sent <- err
	}()
	if a := c.receive(); a.body != text {
		t.Errorf("%s: %d bytes", a.status, len(a.body))
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
}

// Squid goes on with a body that has filled its buffer only when the answer begins.
func TestStalledBodyBeginsTheAnswer(t *testing.T) {
	w := newWorld(t)
	text := strings.Replace(logPage("/log/1"), "</main>", strings.Repeat("<p>And the mate, too, wrote down what he had seen of the coast.</p>", 2000)+"</main>", 1)
	first, rest := text[:70<<10], text[70<<10:]
	for _, mode := range []string{"", "?mode=text"} {
		c := dial(t, w.icap)
		c.send("%s", strings.Replace(respmod("/log/1", htmlHead, text, "Allow: 204\r\n"), "/winnow ", "/winnow"+mode+" ", 1))
		c.send("%x\r\n%s\r\n", len(first), first)
		if mode == "" { // in text, the answer can't begin before it is known whether it is text
			if head, err := c.r.Peek(12); err != nil || string(head) != "ICAP/1.0 200" {
				t.Fatalf("nothing begins: %q %v", head, err)
			}
		} else if err := c.conn.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		} else if head, err := c.r.Peek(12); err == nil {
			t.Errorf("in mode text, the answer begins early: %q", head)
		} else if err := c.conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
			t.Fatal(err)
		}
		c.send("%s", chunked(rest))
		a := c.receive()
		if strings.Contains(a.body, "Harbours") || strings.Count(a.body, "And the mate") != 2000 || strings.Contains(a.body, "<p>") != (mode == "") {
			t.Errorf("mode %q: %v: %d bytes, %.300s", mode, a.http.Header, len(a.body), a.body)
		}
		if early := a.http.Header.Get("Winnow") == "begun; reason=stalled"; early != (mode == "") || early && a.http.Header.Get("Etag") != "" {
			t.Errorf("mode %q: %v", mode, a.http.Header)
		}
	}
}

// What OPTIONS says is what RFC 3507 §4.10.2 wants: the methods, the tag, and how much of a body to show.
func TestOptions(t *testing.T) {
	w := newWorld(t)
	c := dial(t, w.icap)
	c.send("OPTIONS icap://127.0.0.1/winnow ICAP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
	a := c.receive()
	if a.status != "ICAP/1.0 200 OK" || a.header.Get("Methods") != "RESPMOD" || a.header.Get("Allow") != "204" ||
		a.header.Get("Preview") != "0" || a.header.Get("Max-Connections") == "" || a.header.Get("Encapsulated") != "null-body=0" {
		t.Errorf("got %q %v", a.status, a.header)
	}
	if tag := a.header.Get("Istag"); len(tag) < 4 || len(tag) > 34 || tag[0] != '"' {
		t.Errorf("ISTag is %q", tag)
	}
}

// A page comes back clean, with one that is not cleaned before and after it on the same connection.
func TestRespmod(t *testing.T) {
	w := newWorld(t)
	c := dial(t, w.icap)
	page := logPage("/log/1")
	for range 2 {
		c.send("%s%s", respmod("/picture", imageHead, "pixels", "Allow: 204\r\n"), chunked("pixels"))
		if a := c.receive(); a.status != "ICAP/1.0 204 No Content" {
			t.Fatalf("the picture: %q", a.status)
		}
		c.send("%s%s", respmod("/log/1", htmlHead, page, ""), chunked(page))
		a := c.receive()
		if a.status != "ICAP/1.0 200 OK" || !strings.Contains(a.body, "came from the north-east") || strings.Contains(a.body, "Harbours") {
			t.Fatalf("the page: %q, %q", a.status, a.body)
		}
		if tag := a.http.Header.Get("Etag"); tag == `"v1"` || a.http.Header.Get("Content-Length") != fmt.Sprint(len(a.body)) {
			t.Errorf("the header is not that of the page: %v", a.http.Header)
		}
	}
}

// The rest of a body is asked for where the page is wanted, and not where it is none; a preview may be all there is.
func TestPreview(t *testing.T) {
	w := newWorld(t)
	page := logPage("/log/2")
	for _, size := range []int{0, 100} {
		c := dial(t, w.icap)
		fields := fmt.Sprintf("Preview: %d\r\n", size)
		preview := func(body string) string {
			if size == 0 {
				return "0\r\n\r\n"
			}
			return chunked(body[:size])
		}
		pixels := strings.Repeat("pixels", 100)
		c.send("%s%s", respmod("/picture", imageHead, pixels, fields), preview(pixels))
		if a := c.receive(); a.status != "ICAP/1.0 204 No Content" {
			t.Fatalf("preview of %d: the picture: %q", size, a.status)
		}
		c.send("%s%s", respmod("/log/2", htmlHead, page, fields), preview(page))
		if a := c.receive(); a.status != "ICAP/1.0 100 Continue" {
			t.Fatalf("preview of %d: the page: %q", size, a.status)
		}
		c.send("%s", chunked(page[size:]))
		if a := c.receive(); !strings.Contains(a.body, "whom we had asked") || strings.Contains(a.body, "Harbours") {
			t.Fatalf("preview of %d: the page: %q", size, a.body)
		}
	}
	c := dial(t, w.icap)
	c.send("%s%x\r\n%s\r\n0; ieof\r\n\r\n", respmod("/log/2", htmlHead, page, "Preview: 4096\r\n"), len(page), page)
	if a := c.receive(); a.status != "ICAP/1.0 200 OK" || !strings.Contains(a.body, "whom we had asked") || strings.Contains(a.body, "Harbours") {
		t.Fatalf("a page within the preview: %q %q", a.status, a.body)
	}
	c.send("%s%s", respmod("/void", htmlHead, "x", "Preview: 1024\r\n"), "0; ieof\r\n\r\n")
	if a := c.receive(); a.status != "ICAP/1.0 204 No Content" && a.http == nil {
		t.Fatalf("a body without a byte: %q", a.status)
	}
}

// What passes after it was seen comes back whole: by 204 where the client permits that, else byte for byte.
func TestPassesWhole(t *testing.T) {
	w := newWorld(t)
	large := strings.Repeat("<p>And on and on it goes. ", 80_000) // 2 MB, over Limits.Body
	app := `<html><body><script>let words = "` + strings.Repeat("word ", 500) + `"</script></body></html>`
	for name, body := range map[string]string{"large": large, "application": app} {
		c := dial(t, w.icap)
		for _, fields := range []string{"", "Allow: 204\r\n"} {
			c.send("%s", respmod("/"+name, htmlHead, body, fields))
			sent := make(chan error, 1)
			go func() { _, err := io.WriteString(c.conn, chunked(body)); sent <- err }()
			a := c.receive()
			if err := <-sent; err != nil {
				t.Fatal(err)
			}
			if a.status != "ICAP/1.0 204 No Content" && a.body != body {
				t.Errorf("%s, %q: %s with %d of %d bytes", name, fields, a.status, len(a.body), len(body))
			}
		}
	}
}

// An answer without a body, and one to HEAD, keep their header.
func TestNoBody(t *testing.T) {
	w := newWorld(t)
	c := dial(t, w.icap)
	c.send("%s", respmod("/gone", "HTTP/1.1 304 Not Modified\r\nEtag: \"v1\"\r\n\r\n", "", "Allow: 204\r\n"))
	if a := c.receive(); a.status != "ICAP/1.0 204 No Content" {
		t.Errorf("304: %q", a.status)
	}
	c.send("%s", respmod("/gone", "HTTP/1.1 304 Not Modified\r\nEtag: \"v1\"\r\n\r\n", "", ""))
	if a := c.receive(); a.status != "ICAP/1.0 200 OK" || a.http.StatusCode != http.StatusNotModified {
		t.Errorf("304 where 204 is not permitted: %q %v", a.status, a.http)
	}
}

// A body that is shorter than its header says breaks off; it is not passed off as whole.
func TestShortBody(t *testing.T) {
	w := newWorld(t)
	c := dial(t, w.icap)
	page := logPage("/log/3")
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n", len(page)+10)
	c.send("%s%s", respmod("/log/3", head, page, ""), chunked(page))
	if a, err := c.read(); err == nil {
		t.Errorf("a short body came through as whole: %q", a.status)
	}
}

// The address of the service chooses the mode, and the client's own field goes before it.
func TestModeByAddress(t *testing.T) {
	w := newWorld(t)
	c := dial(t, w.icap)
	page := logPage("/log/4")
	c.send("%s%s", strings.Replace(respmod("/log/4", htmlHead, page, ""), "/winnow ", "/winnow?mode=text ", 1), chunked(page))
	if a := c.receive(); !strings.HasPrefix(a.http.Header.Get("Content-Type"), "text/plain") || strings.Contains(a.body, "<p>") {
		t.Errorf("mode=text: %v %q", a.http.Header, a.body)
	}
}

// What is wrong with a request is told, and the connection ends.
func TestRefusals(t *testing.T) {
	w := newWorld(t)
	for name, test := range map[string]struct{ send, want string }{
		"garbage":             {"GET / HTTP/1.1\r\n\r\n", "505 "},
		"no line":             {"\r\n", "400 "},
		"no version":          {"OPTIONS icap://127.0.0.1/winnow\r\n\r\n", "400 "},
		"another service":     {"OPTIONS icap://127.0.0.1/virus ICAP/1.0\r\n\r\n", "404 "},
		"another scheme":      {"OPTIONS http://127.0.0.1/winnow ICAP/1.0\r\n\r\n", "400 "},
		"reqmod":              {"REQMOD icap://127.0.0.1/winnow ICAP/1.0\r\nEncapsulated: null-body=0\r\n\r\n", "405 "},
		"another method":      {"LEARN icap://127.0.0.1/winnow ICAP/1.0\r\nEncapsulated: null-body=0\r\n\r\n", "501 "},
		"no encapsulated":     {"RESPMOD icap://127.0.0.1/winnow ICAP/1.0\r\n\r\n", "400 "},
		"wrong order":         {"RESPMOD icap://127.0.0.1/winnow ICAP/1.0\r\nEncapsulated: res-hdr=0, req-hdr=10, res-body=20\r\n\r\n", "400 "},
		"offsets go back":     {"RESPMOD icap://127.0.0.1/winnow ICAP/1.0\r\nEncapsulated: req-hdr=0, res-hdr=30, res-body=20\r\n\r\n", "400 "},
		"no body part":        {"RESPMOD icap://127.0.0.1/winnow ICAP/1.0\r\nEncapsulated: req-hdr=0, res-hdr=30\r\n\r\n", "400 "},
		"negative preview":    {respmod("/", htmlHead, "x", "Preview: -1\r\n"), "400 "},
		"huge preview":        {respmod("/", htmlHead, "x", "Preview: 99999999\r\n"), "400 "},
		"longer than preview": {respmod("/", htmlHead, "x", "Preview: 2\r\n") + chunked("four"), "400 "},
		"no answer":           {"RESPMOD icap://127.0.0.1/winnow ICAP/1.0\r\nEncapsulated: null-body=0\r\n\r\n", "400 "},
		"huge header":         {"OPTIONS icap://127.0.0.1/winnow ICAP/1.0\r\nX: " + strings.Repeat("x", 200<<10) + "\r\n\r\n", "431 "},
		"huge answer header":  {"RESPMOD icap://127.0.0.1/winnow ICAP/1.0\r\nEncapsulated: res-hdr=0, null-body=9999999\r\n\r\n", "431 "},
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, w.icap)
			go func() { _, _ = io.WriteString(c.conn, test.send) }() // the server may hang up before the end
			a := c.receive()
			if !strings.HasPrefix(a.status, "ICAP/1.0 "+test.want) || a.header.Get("Connection") != "close" || a.header.Get("X-Winnow-Error") == "" {
				t.Errorf("got %q %v, want %s", a.status, a.header, test.want)
			}
			if _, err := c.read(); err == nil {
				t.Error("the connection goes on")
			}
		})
	}
}

// A chunk that is none ends the connection: nobody can say where the next request begins.
func TestMalformedChunk(t *testing.T) {
	w := newWorld(t)
	c := dial(t, w.icap)
	c.send("%sthis is no chunk\r\n\r\n", respmod("/log/5", htmlHead, "x", ""))
	if a, err := c.read(); err == nil && a.status != "" {
		t.Errorf("got %q", a.status)
	}
}

// Strangers are hung up on, and where there are too many connections the next is told so.
func TestAdmission(t *testing.T) {
	w := newWorld(t, func(o *icap.Options) { o.Admit = func(netip.Addr) bool { return false } })
	c := dial(t, w.icap)
	c.send("OPTIONS icap://127.0.0.1/winnow ICAP/1.0\r\n\r\n")
	if a, err := c.read(); err == nil {
		t.Errorf("a stranger got %q", a.status)
	}
	w = newWorld(t, func(o *icap.Options) { o.Limits.Connections = 1 })
	first := dial(t, w.icap)
	first.send("OPTIONS icap://127.0.0.1/winnow ICAP/1.0\r\n\r\n")
	first.receive()
	if a := dial(t, w.icap).receive(); !strings.HasPrefix(a.status, "ICAP/1.0 503 ") {
		t.Errorf("the second connection: %q", a.status)
	}
}

// The client that the proxy in front names is the one whose limits count, and where cleaning fails the answer passes.
func TestWhoAsks(t *testing.T) {
	var asked []access.Identity
	w := newWorld(t, func(o *icap.Options) {
		o.Clean = func(_ *http.Request, _ *http.Response, who access.Identity) error {
			asked = append(asked, who)
			return errors.New("too many requests")
		}
	})
	c := dial(t, w.icap)
	page := logPage("/log/6")
	c.send("%s%s", respmod("/log/6", htmlHead, page, "X-Client-IP: 192.0.2.7\r\nX-Client-Username: anne\r\n"), chunked(page))
	if a := c.receive(); a.body != page {
		t.Errorf("the page did not pass: %q", a.body)
	}
	c.send("%s%s", respmod("/log/6", htmlHead, page, "X-Client-IP: nobody\r\nAllow: 204\r\n"), chunked(page))
	if a := c.receive(); a.status != "ICAP/1.0 204 No Content" {
		t.Errorf("the page did not pass: %q", a.status)
	}
	if len(asked) != 2 || asked[0].String() != "anne@192.0.2.7" || asked[1].String() != "127.0.0.1" {
		t.Errorf("asked in the name of %v", asked)
	}
}

// A panic costs the connection, and the client still has the answer.
func TestPanicIsContained(t *testing.T) {
	w := newWorld(t, func(o *icap.Options) {
		o.Clean = func(*http.Request, *http.Response, access.Identity) error { panic("of the test") }
	})
	c := dial(t, w.icap)
	c.send("%s", respmod("/picture", imageHead, "pixels", "Preview: 0\r\n")+"0\r\n\r\n")
	if a, err := c.read(); err == nil {
		t.Errorf("got %q", a.status)
	}
	dial(t, w.icap).send("OPTIONS icap://127.0.0.1/winnow ICAP/1.0\r\n\r\n")
}
