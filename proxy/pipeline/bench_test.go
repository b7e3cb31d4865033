package pipeline

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
)

// benchPage is a page of about 100 KB with the tag density of an ordinary article page.
func benchPage() []byte {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html><html><head><title>Bench</title></head><body><nav><ul>")
	for i := range 60 {
		fmt.Fprintf(&b, `<li class="item"><a href="/section/%d">Section %d</a></li>`, i, i)
	}
	b.WriteString("</ul></nav><main>")
	for i := 0; b.Len() < 100<<10; i++ {
		fmt.Fprintf(&b, "<h2 id=\"h%d\">Part %d</h2>\n<p>%s <a href=\"/ref/%d\">see also</a>, <em>part %d</em>.</p>\n",
			i, i, strings.Repeat(fmt.Sprintf("Grain number %d stays and the chaff flies. ", i*7919), 6), i, i)
	}
	b.WriteString("</main></body></html>")
	return b.Bytes()
}

// BenchmarkRewrite measures what the pipeline adds to one response of 100 KB, sockets left out. The model marks the nav
// and costs next to nothing.
func BenchmarkRewrite(b *testing.B) {
	src := benchPage()
	for _, coding := range append(knownCodings(), codingIdentity) {
		b.Run(coding, func(b *testing.B) {
			rw, err := New(Options{Models: removesNav{&fakeModels{}}, Mode: page.ModeRemove,
				Logger: slog.New(slog.DiscardHandler), Learn: LearnOff})
			if err != nil {
				b.Fatal(err)
			}
			coded := src
			h := header("Content-Type", "text/html; charset=utf-8", "Etag", `"abc"`)
			if coding != codingIdentity {
				coded = applyCodings(b, src, coding)
				h.Set("Content-Encoding", coding)
			}
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				resp := &http.Response{StatusCode: 200, Header: h.Clone(), Body: io.NopCloser(bytes.NewReader(coded)),
					ContentLength: int64(len(coded))}
				req := &http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: "http", Host: "bench.test", Path: "/"},
					Header: header("Accept-Encoding", "gzip, deflate, br, zstd")}
				rw.Response(rw.Request(req), resp)
				if got := resp.Header.Get("Winnow"); !strings.HasPrefix(got, "cleaned") {
					b.Fatalf("Winnow: %s", got)
				}
				resp.Body.Close()
			}
		})
	}
}

// BenchmarkPass measures what a response costs that is not cleaned: a picture, and a page in mode off.
func BenchmarkPass(b *testing.B) {
	for name, tc := range map[string]struct {
		mode     page.Mode
		accept   string
		dest     string
		response http.Header
	}{
		"picture": {page.ModeAuto, "image/avif,image/webp,image/png,*/*;q=0.8", "image", header("Content-Type", "image/png")},
		"page": {page.ModeOff, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "document",
			header("Content-Type", "text/html; charset=utf-8", "Cache-Control", "private, max-age=0", "Vary", "Accept-Encoding")},
	} {
		b.Run(name, func(b *testing.B) {
			rw, err := New(Options{Models: &fakeModels{}, Mode: tc.mode, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				b.Fatal(err)
			}
			request := header("Accept", tc.accept, "Accept-Encoding", "gzip, deflate, br, zstd", "Accept-Language", "en-US,en;q=0.5", "Sec-Fetch-Dest", tc.dest)
			b.ReportAllocs()
			for b.Loop() {
				resp := &http.Response{StatusCode: 200, Header: tc.response.Clone(), Body: http.NoBody}
				req := &http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: "https", Host: "bench.test", Path: "/"}, Header: request.Clone()}
				rw.Response(rw.Request(req), resp)
			}
		})
	}
}
