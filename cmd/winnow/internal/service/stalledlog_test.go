package service

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/accesslog"
)

// Requests are served while the access log is a pipe that nobody reads. The metrics count the lost lines, and the
// service ends in order once the pipe is read.
func TestAccessLogThatNobodyReads(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close() //nolint:errcheck // it was only read
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") }))
	defer origin.Close()
	front := local(t)
	o := options(t)
	o.AccessLog = accesslog.Options{File: name, Format: accesslog.Combined}
	s := newTestService(t, o, Listeners{Proxy: front})
	stop, done := runService(t, s)
	transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: front.Addr().String()})}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 20 * time.Second}

	agent := strings.Repeat("long ", 8000) // long lines, so that a few fill pipe and queue
	for range 100 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User-Agent", agent)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "here" {
			t.Fatalf("%q, %v", b, err)
		}
		resp.Body.Close()
	}

	read := make(chan string)
	go func() {
		b, _ := io.ReadAll(reader)
		read <- string(b)
	}()
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	lost := s.metrics.LogLost.Value()
	if n := strings.Count(<-read, "\n"); lost == 0 || lost > 60 || n != 100-int(lost) {
		t.Errorf("%d lines were written, and %v of 100 lost", n, lost)
	}
}
