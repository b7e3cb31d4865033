package proxy

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A target without an authority ("http:http://169.254.169.254//x") left the choice of the host to the Host field, for
// the rules and the model, and to itself for what was sent.
func TestTargetsWithoutAuthorityAreRefused(t *testing.T) {
	stub := newStubProxy(t)
	far := newWorld(t, outside, stub.option, func(o *Options) { o.AllowPorts = []string{"1-65535"} })
	for _, target := range []string{
		"http:http://169.254.169.254//latest/meta-data/", "http:http://127.0.0.1//x", "http:x", "http:/x", "http:///x",
		"http:http:http://169.254.169.254//", "HTTP:http://169.254.169.254//", "https:http://169.254.169.254//",
	} {
		c := far.dial()
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: innocent.test\r\n\r\n", target)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %v, %v", target, resp, err)
		}
	}
	if seen := stub.took(); len(seen) != 0 {
		t.Errorf("the upstream proxy was asked for %q", seen)
	}
}

// What an origin is asked for within an intercepted connection is a path of its own.
func TestInnerTargetsNameTheConnectionsHost(t *testing.T) {
	r := newWorld(t, func(o *Options) { o.AllowPrivate, o.AllowPorts = true, []string{"1-65535"} })
	asked := make(chan string, 100)
	u := r.secureOrigin("127.0.1.2", "site.test", func(_ http.ResponseWriter, req *http.Request) { asked <- req.RequestURI })
	host := hostPort(u)
	for target, want := range map[string]int{
		"https:https://evil.test//x": 400, "http:/x": 400, "https://" + host + "/x": 200, "/https://evil.test/x": 200,
		"https://evil.test/x": 421, "http://" + host + "/x": 400, "//evil.test/x": 200, "x": 400,
	} {
		c := r.secure(host)
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, host)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || resp.StatusCode != want {
			t.Errorf("%s: %v, %v, want %d", target, resp, err, want)
		}
	}
	for path, want := range map[string]string{
		"https:https://evil.test//x": "400", "/a b": "400", "/x HTTP/1.1": "400", "/\x7f": "400", "*": "400", "/ok?a=b": "200",
	} {
		h := r.framesFrom("127.0.0.1", host, 65535)
		if _, err := h.Get(host, path); err != nil {
			t.Fatal(err)
		}
		if e, err := h.Next(); err == nil && e.Status != want && !(want == "400" && e.Status == "") {
			t.Errorf("HTTP/2 %q: %s, want %s", path, e.Status, want)
		}
		_ = h.Close()
	}
	for {
		select {
		case uri := <-asked:
			if !strings.HasPrefix(uri, "/") || strings.ContainsAny(uri, " \x7f") {
				t.Errorf("the origin was asked for %q", uri)
			}
			continue
		case <-time.After(10 * time.Millisecond):
		}
		break
	}
}
