package pipeline

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page/write/markdown"
)

func TestCleansInEveryCodingAndMode(t *testing.T) {
	whole, cleaned := navPage(100)
	stacks := [][]string{{}, {"gzip"}, {"deflate"}, {"br"}, {"zstd"}, {"br", "gzip"}}
	for _, stack := range stacks {
		coded := applyCodings(t, []byte(whole), stack...)
		fields := []string{"Content-Type", "text/html; charset=utf-8", "Etag", `"abc"`}
		coding := ""
		if len(stack) > 0 {
			fields = append(fields, "Content-Encoding", strings.Join(stack, ", "))
			coding = stack[len(stack)-1]
		}
		r := newRig(t, serve(coded, fields...))
		for mode, want := range map[string]struct{ contentType, body string }{
			"remove":   {"text/html; charset=utf-8", cleaned},
			"tag":      {"text/html; charset=utf-8", cleaned},
			"reader":   {"text/html; charset=utf-8", cleaned},
			"text":     {"text/plain; charset=utf-8", "text: " + cleaned},
			"markdown": {"text/markdown; charset=utf-8", "# md: " + cleaned},
		} {
			t.Run(strings.Join(stack, "+")+" "+mode, func(t *testing.T) {
				got := r.get("/", "Winnow-Mode", mode, "Accept-Encoding", "gzip, deflate, br, zstd;q=0.9")
				got.wantCleaned(t, coding, want.body)
				if h := got.Header.Get("Winnow"); h != "cleaned; mode="+mode+"; pages=12; removed=0.25" {
					t.Errorf("Winnow: %q", h)
				}
				if got.Header.Get("Content-Type") != want.contentType {
					t.Errorf("Content-Type: %q, want %q", got.Header.Get("Content-Type"), want.contentType)
				}
				if n := got.Header.Get("Content-Length"); n != strconv.Itoa(len(got.body)) {
					t.Errorf("Content-Length %s for %d bytes", n, len(got.body))
				}
			})
		}
	}
}

func TestOffModePassesTheOriginal(t *testing.T) {
	whole, _ := navPage(10)
	r := newRig(t, serve([]byte(whole), "Content-Type", "text/html", "Vary", "Cookie"))
	got := r.get("/", "Winnow-Mode", "off")
	got.wantPassed(t, ReasonModeOff, []byte(whole))
	if v := got.Header.Get("Vary"); v != "Cookie, Winnow-Mode, Winnow-Keep, Winnow-Drop, Winnow-Links, Winnow-Chunks, Accept, Accept-Encoding, Sec-Fetch-Dest, Upgrade-Insecure-Requests, X-Requested-With" {
		t.Errorf("Vary: %q: a cache could not tell it from a cleaned page", v)
	}
	if h := <-r.upstream; h.Get("Winnow-Mode") != "" {
		t.Error("Winnow-Mode went upstream")
	}
}

func TestAcceptChoosesTheForm(t *testing.T) {
	whole, cleaned := navPage(10)
	r := newRig(t, serve([]byte(whole), "Content-Type", "text/html"))
	got := r.get("/", "Accept", "text/markdown, */*;q=0.1")
	got.wantCleaned(t, "", "# md: "+cleaned)
	if n := got.Header.Get("X-Markdown-Tokens"); n != strconv.Itoa(markdown.Tokens("# md: "+cleaned)) {
		t.Errorf("X-Markdown-Tokens: %q", n)
	}
	if v := got.Header.Get("Vary"); v != "Winnow-Mode, Winnow-Keep, Winnow-Drop, Winnow-Links, Winnow-Chunks, Accept, Accept-Encoding, Sec-Fetch-Dest, Upgrade-Insecure-Requests, X-Requested-With" {
		t.Errorf("Vary: %q", v)
	}
}

// What is passed by policy goes out with the origin's bytes and framing, for each reason that headers give.
func TestPassesByPolicy(t *testing.T) {
	whole, _ := navPage(2000)
	body := []byte(whole)
	html := []string{"Content-Type", "text/html"}
	origin := func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html")
		h.Set("Etag", `"abc"`)
		status := 200
		switch req.URL.Path {
		case "/missing":
			status = 404
		case "/part":
			h.Set("Content-Range", "bytes 0-9/99")
			status = 206
		case "/picture":
			h.Set("Content-Type", "image/png")
		case "/fixed":
			h.Set("Cache-Control", "no-transform")
		case "/save":
			h.Set("Content-Disposition", "attachment; filename=a.html")
		case "/odd":
			h.Set("Content-Encoding", "sdch")
		case "/deep":
			h.Set("Content-Encoding", "gzip, gzip, gzip, gzip")
		}
		if req.URL.Path != "/chunked" {
			h.Set("Content-Length", strconv.Itoa(len(body)))
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}
	r := newRig(t, origin, func(o *Options) { o.Bypass = func(h string) bool { return strings.HasPrefix(h, "bypassed") } })
	tests := []struct {
		path   string
		fields []string
		want   Reason
	}{
		{"/missing", html, ReasonStatus},
		{"/part", nil, ReasonRange},
		{"/picture", nil, ReasonType},
		{"/fixed", nil, ReasonNoTransform},
		{"/save", nil, ReasonAttachment},
		{"/odd", nil, ReasonCoding},
		{"/deep", nil, ReasonCoding},
		{"/", []string{"Cache-Control", "no-transform"}, ReasonNoTransform},
		{"/", []string{"Sec-Fetch-Dest", "empty"}, ReasonFragment},
		{"/chunked", []string{"X-Requested-With", "XMLHttpRequest"}, ReasonFragment},
		{"/", []string{"Winnow-Mode", "off"}, ReasonModeOff},
	}
	for _, tt := range tests {
		t.Run(string(tt.want)+tt.path, func(t *testing.T) {
			direct := r.direct(tt.path, tt.fields...)
			got := r.get(tt.path, tt.fields...)
			got.wantPassed(t, tt.want, direct.body)
			if got.ContentLength != direct.ContentLength || got.Header.Get("Etag") != `"abc"` {
				t.Errorf("Content-Length %d, ETag %s; the origin said %d, %s", got.ContentLength, got.Header.Get("Etag"),
					direct.ContentLength, direct.Header.Get("Etag"))
			}
		})
	}
	if n := len(r.models.learned()); n != 0 {
		t.Errorf("%d passed pages learned", n)
	}
}

func TestBypassAndMethod(t *testing.T) {
	whole, _ := navPage(10)
	var bypass bool
	r := newRig(t, serve([]byte(whole), "Content-Type", "text/html"),
		func(o *Options) { o.Bypass = func(string) bool { return bypass } })
	r.do(http.MethodPost, r.proxy.URL+"/").wantPassed(t, ReasonMethod, []byte(whole))
	bypass = true
	r.get("/").wantPassed(t, ReasonBypass, []byte(whole))
}

func TestHeadSaysNoMoreThanHoldsForTheCleanedPage(t *testing.T) {
	whole, _ := navPage(10)
	r := newRig(t, serve([]byte(whole), "Content-Type", "text/html", "Etag", `"abc"`, "Content-Length", strconv.Itoa(len(whole))))
	head := func() answer { return r.do(http.MethodHead, r.proxy.URL+"/") }
	got := head()
	if _, said := got.Header["Content-Length"]; said || got.ContentLength != -1 {
		t.Errorf("Content-Length %q for a page that would be cleaned", got.Header["Content-Length"])
	}
	if got.Header.Get("Etag") != "" || got.Header.Get("Winnow") != "passed; reason=method" {
		t.Errorf("ETag %q, Winnow %q", got.Header.Get("Etag"), got.Header.Get("Winnow"))
	}
	if r.get("/"); head().Header.Get("Etag") != "" {
		t.Error("HEAD says an ETag, which only the content would tell")
	}
	tag := r.get("/", "Winnow-Mode", "tag").Header.Get("Etag")
	if got := r.do(http.MethodHead, r.proxy.URL+"/", "Winnow-Mode", "tag").Header.Get("Etag"); got != tag || tag == "" {
		t.Errorf("HEAD says ETag %q, GET said %q", got, tag)
	}
	off := r.do(http.MethodHead, r.proxy.URL+"/", "Winnow-Mode", "off")
	if off.ContentLength != int64(len(whole)) || off.Header.Get("Etag") != `"abc"` {
		t.Errorf("with mode off HEAD says %d bytes, ETag %s", off.ContentLength, off.Header.Get("Etag"))
	}
}

func TestUpstreamIsAskedForWhatTheClientAccepts(t *testing.T) {
	whole, cleaned := navPage(100)
	// An origin that compresses with gzip whenever it may, and once though it may not.
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if strings.Contains(req.Header.Get("Accept-Encoding"), "gzip") || req.URL.Path == "/always" {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(applyCodings(t, []byte(whole), "gzip"))
			return
		}
		_, _ = w.Write([]byte(whole))
	})
	tests := []struct {
		name, path, client, upstream, coding string
	}{
		{"browser", "/", "gzip, deflate, br, zstd", "gzip, deflate, br, zstd", "gzip"},
		{"nothing said", "/", "", "identity", ""},
		{"nothing said, compressed all the same", "/always", "", "identity", ""},
		{"another coding than the origin's", "/always", "br", "br", ""},
		{"unknown ones left out", "/", "gzip, dcb, dcz", "gzip", "gzip"},
		{"identity refused", "/always", "zstd, identity;q=0", "zstd, identity;q=0", "zstd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var fields []string
			if tt.client != "" {
				fields = []string{"Accept-Encoding", tt.client}
			}
			r.get(tt.path, fields...).wantCleaned(t, tt.coding, cleaned)
			if got := (<-r.upstream).Get("Accept-Encoding"); got != tt.upstream {
				t.Errorf("upstream was asked for %q, want %q", got, tt.upstream)
			}
		})
	}
}

// A picture's request is not a page's: its Accept-Encoding goes up as it is.
func TestAcceptEncodingOfSubresourcesStays(t *testing.T) {
	r := newRig(t, serve([]byte("PNG"), "Content-Type", "image/png"))
	r.get("/", "Sec-Fetch-Dest", "image", "Accept-Encoding", "gzip, dcb")
	if got := (<-r.upstream).Get("Accept-Encoding"); got != "gzip, dcb" {
		t.Errorf("upstream was asked for %q", got)
	}
}

// A page that has no noise keeps the origin's coded bytes, so that nothing is lost where nothing is won.
func TestPageWithoutNoiseKeepsItsBytes(t *testing.T) {
	_, clean := navPage(100)
	coded := applyCodings(t, []byte(clean), "gzip")
	r := newRig(t, serve(coded, "Content-Type", "text/html; charset=gbk", "Content-Encoding", "gzip", "Etag", `"abc"`,
		"Repr-Digest", "sha-256=:AAAA:", "Accept-Ranges", "bytes"))
	got := r.get("/", "Accept-Encoding", "gzip")
	got.wantCleaned(t, "gzip", clean)
	if string(got.body) != string(coded) || got.Header.Get("Content-Type") != "text/html; charset=gbk" ||
		got.Header.Get("Repr-Digest") == "" || got.Header.Get("Accept-Ranges") != "" {
		t.Errorf("body or header are not the origin's: %v", got.Header)
	}
	if h := got.Header.Get("Winnow"); h != "cleaned; mode=remove; pages=12; removed=0.00" {
		t.Errorf("Winnow: %q", h)
	}
	// The model may find noise there some day, so that the tag has to be ours.
	if got.Header.Get("Etag") != `W/"abc-wnwsr4"` {
		t.Errorf("ETag: %s", got.Header.Get("Etag"))
	}
}

func TestRevalidation(t *testing.T) {
	whole, cleaned := navPage(100)
	modified := time.Unix(1e9, 0)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Repr-Digest", "sha-256=:AAAA:")
		if req.URL.Path == "/tagged" {
			w.Header().Set("Etag", `"abc"`)
		}
		http.ServeContent(w, req, "", modified, strings.NewReader(whole))
	})
	for path, want := range map[string]string{"/tagged": `W/"abc-wnwsr4"`, "/dated": `W/"3b9aca00-wnwdr4"`} {
		t.Run(path, func(t *testing.T) {
			r.models.set(func(f *fakeModels) { f.pages = 12 })
			first := r.get(path, "Accept", "text/html")
			first.wantCleaned(t, "", cleaned)
			tag := first.Header.Get("Etag")
			if tag != want {
				t.Fatalf("ETag %s, want %s", tag, want)
			}
			again := []string{"Accept", "text/html", "If-None-Match", tag, "If-Modified-Since", first.Header.Get("Last-Modified")}
			got := r.get(path, again...)
			if got.StatusCode != 304 || got.Header.Get("Etag") != tag || got.Header.Get("Winnow") != "passed; reason=not-modified" {
				t.Errorf("status %d, ETag %s, Winnow %s; want 304 with our tag", got.StatusCode, got.Header.Get("Etag"), got.Header.Get("Winnow"))
			}
			if len(got.Header["Repr-Digest"])+len(got.Header["Content-Type"]) > 0 {
				t.Errorf("the 304 describes the origin's bytes: %v", got.Header)
			}
			r.get(path, append(again, "Winnow-Mode", "tag")...).wantCleaned(t, "", cleaned)

			// Another page shows that the model has grown: the copy is stale.
			r.models.set(func(f *fakeModels) { f.pages = 16 })
			r.get("/other", "Accept", "text/html")
			fresh := r.get(path, again...)
			fresh.wantCleaned(t, "", cleaned)
			if fresh.Header.Get("Etag") == tag {
				t.Errorf("the tag is still %s", tag)
			}
		})
	}
}

// A browser that knew the page before it came through here has the origin's own validators.
func TestForeignValidatorsDoNotKeepAPageUncleaned(t *testing.T) {
	whole, cleaned := navPage(100)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Etag", `"abc"`)
		http.ServeContent(w, req, "", time.Time{}, strings.NewReader(whole))
	})
	r.get("/", "Sec-Fetch-Dest", "document", "If-None-Match", `"abc"`).wantCleaned(t, "", cleaned)
	// What does not say that it reads a page may well be after a picture: its validators stay.
	for _, field := range []string{"Sec-Fetch-Dest: image", "Accept: image/png"} {
		name, value, _ := strings.Cut(field, ": ")
		got := r.get("/", name, value, "If-None-Match", `"abc"`)
		if got.StatusCode != 304 || got.Header.Get("Etag") != `"abc"` {
			t.Errorf("%s: status %d, ETag %s; want 304 with the origin's", field, got.StatusCode, got.Header.Get("Etag"))
		}
	}
}

func TestIfRangeOfACleanedPageAsksForTheWhole(t *testing.T) {
	whole, cleaned := navPage(100)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Etag", `"abc"`)
		http.ServeContent(w, req, "", time.Time{}, strings.NewReader(whole))
	})
	r.get("/", "Range", "bytes=100-", "If-Range", `W/"abc-wnwsr4"`).wantCleaned(t, "", cleaned)
	r.get("/", "Range", "bytes=100-", "If-Range", `"abc"`).wantPassed(t, ReasonRange, []byte(whole)[100:])
}

func TestTrailersAreForwardedButThoseOfIntegrity(t *testing.T) {
	whole, cleaned := navPage(100)
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Trailer", "Server-Timing, Repr-Digest")
		_, _ = w.Write([]byte(whole))
		w.Header().Set("Server-Timing", "db;dur=5")
		w.Header().Set("Repr-Digest", "sha-256=:AAAA:")
	})
	got := r.get("/")
	got.wantCleaned(t, "", cleaned)
	if got.Trailer.Get("Server-Timing") != "db;dur=5" || got.Trailer.Get("Repr-Digest") != "" {
		t.Errorf("trailers: %v", got.Trailer)
	}
	got = r.get("/", "Winnow-Mode", "off")
	got.wantPassed(t, ReasonModeOff, []byte(whole))
	if got.Trailer.Get("Repr-Digest") == "" {
		t.Errorf("trailers of a page that passes: %v", got.Trailer)
	}
}

func TestLearning(t *testing.T) {
	whole, _ := navPage(10)
	r := newRig(t, serve([]byte(whole), "Content-Type", "text/html"), func(o *Options) {
		o.Now = func() time.Time { return time.Unix(42, 0) }
	})
	r.get("/a?q=1#frag")
	r.get("/b", "Authorization", "Basic dTpw")
	r.get("/c", "Winnow-Mode", "off")
	r.models.set(func(f *fakeModels) { f.fail = func() error { return errors.New("no model") } })
	r.get("/d").wantPassed(t, ReasonModel, []byte(whole))
	want := []string{r.origin.URL + "/a?q=1"}
	if got := r.models.learned(); !slices.Equal(got, want) {
		t.Errorf("learned %q, want %q", got, want)
	}
	r.models.set(func(f *fakeModels) {
		if at := f.learns[0].At; !at.Equal(time.Unix(42, 0)) {
			t.Errorf("visit at %v, want the clock's time", at)
		}
		if want := strings.TrimPrefix(r.origin.URL, "http://"); f.hosts[0] != want {
			t.Errorf("host %q, want %q", f.hosts[0], want)
		}
	})
}

// What Mark has read of a page comes with it to be learned.
func TestLearningGetsWhatMarkHasRead(t *testing.T) {
	r := newRig(t, serve([]byte("<p>one"), "Content-Type", "text/html"))
	r.get("/")
	r.models.set(func(f *fakeModels) {
		if len(f.learns) != 1 || f.handed != 1 {
			t.Errorf("%d pages learned, %d with what was read of them", len(f.learns), f.handed)
		}
	})
}

// With LearnPublic, what the origin keeps from shared caches is cleaned all the same, but teaches nothing.
func TestLearningPublicPagesAlone(t *testing.T) {
	whole, cleaned := navPage(10)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if field, value, ok := strings.Cut(req.URL.Query().Get("field"), ":"); ok {
			w.Header().Set(field, value)
		}
		_, _ = io.WriteString(w, whole)
	}, func(o *Options) { o.Learn = LearnPublic })
	for _, field := range []string{"Set-Cookie:a=b", "Cache-Control:private", "Cache-Control:max-age=5, No-Store", "Cache-Control:private=\"x\"",
		"Cache-Control:public"} {
		got := r.get("/?field=" + url.QueryEscape(field))
		if string(got.body) != cleaned {
			t.Errorf("%s: not cleaned: %s", field, got.Header.Get("Winnow"))
		}
	}
	want := []string{r.origin.URL + "/?field=" + url.QueryEscape("Cache-Control:public")}
	if got := r.models.learned(); !slices.Equal(got, want) {
		t.Errorf("learned %q, want %q", got, want)
	}
}

func TestVisitNamesThePageAlone(t *testing.T) {
	req, err := http.NewRequest(http.MethodGet, "http://user:secret@Example.com:80/a%20b?q=1#frag", nil)
	if err != nil {
		t.Fatal(err)
	}
	x := newJob(nil, req)
	if x.url != "http://example.com/a%20b?q=1" || x.host != "example.com" || !x.authorized {
		t.Errorf("url %s, host %s, authorized %v", x.url, x.host, x.authorized)
	}
}

func TestMarkingMayAskForTheOriginal(t *testing.T) {
	whole, _ := navPage(10)
	r := newRig(t, serve([]byte(whole), "Content-Type", "text/html"))
	for pass, want := range map[string]Reason{
		"application": ReasonApplication, "no-content": ReasonNoContent, "a word of its own": ReasonDoubt,
	} {
		r.models.set(func(f *fakeModels) { f.pass = pass })
		r.get("/").wantPassed(t, want, []byte(whole))
	}
}
