package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"
)

// eachPath runs f for a client of plain HTTP and of intercepted HTTPS with either protocol, against origin.
func eachPath(t *testing.T, origin http.HandlerFunc, f func(t *testing.T, r *world, c *http.Client, url string)) {
	t.Helper()
	newWorld(t).eachPath(t, origin, f)
}

func (r *world) eachPath(t *testing.T, origin http.HandlerFunc, f func(t *testing.T, r *world, c *http.Client, url string)) {
	t.Helper()
	plain, secure := r.origin("127.0.1.1", origin), r.secureOrigin("127.0.1.2", "site.test", origin)
	t.Run("http", func(t *testing.T) { f(t, r, r.client(false), plain) })
	t.Run("https 1.1", func(t *testing.T) { f(t, r, r.client(false), secure) })
	t.Run("https 2", func(t *testing.T) { f(t, r, r.client(true), secure) })
}

func TestHopByHopFieldsStayOnTheirHop(t *testing.T) {
	var seen http.Header
	r := newWorld(t)
	u := r.origin("127.0.1.1", func(w http.ResponseWriter, req *http.Request) {
		seen = req.Header.Clone()
		h := w.Header()
		h.Set("Connection", "X-Gone")
		h.Set("X-Gone", "1")
		h.Set("X-Kept", "1")
		h.Set("Keep-Alive", "timeout=5")
		h.Set("Proxy-Authenticate", "Basic")
		h.Set("Alt-Svc", `h3=":443"`)
		h.Set("Upgrade", "h2c")
	})
	c := r.dial()
	fmt.Fprintf(c, "GET %s/ HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, X-Mine, Host, Cookie\r\nX-Mine: 1\r\nCookie: a=b\r\n"+
		"Keep-Alive: 300\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic eDp5\r\nTE: trailers, deflate\r\n"+
		"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nX-Other: 1\r\n\r\n", u)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Connection", "X-Mine", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Upgrade",
		"Http2-Settings", "User-Agent", "Accept-Encoding"} {
		if v, ok := seen[name]; ok {
			t.Errorf("request: %s: %q went on", name, v)
		}
	}
	if seen.Get("Te") != "trailers" || seen.Get("Cookie") != "a=b" || seen.Get("X-Other") != "1" {
		t.Errorf("request: lost what should go on: %v", seen)
	}
	for _, name := range []string{"X-Gone", "Keep-Alive", "Proxy-Authenticate", "Alt-Svc", "Upgrade", "Content-Type"} {
		if v, ok := resp.Header[name]; ok {
			t.Errorf("response: %s: %q came through", name, v)
		}
	}
	if resp.Header.Get("X-Kept") != "1" {
		t.Error("response: X-Kept is gone")
	}
}

func TestViaBothWays(t *testing.T) {
	eachPath(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Add("Via", "1.1 origin-cache")
		fmt.Fprint(w, strings.Join(req.Header["Via"], ", "))
	}, func(t *testing.T, r *world, c *http.Client, u string) {
		resp, body := get(t, c, u, "Via", "1.0 first")
		asked, answered := http.Header{"Via": {body}}, resp.Header
		if want := fmt.Sprintf("1.0 first, %d.%d winnow-", resp.ProtoMajor, resp.ProtoMinor); !strings.HasPrefix(body, want) ||
			!strings.HasSuffix(body, " (http://www.w3.org/ns/ct)") || !r.server.via.Seen(asked) {
			t.Errorf("request: Via %q, want %q", body, want)
		}
		got := strings.Join(resp.Header["Via"], ", ")
		if !strings.HasPrefix(got, "1.1 origin-cache, ") || !r.server.via.Seen(answered) {
			t.Errorf("response: Via %q", got)
		}
		// No site, and no script that reads an answer, knows a proxy again by what it puts in.
		again, other := get(t, c, u, "Via", "1.0 first")
		if other == body || strings.Join(again.Header["Via"], ", ") == got {
			t.Errorf("the same again: %q, %q", other, got)
		}
	})
}

func TestLoopsAreBroken(t *testing.T) {
	r := newWorld(t)
	c := r.client(false)
	resp, body := get(t, c, "http://site.test/", "Via", "1.1 other, 1.1 "+r.server.via.Pseudonym()+" (x)")
	if resp.StatusCode != http.StatusLoopDetected || resp.Header.Get("Winnow") != "failed; reason=loop" {
		t.Errorf("got %s, Winnow %q: %s", resp.Status, resp.Header.Get("Winnow"), body)
	}
	tunnel := r.dial()
	fmt.Fprintf(tunnel, "CONNECT site.test:443 HTTP/1.1\r\nHost: site.test:443\r\nVia: 1.1 %s\r\n\r\n", r.server.via.Pseudonym())
	if resp, err := http.ReadResponse(bufio.NewReader(tunnel), nil); err != nil || resp.StatusCode != http.StatusLoopDetected {
		t.Errorf("CONNECT: got %v, %v", resp, err)
	}
	// A request for the proxy's own address reaches nothing either.
	resp, _ = get(t, c, "http://"+r.addr+"/")
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("own address: got %s", resp.Status)
	}
}

func TestPathAndQueryGoOnAsTheyCame(t *testing.T) {
	var line string
	r := newWorld(t)
	addr := r.rawOrigin("127.0.1.1", func(c net.Conn) {
		line, _ = bufio.NewReader(c).ReadString('\n')
		fmt.Fprint(c, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
	})
	for _, tc := range []struct{ method, target, want string }{
		{"GET", "/a|b/%7Ec/[d]?q={x}&y=a|b", "/a|b/%7Ec/[d]?q={x}&y=a|b"},
		{"GET", "/%e4%f6/../x", "/%e4%f6/../x"},
		{"GET", "//double/slash", "//double/slash"},
		{"GET", "/?", "/?"},
		{"GET", "", "/"},
		{"GET", "?q", "/?q"},
		{"OPTIONS", "", "*"},
		{"OPTIONS", "/", "/"},
	} {
		c := r.dial()
		fmt.Fprintf(c, "%s http://%s%s HTTP/1.1\r\nHost: x\r\n\r\n", tc.method, addr, tc.target)
		if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || resp.StatusCode != http.StatusNoContent {
			t.Errorf("%s %q: %v, %v", tc.method, tc.target, resp, err)
		} else if want := tc.method + " " + tc.want + " HTTP/1.1\r\n"; line != want {
			t.Errorf("%s %q: origin saw %q, want %q", tc.method, tc.target, line, want)
		}
	}
}

// Paths may hold whole addresses, as those of archives and of sign-in pages do.
func TestAddressesWithinAddressesGoOnAsTheyCame(t *testing.T) {
	r := newWorld(t)
	echo := func(w http.ResponseWriter, req *http.Request) { fmt.Fprint(w, req.RequestURI) }
	for _, base := range []string{r.origin("127.0.1.1", echo), r.secureOrigin("127.0.1.2", "a.test", echo)} {
		for _, h2 := range []bool{false, true} {
			for _, target := range []string{"/sign-in?next=http://b.test/y", "/web/2020/https://b.test/c?d=e://f/g", "/http://b.test",
				"/?u=http://b.test", "/a?b=://", "//b.test/c"} {
				if _, body := get(t, r.client(h2), base+target); body != target {
					t.Errorf("%s, HTTP/2 %v: asked for %s, the origin got %s", base, h2, target, body)
				}
			}
		}
	}
}

// An origin sends nothing more until the client has what it sent before, so that nothing may be held back for what
// follows.
func TestEventStreamsArriveAtOnce(t *testing.T) {
	for _, contentType := range []string{"text/event-stream", "application/x-ndjson"} {
		next, ended := make(chan struct{}), make(chan struct{})
		eachPath(t, func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Type", contentType)
			for _ = http.NewResponseController(w).Flush(); ; _ = http.NewResponseController(w).Flush() {
				select {
				case <-next:
					fmt.Fprintln(w, time.Now().Format(time.RFC3339Nano))
				case <-req.Context().Done():
					ended <- struct{}{}
					return
				}
			}
		}, func(t *testing.T, _ *world, c *http.Client, u string) {
			resp, err := c.Get(u)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { resp.Body.Close(); <-ended }()
			var late []time.Duration
			for lines := bufio.NewScanner(resp.Body); len(late) < 10; {
				next <- struct{}{}
				if !lines.Scan() {
					t.Fatalf("after %d events: %v", len(late), lines.Err())
				}
				sent, err := time.Parse(time.RFC3339Nano, lines.Text())
				if err != nil {
					t.Fatal(err)
				}
				late = append(late, time.Since(sent))
			}
			// What would hold events for a while would hold each: the quickest is the proxy's part, the rest the machine's.
			if slices.Min(late) > 50*time.Millisecond {
				t.Errorf("events were late by %v", late)
			}
		})
	}
}

func TestEarlyHintsPass(t *testing.T) {
	eachPath(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Link", "</other.css>; rel=preload")
		fmt.Fprint(w, "done")
	}, func(t *testing.T, _ *world, c *http.Client, u string) {
		var hint string
		req, _ := http.NewRequest(http.MethodGet, u, nil)
		req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
			Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
				hint = fmt.Sprint(code, " ", h.Get("Link"))
				return nil
			}}))
		resp, body := do(t, c, req)
		if hint != "103 </style.css>; rel=preload" || body != "done" {
			t.Errorf("hint %q, body %q", hint, body)
		}
		if got := resp.Header["Link"]; len(got) != 1 || got[0] != "</other.css>; rel=preload" {
			t.Errorf("the final response has Link %q", got)
		}
	})
}

func TestExpectContinueWaitsForTheOrigin(t *testing.T) {
	// Neither the proxy nor the client sends the body unasked.
	r := newWorld(t, func(o *Options) { o.Limits.Continue = time.Hour })
	r.eachPath(t, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/no" {
			w.WriteHeader(http.StatusExpectationFailed)
			return
		}
		_, _ = io.Copy(w, req.Body)
	}, func(t *testing.T, _ *world, c *http.Client, u string) {
		c.Transport.(*http.Transport).ExpectContinueTimeout = time.Hour
		for path, want := range map[string]int{"/yes": http.StatusOK, "/no": http.StatusExpectationFailed} {
			continued := false
			req, _ := http.NewRequest(http.MethodPost, u+path, strings.NewReader("body"))
			req.Header.Set("Expect", "100-continue")
			req = req.WithContext(httptrace.WithClientTrace(req.Context(),
				&httptrace.ClientTrace{Got100Continue: func() { continued = true }}))
			resp, _ := do(t, c, req)
			// net/http's HTTP/2 server keeps the field to itself and answers as soon as the body is asked for, which RFC
			// 9110 §10.1.1 permits: it may say so even where the origin does not.
			right := continued == (path == "/yes") || resp.ProtoMajor == 2
			if resp.StatusCode != want || !right {
				t.Errorf("%s: %s, told to continue: %v", path, resp.Status, continued)
			}
		}
	})
}

func TestTrailersPassBothWays(t *testing.T) {
	eachPath(t, func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		w.Header().Set("Trailer", "X-Sum")
		fmt.Fprint(w, "body")
		w.Header().Set("X-Sum", "got "+req.Trailer.Get("X-Mine"))
		w.Header().Set(http.TrailerPrefix+"X-Late", "unannounced")
	}, func(t *testing.T, _ *world, c *http.Client, u string) {
		req, _ := http.NewRequest(http.MethodPost, u, io.MultiReader(strings.NewReader("x"))) // of unknown length
		req.Trailer = http.Header{"X-Mine": {"mine"}}
		resp, _ := do(t, c, req)
		if got := resp.Trailer.Get("X-Sum"); got != "got mine" {
			t.Errorf("trailer X-Sum %q, all %v", got, resp.Trailer)
		}
		if got := resp.Trailer.Get("X-Late"); got != "unannounced" {
			t.Errorf("trailer X-Late %q", got)
		}
	})
}

func TestFramingOfAnswersWithoutBody(t *testing.T) {
	eachPath(t, func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/head":
			w.Header().Set("Content-Length", "12345")
		case "/204":
			w.WriteHeader(http.StatusNoContent)
		case "/304":
			w.Header().Set("Etag", `"x"`)
			w.WriteHeader(http.StatusNotModified)
		case "/empty":
			w.Header().Set("Content-Length", "0")
		}
	}, func(t *testing.T, _ *world, c *http.Client, u string) {
		for _, tc := range []struct {
			method, path string
			status       int
			length       int64
		}{
			{http.MethodHead, "/head", 200, 12345}, {http.MethodGet, "/204", 204, 0}, {http.MethodGet, "/304", 304, 0},
			{http.MethodGet, "/empty", 200, 0},
		} {
			req, _ := http.NewRequest(tc.method, u+tc.path, nil)
			resp, body := do(t, c, req)
			length := resp.ContentLength
			if tc.status == 304 && length == -1 {
				length = 0 // a 304 without Content-Length over HTTP/2
			}
			if resp.StatusCode != tc.status || length != tc.length || body != "" {
				t.Errorf("%s %s: %s, Content-Length %d, body %q", tc.method, tc.path, resp.Status, resp.ContentLength, body)
			}
		}
	})
}

// goproxy ends a response that broke off as if it were complete, which would let half a file pass for a whole one.
func TestTruncationIsNotHidden(t *testing.T) {
	eachPath(t, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/length" {
			w.Header().Set("Content-Length", "100000")
		}
		fmt.Fprint(w, strings.Repeat("x", 5000))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}, func(t *testing.T, _ *world, c *http.Client, u string) {
		for _, path := range []string{"/length", "/chunked"} {
			resp, err := c.Get(u + path)
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if err == nil {
				t.Errorf("%s: %d bytes and no error", path, n)
			}
		}
	})
}

func TestMaxForwardsIsCountedDown(t *testing.T) {
	eachPath(t, func(w http.ResponseWriter, req *http.Request) {
		fmt.Fprint(w, "origin, ", req.Header.Get("Max-Forwards"))
	}, func(t *testing.T, _ *world, c *http.Client, u string) {
		for _, tc := range []struct{ method, field, want string }{
			{http.MethodOptions, "2", "origin, 1"}, {http.MethodOptions, "0", ""}, {http.MethodTrace, "1", "origin, 0"},
			{http.MethodGet, "0", "origin, 0"}, {http.MethodOptions, "soon", "origin, soon"},
		} {
			req, _ := http.NewRequest(tc.method, u, nil)
			req.Header.Set("Max-Forwards", tc.field)
			if resp, body := do(t, c, req); resp.StatusCode != 200 || body != tc.want {
				t.Errorf("%s with %s: %s %q, want %q", tc.method, tc.field, resp.Status, body, tc.want)
			}
		}
		req, _ := http.NewRequest(http.MethodTrace, u, nil)
		req.Header = http.Header{"Max-Forwards": {"0"}, "Cookie": {"secret"}, "Authorization": {"secret"}, "X-Mine": {"mine"}}
		resp, body := do(t, c, req)
		if resp.Header.Get("Content-Type") != "message/http" || !strings.HasPrefix(body, "TRACE ") ||
			!strings.Contains(body, "X-Mine: mine\r\n") || strings.Contains(body, "secret") {
			t.Errorf("%s: %q", resp.Header.Get("Content-Type"), body)
		}
	})
}
