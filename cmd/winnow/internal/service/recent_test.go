package service

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// The admin page shows a page that passed the proxy, and the device that asked, though no access log is written.
func TestAdminShowsWhatHappens(t *testing.T) {
	t.Parallel()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body><p>A story that nobody has seen before.</p></body></html>")
	}))
	defer origin.Close()
	front, admin := local(t), local(t)
	o := options(t)
	o.Proxy.AllowPrivate, o.Proxy.AllowPorts = true, []string{"1-65535"}
	stop, done := runService(t, newTestService(t, o, Listeners{Proxy: front, Admin: admin}))
	through := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: front.Addr().String()})}}
	read := func(c *http.Client, from string) string {
		resp, err := c.Get(from)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return string(b)
	}
	read(through, origin.URL+"/secret-path")
	host := strings.TrimPrefix(origin.URL, "http://")
	var page string
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end) && !strings.Contains(page, "<strong>"+host); time.Sleep(10 * time.Millisecond) {
		page = read(http.DefaultClient, "http://"+admin.Addr().String()+"/")
	}
	if !strings.Contains(page, "<strong>"+host) || !strings.Contains(page, "<strong>127.0.0.1</strong>") || strings.Contains(page, "secret-path") {
		t.Errorf("the admin page: %s", page)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
