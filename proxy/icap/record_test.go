package icap_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/accesslog"
	"github.com/winnow-proxy/winnow/proxy/icap"
)

// Each request has a line in the access log, without its query.
func TestRecord(t *testing.T) {
	var mu sync.Mutex
	var entries []accesslog.Entry
	w := newWorld(t, func(o *icap.Options) {
		o.Record = func(e accesslog.Entry) {
			mu.Lock()
			defer mu.Unlock()
			entries = append(entries, e)
		}
	})
	c := dial(t, w.icap)
	c.send("OPTIONS icap://127.0.0.1/winnow ICAP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
	c.receive()
	page := logPage("/log/1?q=secret")
	c.send("%s%s", respmod("/log/1?q=secret", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", page, "Allow: 204\r\nX-Client-IP: 192.0.2.7\r\nX-Client-Username: ada\r\n"), chunked(page))
	cleaned := c.receive()
	c.send("%s%s", respmod("/picture", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n", "PNG", "Allow: 204\r\n"), chunked("PNG"))
	c.receive()
	c.send("REQMOD icap://127.0.0.1/winnow ICAP/1.0\r\nHost: 127.0.0.1\r\nEncapsulated: null-body=0\r\n\r\n")
	c.receive()
	for range 200 {
		mu.Lock()
		n := len(entries)
		mu.Unlock()
		if n == 4 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(entries) != 4 {
		t.Fatalf("%d entries: %+v", len(entries), entries)
	}
	var got []string
	for _, e := range entries {
		if e.Took <= 0 || e.Time.IsZero() || e.Proto != "ICAP/1.0" {
			t.Errorf("%+v", e)
		}
		got = append(got, strings.Join([]string{e.Method, e.Client, e.User, e.Scheme, e.Host, e.Path, strings.Split(e.Outcome, ";")[0]}, " "))
	}
	want := []string{"OPTIONS 127.0.0.1     ", "RESPMOD 192.0.2.7 ada http coast.test /log/1 cleaned",
		"RESPMOD 127.0.0.1  http coast.test /picture passed", "REQMOD 127.0.0.1     "}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if s := []int{entries[0].Status, entries[1].Status, entries[2].Status, entries[3].Status}; !slices.Equal(s, []int{200, 200, 204, 405}) {
		t.Errorf("status %v", s)
	}
	if entries[1].Bytes != int64(len(cleaned.body)) || entries[2].Bytes != 0 {
		t.Errorf("%d and %d bytes, want %d and 0", entries[1].Bytes, entries[2].Bytes, len(cleaned.body))
	}
}
