package proxy

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"
)

func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }

func TestFetchOverEveryPath(t *testing.T) {
	r := newWorld(t)
	body := make([]byte, 300<<10)
	_, _ = rand.Read(body)
	echo := func(w http.ResponseWriter, req *http.Request) {
		sent, _ := io.ReadAll(req.Body)
		w.Header().Set("X-Proto", req.Proto)
		w.Header().Set("X-Host", req.Host)
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(append(sent, body...))
	}
	plain := r.origin("127.0.1.1", echo)
	secure := r.secureOrigin("127.0.1.2", "site.test", echo)
	for _, tc := range []struct {
		name, url, upstream string
		h2                  bool
	}{
		{"http", plain, "HTTP/1.1", false},
		{"https, client with HTTP/1.1", secure, "HTTP/2.0", false},
		{"https, client with HTTP/2", secure, "HTTP/2.0", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			req, _ := http.NewRequest(http.MethodPost, tc.url+"/a?b=c", strings.NewReader("sent"))
			resp, got := do(t, r.client(tc.h2), req)
			if sha256.Sum256([]byte(got)) != sha256.Sum256(append([]byte("sent"), body...)) {
				t.Errorf("the body changed: %d bytes", len(got))
			}
			if resp.Header.Get("X-Proto") != tc.upstream || (resp.ProtoMajor == 2) != tc.h2 {
				t.Errorf("origin saw %s, client got %s", resp.Header.Get("X-Proto"), resp.Proto)
			}
			if got := resp.Header.Get("X-Host"); got != hostPort(tc.url) {
				t.Errorf("origin saw Host %q, want %q", got, hostPort(tc.url))
			}
			if resp.ContentLength != int64(len(body)+4) && resp.ContentLength != -1 {
				t.Errorf("Content-Length %d", resp.ContentLength)
			}
		})
	}
}

func TestConcurrentClientsGetTheirOwnAnswers(t *testing.T) {
	r := newWorld(t)
	echo := func(w http.ResponseWriter, req *http.Request) { fmt.Fprintf(w, "%s %s", req.Host, req.URL.Path) }
	var urls []string
	for i := range 4 {
		urls = append(urls, r.origin(fmt.Sprintf("127.0.1.%d", 10+i), echo),
			r.secureOrigin(fmt.Sprintf("127.0.1.%d", 20+i), fmt.Sprintf("s%d.test", i), echo))
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		c := r.client(worker%2 == 0)
		wg.Go(func() {
			for i := range 40 {
				u := urls[(worker+i)%len(urls)]
				path := fmt.Sprintf("/%d/%d", worker, i)
				_, got := get(t, c, u+path)
				if want := hostPort(u) + " " + path; got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
	wg.Wait()
}

// Without shared ticket keys every connection costs a signature: goproxy resumed 0 of 3.
func TestSessionsResume(t *testing.T) {
	r := newWorld(t)
	u := r.secureOrigin("127.0.1.1", "site.test", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	c := r.client(true)
	resumed := 0
	for range 3 {
		ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
			TLSHandshakeDone: func(cs tls.ConnectionState, _ error) {
				if cs.DidResume {
					resumed++
				}
			}})
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
		do(t, c, req)
		c.CloseIdleConnections()
	}
	if resumed != 2 {
		t.Errorf("%d of the 2 later connections resumed", resumed)
	}
	if n := r.server.metrics.Handshakes.WithLabelValues("resumed").Value(); n != 2 {
		t.Errorf("counted %v resumed handshakes", n)
	}
}

func TestAbsoluteHTTPSRequestIsFetched(t *testing.T) {
	r := newWorld(t)
	u := r.secureOrigin("127.0.1.1", "site.test", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	c := r.dial()
	fmt.Fprintf(c, "GET %s/ HTTP/1.1\r\nHost: elsewhere.test\r\nConnection: close\r\n\r\n", u)
	answer, _ := io.ReadAll(c)
	if !bytes.HasPrefix(answer, []byte("HTTP/1.1 200 OK\r\n")) || !bytes.HasSuffix(answer, []byte("hello")) {
		t.Errorf("got %q", answer)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	a := newAuthority(t)
	for name, tc := range map[string]struct {
		o    Options
		want string
	}{
		"authority":   {Options{}, "authority"},
		"listen":      {Options{Authority: a, Listen: "nowhere"}, `"nowhere"`},
		"bypass":      {Options{Authority: a, Bypass: []string{"https://x.test"}}, `"https://x.test"`},
		"star":        {Options{Authority: a, Bypass: []string{"*x.test"}}, `"*x.test"`},
		"allow":       {Options{Authority: a, AllowTargets: []string{"10.0.0.0/99"}}, `"10.0.0.0/99"`},
		"all is well": {Options{Authority: a, Listen: ":0", AllowTargets: []string{"10.0.0.0/8", "fd00::1", "nas.lan"}}, ""},
	} {
		_, err := New(tc.o)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: error %v, want one that names %s", name, err, tc.want)
		}
	}
}

func TestServerServesOnce(t *testing.T) {
	r := newWorld(t)
	eventually(t, "ready", func() bool { return r.server.Ready() == nil })
	if err := r.server.Serve(context.Background(), listen(t, "127.0.0.1")); err == nil {
		t.Error("a second Serve did not fail")
	}
}

// goproxy takes HTTPS_PROXY from the environment, without NO_PROXY, and dials around the guard where it can't use it.
func TestEnvironmentIsLeftAlone(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	r := newWorld(t, func(o *Options) { o.Bypass = []string{"tunnel.test"} })
	hello := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }
	for _, u := range []string{r.origin("127.0.1.1", hello), r.secureOrigin("127.0.1.2", "site.test", hello)} {
		if _, body := get(t, r.client(true), u); body != "hello" {
			t.Errorf("%s: %q", u, body)
		}
	}
	bypassed := r.secureOrigin("127.0.1.3", "tunnel.test", hello)
	if _, _, resp := r.connect(hostPort(bypassed)); resp.StatusCode != http.StatusOK {
		t.Error(resp.Status)
	}
}

// Clients that vanish in the middle of everything leave nothing behind.
func TestVanishingClientsLeaveNothing(t *testing.T) {
	r := newWorld(t)
	left := make(chan struct{}, 100)
	endless := func(w http.ResponseWriter, req *http.Request) {
		defer func() { left <- struct{}{} }()
		for req.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1000)); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Millisecond)
		}
	}
	urls := []string{r.origin("127.0.1.1", endless), r.secureOrigin("127.0.1.2", "site.test", endless)}
	for i := range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, urls[i%2], nil)
		resp, err := r.client(i%4 == 1).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadFull(resp.Body, make([]byte, 500))
		cancel()
		resp.Body.Close()
	}
	for range 20 {
		select {
		case <-left:
		case <-time.After(longWait):
			t.Fatal("an origin is still being read")
		}
	}
}
