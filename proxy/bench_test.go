package proxy

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// BenchmarkThrough measures what the proxy adds to a response of 100 KB that it does not clean, against no proxy at
// all.
func BenchmarkThrough(b *testing.B) {
	r := newWorld(b)
	body := bytes.Repeat([]byte("0123456789abcdef"), 100<<10/16)
	serve := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", "102400")
		_, _ = w.Write(body)
	}
	plain, secure := r.origin("127.0.1.1", serve), r.secureOrigin("127.0.1.2", "site.test", serve)
	direct := &http.Client{Transport: &http.Transport{}}
	b.Cleanup(direct.CloseIdleConnections)
	for _, bm := range []struct {
		name string
		c    *http.Client
		u    string
	}{
		{"direct", direct, plain}, {"http", r.client(false), plain},
		{"https1", r.client(false), secure}, {"https2", r.client(true), secure},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				resp, err := bm.c.Get(bm.u)
				if err != nil {
					b.Fatal(err)
				}
				if n, err := io.Copy(io.Discard, resp.Body); err != nil || n != int64(len(body)) {
					b.Fatal(n, err)
				}
				resp.Body.Close()
			}
		})
	}
}

// BenchmarkHandshake measures an intercepted connection from CONNECT to the first answer, without and with resumption.
func BenchmarkHandshake(b *testing.B) {
	r := newWorld(b)
	u := r.secureOrigin("127.0.1.1", "site.test", func(w http.ResponseWriter, _ *http.Request) {})
	for name, resume := range map[string]bool{"full": false, "resumed": true} {
		b.Run(name, func(b *testing.B) {
			c := r.client(false)
			tr := c.Transport.(*http.Transport)
			if !resume {
				tr.TLSClientConfig.ClientSessionCache = nil
			}
			for b.Loop() {
				resp, err := c.Get(u)
				if err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
				tr.CloseIdleConnections()
			}
		})
	}
}
