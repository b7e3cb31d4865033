package pipeline

import (
	"context"
	"image"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/proxy/pictures"
)

// vintageRig is a rig with the real parser and writer, for old browsers at old.example alone.
func vintageRig(t *testing.T, plain bool, origin http.HandlerFunc) *rig {
	t.Helper()
	r := newRig(t, origin, func(o *Options) {
		o.Pictures = pictures.New(pictures.Options{Width: 320, Wait: time.Minute, Work: time.Minute})
		o.Vintage = func(_ context.Context, host string) (bool, bool) {
			return strings.HasPrefix(host, "127."), plain && host != "b.test"
		}
	})
	r.rw.parse = page.ParseContext
	r.rw.write = func(f write.Form, p *page.Page, m *page.Marking) (*write.Output, error) {
		whole := *m
		whole.Verdicts = make([]page.Verdict, len(p.Blocks)) // the fake judge has none
		return f.Write(p, &whole)
	}
	return r
}

const vintageSource = `<html><head><title>t</title><script>go()</script></head><body><h1>Über uns</h1><p>“Straße” nach Łódź, and <a href="https://b.example/x">on</a>
to <a href="https://b.test/x">where</a> nobody has been for as long as anybody can remember.</p></body></html>`

func serveVintageSource(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Etag", `"origin"`)
	_, _ = io.WriteString(w, vintageSource)
}

// An old browser gets mode vintage without asking, in the charset that it likes best of those that it names, and with
// addresses that it can follow; what it asks for goes before.
func TestVintageByClient(t *testing.T) {
	r := vintageRig(t, true, serveVintageSource)
	for name, c := range map[string]struct {
		fields    []string
		kind, has string
	}{
		"nothing named":  {[]string{"Accept", "image/gif, image/jpeg, */*"}, "ISO-8859-1", "&#34;Stra\xdfe&#34; nach &#321;\xf3d&#378;"},
		"UTF-8":          {[]string{"Accept-Charset", "iso-8859-1;q=0.5, utf-8"}, "utf-8", "“Straße” nach Łódź"},
		"the same":       {[]string{"Accept-Charset", "iso-8859-2, utf-8, us-ascii"}, "utf-8", "“Straße”"},
		"the first":      {[]string{"Accept-Charset", "iso-8859-2, us-ascii, *;q=0.1"}, "iso-8859-2", "&#34;Stra\xdfe&#34; nach \xa3\xf3d\xbc"},
		"unknown":        {[]string{"Accept-Charset", "x-mac-klingon, utf-16;q=0.8"}, "ISO-8859-1", "Stra\xdfe"},
		"refused":        {[]string{"Accept-Charset", "utf-8;q=0, us-ascii;q=0.1"}, "US-ASCII", "Stra&#223;e"},
		"anything":       {[]string{"Accept-Charset", "*"}, "ISO-8859-1", "Stra\xdfe"},
		"text browser's": {[]string{"Accept", "text/html, text/plain, text/sgml, */*;q=0.01"}, "ISO-8859-1", "Stra\xdfe"},
	} {
		resp := r.get("/", c.fields...)
		if resp.Header.Get("Content-Type") != "text/html; charset="+c.kind || !strings.Contains(string(resp.body), c.has) ||
			!strings.HasPrefix(resp.Header.Get("Winnow"), "cleaned; mode=vintage") || !strings.Contains(strings.Join(resp.Header["Vary"], ","), "Accept-Charset") {
			t.Errorf("%s: %v, %q", name, resp.Header, resp.body)
		}
		if body := string(resp.body); !strings.Contains(body, `"http://b.example:443/x"`) || !strings.Contains(body, `"https://b.test/x"`) || strings.Contains(body, "go()") {
			t.Errorf("%s: %q", name, resp.body)
		}
		if up := <-r.upstream; up.Get("Accept-Charset") != "" {
			t.Errorf("%s: the origin is asked for %q", name, up.Get("Accept-Charset"))
		}
	}
	if resp := r.get("/", "Winnow-Mode", "remove"); !strings.HasPrefix(resp.Header.Get("Winnow"), "cleaned; mode=remove") || strings.Contains(strings.Join(resp.Header["Vary"], ","), "Accept-Charset") {
		t.Errorf("another mode: %v", resp.Header)
	}
	if resp := vintageRig(t, false, serveVintageSource).get("/"); !strings.Contains(string(resp.body), `"https://b.example/x"`) {
		t.Errorf("over TLS: %s", resp.body)
	}
}

// A client's copy in one charset is not good for another.
func TestVintageTags(t *testing.T) {
	r := vintageRig(t, true, serveVintageSource)
	tag := r.get("/").Header.Get("Etag")
	if again := r.get("/", "If-None-Match", tag); tag == "" || again.StatusCode != http.StatusNotModified || !strings.Contains(strings.Join(again.Header["Vary"], ","), "Accept-Charset") {
		t.Errorf("the same copy, %s: %s, %v", tag, again.Status, again.Header)
	}
	if other := r.get("/", "If-None-Match", tag, "Accept-Charset", "utf-8"); other.StatusCode != http.StatusOK {
		t.Errorf("a copy in another charset: %s", other.Status)
	}
}

// A page that other clients would get unchanged, because it is an application, comes whole; one of which nothing can be
// shown passes.
func TestVintageApplications(t *testing.T) {
	r := vintageRig(t, true, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch req.URL.Path {
		case "/shell":
			_, _ = io.WriteString(w, `<html><body><div id="app"></div><script>start()</script></body></html>`)
		default:
			_, _ = io.WriteString(w, `<html><body><form action="/s"><input name="q"></form></body></html>`)
		}
	})
	r.models.set(func(f *fakeModels) { f.pass = "application" })
	if resp := r.get("/"); !strings.Contains(string(resp.body), `<input type="text" name="q">`) || !strings.HasPrefix(resp.Header.Get("Winnow"), "cleaned") {
		t.Errorf("%v, %s", resp.Header, resp.body)
	}
	if resp := r.get("/shell"); resp.Header.Get("Winnow") != "passed; reason=no-content; thin" || !strings.Contains(string(resp.body), "start()") {
		t.Errorf("%v, %s", resp.Header, resp.body)
	}
}

// Pictures that an old browser does not know become GIF or JPEG, however small they are, whatever it accepts.
func TestVintagePictures(t *testing.T) {
	r := vintageRig(t, true, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_ = png.Encode(w, image.NewGray(image.Rect(0, 0, 8, 4)))
	})
	for _, fields := range [][]string{{"Accept", "*/*"}, {"Accept", "image/gif, image/x-xbitmap, image/jpeg, */*"}, nil} {
		resp := r.get("/a.png", fields...)
		if c, kind, err := image.DecodeConfig(strings.NewReader(string(resp.body))); err != nil || kind != "gif" || c.Width != 8 || resp.Header.Get("Content-Type") != "image/gif" {
			t.Errorf("%v: %s, %v, %v", fields, kind, err, resp.Header)
		}
	}
	for _, fields := range [][]string{{"Winnow-Mode", "off"}, {"Sec-Fetch-Dest", "empty"}, {"Cache-Control", "no-transform"}} {
		if resp := r.get("/a.png", fields...); resp.Header.Get("Content-Type") != "image/png" {
			t.Errorf("%v: %v", fields, resp.Header)
		}
	}
}
