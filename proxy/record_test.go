package proxy

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/accesslog"
)

// entries collects what would be logged.
type entries struct {
	mu  sync.Mutex
	all []accesslog.Entry
}

func (e *entries) record(entry accesslog.Entry) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, entry)
}

// next waits for one entry and takes it.
func (e *entries) next(t *testing.T) (first accesslog.Entry) {
	t.Helper()
	eventually(t, "an entry", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		if len(e.all) == 0 {
			return false
		}
		first, e.all = e.all[0], e.all[1:]
		return true
	})
	return first
}

// Each request has one entry, whichever way it went: none for the CONNECT of an interception, one for a tunnel when it
// has ended. Queries are in none.
func TestEachRequestIsRecordedOnce(t *testing.T) {
	t.Parallel()
	var log entries
	r := newWorld(t, hasty, func(o *Options) { o.Record, o.Bypass = log.record, []string{"tunnel.test"} })
	hello := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }
	plain, secure := r.origin("127.0.1.1", hello), r.secureOrigin("127.0.1.2", "site.test", hello)
	check := func(what string, want accesslog.Entry) {
		t.Helper()
		got := log.next(t)
		if got.Client != "127.0.0.1" || got.Device == "" || got.Time.IsZero() || got.Took <= 0 || strings.Contains(fmt.Sprint(got), "secret") {
			t.Errorf("%s: %+v", what, got)
		}
		if (got.Upstream > 0) != (want.Status == 200 && want.Method != http.MethodConnect) {
			t.Errorf("%s: %v for the origin", what, got.Upstream)
		}
		got.Time, got.Client, got.Device, got.Took, got.Upstream, got.Agent = want.Time, "", "", 0, 0, ""
		if got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
		}
	}
	get(t, r.client(false), plain+"/a?secret")
	check("plain", accesslog.Entry{Method: "GET", Scheme: "http", Host: hostPort(plain), Path: "/a", Proto: "HTTP/1.1", Status: 200, Bytes: 5})
	for _, h2 := range []bool{false, true} {
		get(t, r.client(h2), secure+"/b?secret")
		check("intercepted", accesslog.Entry{Method: "GET", Scheme: "https", Host: hostPort(secure), Path: "/b",
			Proto: map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[h2], Status: 200, Bytes: 5})
	}

	c, br, _ := r.connect(r.rawOrigin("127.0.1.3", func(c net.Conn) { fmt.Fprint(c, "SSH-2.0\r\n") }))
	if line, err := br.ReadString('\n'); err != nil || line != "SSH-2.0\r\n" {
		t.Errorf("tunnel: %q, %v", line, err)
	}
	c.Close()
	got := log.next(t)
	if got.Method != http.MethodConnect || got.Status != 200 || got.Bytes != 9 || !strings.HasPrefix(got.Host, "127.0.1.3:") {
		t.Errorf("tunnel: %+v", got)
	}

	refused := r.dial()
	fmt.Fprint(refused, "CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n")
	if _, err := http.ReadResponse(bufio.NewReader(refused), nil); err != nil {
		t.Fatal(err)
	}
	if got := log.next(t); got.Status != http.StatusForbidden || got.Outcome != "failed; reason=denied" {
		t.Errorf("refused: %+v", got)
	}
	if len(log.all) > 0 {
		t.Errorf("more entries: %+v", log.all)
	}
}
