package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"go.uber.org/goleak"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/api"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	for _, text := range []string{"text/html", "text/markdown"} {
		openapi3filter.RegisterBodyDecoder(text, openapi3filter.FileBodyDecoder)
	}
	goleak.VerifyTestMain(m)
}

// world is an API over a proxy's server, and an origin with a small site.
type world struct {
	t           *testing.T
	api, origin string
	models      *cache.Models
	asked       atomic.Int64 // requests that came to the origin
	server      *proxy.Server
	document    *openapi3.T
}

// site is the origin: /log/N are pages, the rest is trouble.
func (w *world) site(rw http.ResponseWriter, r *http.Request) {
	w.asked.Add(1)
	switch path := r.URL.Path; {
	case path == "/" || strings.HasPrefix(path, "/log/"):
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(rw, logPage(path))
	case path == "/moved":
		http.Redirect(rw, r, "/log/7", http.StatusFound)
	case path == "/round":
		http.Redirect(rw, r, "/round", http.StatusFound)
	case path == "/away": // not somewhere that the rules permit
		http.Redirect(rw, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	case path == "/picture":
		rw.Header().Set("Content-Type", "image/png")
		fmt.Fprint(rw, "\x89PNG")
	case path == "/huge":
		rw.Header().Set("Content-Type", "text/html")
		for range 3 << 10 {
			if _, err := fmt.Fprint(rw, strings.Repeat("<p>And on. ", 100)); err != nil {
				return
			}
		}
	case path == "/stalls":
		<-r.Context().Done()
	default:
		http.NotFound(rw, r)
	}
}

// logPage is a page with a menu, a text that its path decides, and a footer.
func logPage(path string) string {
	return fmt.Sprintf(`<!DOCTYPE html><html lang="en"><head><title>Log of %[1]s</title></head><body>
<nav class="menu"><ul><li><a href="/harbours">Harbours</a></li><li><a href="/tides">Tides</a></li></ul></nav>
<main><h1>Log of %[1]s</h1><p>The wind of %[1]s came from the north-east all day, and we made little way against the tide that set
to the west; the pilot of the harbour, whom we had asked for an hour, came on board at dusk.</p><p>Next morning of %[1]s we were at
anchor off the mole, as <a href="/log/next">the next page</a> of this log will tell in more detail than anybody needs.</p></main>
<footer class="footer"><p>Printed by the <a href="/society">Society</a> of Friends of the Coast. All rights reserved.</p></footer></body></html>`, path)
}

func newWorld(t *testing.T, tweak ...func(*api.Options)) *world {
	t.Helper()
	w := &world{t: t}
	origin := httptest.NewServer(http.HandlerFunc(w.site))
	t.Cleanup(origin.Close)
	w.origin = origin.URL
	detector, err := detectors.ByName(detectors.Default, detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w.models, err = cache.New(t.Context(), cache.Options{Detector: detector, Key: model.NewKey()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.models.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	bounds := limits.Limits{Body: 1 << 20, Clean: 20 * time.Second, Wait: 20 * time.Second}
	cleaner, err := pipeline.New(pipeline.Options{Models: w.models, Mode: page.ModeAuto, Limits: bounds, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ca, err := certs.LoadOrCreate(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	w.server, err = proxy.New(proxy.Options{Listen: "127.0.0.1:1", Authority: ca, Pipeline: cleaner, Limits: bounds})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.server.Shutdown(context.Background()) })
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := api.Options{Cleaner: w.server, Addr: ln.Addr().String(), Body: 1 << 20, Timeout: 20 * time.Second}
	for _, f := range tweak {
		f(&o)
	}
	s := &httptest.Server{Listener: ln, Config: &http.Server{Handler: w.described(api.New(o))}}
	s.Start()
	t.Cleanup(s.Close)
	w.api = s.URL
	return w
}

// described checks what h is asked and answers against the document that it serves.
func (w *world) described(h http.Handler) http.Handler {
	rec := httptest.NewRecorder()
	req := httptest.NewRequest(http.MethodGet, "/api/v1/openapi.json", nil)
	req.Host = "127.0.0.1"
	api.New(api.Options{}).ServeHTTP(rec, req)
	doc, err := openapi3.NewLoader().LoadFromData(rec.Body.Bytes())
	if err != nil {
		w.t.Fatal(err)
	}
	if err := doc.Validate(w.t.Context()); err != nil {
		w.t.Fatalf("the document is no OpenAPI: %v", err)
	}
	w.document = doc
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		w.t.Fatal(err)
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		route, params, err := router.FindRoute(r)
		if err != nil || r.Header.Get("Content-Type") == "application/x-ndjson" { // what streams is looked at by its test
			h.ServeHTTP(rw, r)
			return
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route}
		answer := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: rec.Code, Header: rec.Header()}
		answer.SetBodyBytes(rec.Body.Bytes())
		if err := openapi3filter.ValidateResponse(r.Context(), answer); err != nil {
			w.t.Errorf("%s %s: the answer is not as described: %v", r.Method, r.URL, err)
		}
		for k, v := range rec.Header() {
			rw.Header()[k] = v
		}
		rw.WriteHeader(rec.Code)
		_, _ = rw.Write(rec.Body.Bytes())
	})
}

// get asks for path and returns the answer with its body.
func (w *world) get(path string, params url.Values) (*http.Response, string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.api+path+"?"+params.Encode(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.do(req)
}

func (w *world) post(contentType, body string, params url.Values) (*http.Response, string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.api+"/api/v1/clean?"+params.Encode(), strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	return w.do(req)
}

func (w *world) do(req *http.Request) (*http.Response, string) {
	w.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp, string(b)
}

func TestPagesByURL(t *testing.T) {
	w := newWorld(t)
	for mode, contentType := range map[string]string{"": "application/json", "json": "application/json", "text": "text/plain", "markdown": "text/markdown",
		"reader": "text/html", "remove": "text/html"} {
		params := url.Values{"url": {w.origin + "/log/1"}}
		if mode != "" {
			params.Set("mode", mode)
		}
		resp, body := w.get("/api/v1/clean", params)
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), contentType) {
			t.Errorf("mode %q: %s, %s", mode, resp.Status, resp.Header.Get("Content-Type"))
		}
		if !strings.Contains(body, "pilot of the harbour") || mode != "" && mode != "json" && strings.Contains(body, "Friends of the Coast") {
			t.Errorf("mode %q: %s", mode, body)
		}
		if !strings.HasPrefix(resp.Header.Get("Winnow"), "cleaned; ") {
			t.Errorf("mode %q: Winnow: %s", mode, resp.Header.Get("Winnow"))
		}
	}
	resp, body := w.get("/api/v1/clean", url.Values{"url": {w.origin + "/log/1"}, "mode": {"off"}})
	if resp.StatusCode != http.StatusOK || body != logPage("/log/1") {
		t.Errorf("mode off: %s, %s", resp.Status, body)
	}
}

// A page is found where it was moved to, and says so.
func TestRedirects(t *testing.T) {
	w := newWorld(t)
	resp, body := w.get("/api/v1/clean", url.Values{"url": {w.origin + "/moved"}, "mode": {"text"}})
	if at := resp.Header.Get("Content-Location"); at != w.origin+"/log/7" || !strings.Contains(body, "/log/7") {
		t.Errorf("%s at %s: %s", resp.Status, at, body)
	}
	for path, want := range map[string]int{"/round": http.StatusBadGateway, "/away": http.StatusForbidden} {
		if resp, body := w.get("/api/v1/clean", url.Values{"url": {w.origin + path}}); resp.StatusCode != want {
			t.Errorf("%s: %s: %s", path, resp.Status, body)
		}
	}
}

func TestPagesAtHand(t *testing.T) {
	w := newWorld(t)
	html := logPage("/log/9")
	asJSON, err := json.Marshal(map[string]any{"url": "https://logs.test/9", "html": html, "mode": "markdown", "links": "none"})
	if err != nil {
		t.Fatal(err)
	}
	asked := w.asked.Load()
	for contentType, body := range map[string]string{"application/json": string(asJSON), "text/html; charset=utf-8": html} {
		resp, got := w.post(contentType, body, url.Values{"url": {"https://logs.test/9"}, "mode": {"markdown"}, "links": {"none"}})
		if resp.StatusCode != http.StatusOK || !strings.Contains(got, "pilot of the harbour") || strings.Contains(got, "](") {
			t.Errorf("%s: %s: %s", contentType, resp.Status, got)
		}
	}
	if w.asked.Load() != asked {
		t.Error("a page at hand was fetched")
	}
	if err := w.models.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info, err := w.models.Host(t.Context(), "logs.test"); err != nil || info.Pages != 1 {
		t.Errorf("what was learned: %+v, %v", info, err)
	}
}

func TestPagesThatTeachNothing(t *testing.T) {
	w := newWorld(t)
	if resp, body := w.get("/api/v1/clean", url.Values{"url": {w.origin + "/log/1"}, "learn": {"false"}}); resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", resp.Status, body)
	}
	if err := w.models.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := w.models.Counters().Learned; n != 0 {
		t.Errorf("%d pages were learned", n)
	}
}

func TestChunks(t *testing.T) {
	w := newWorld(t)
	_, body := w.get("/api/v1/clean", url.Values{"url": {w.origin + "/log/1"}, "chunks": {"30"}})
	var d page.Document
	if err := json.Unmarshal([]byte(body), &d); err != nil || len(d.Chunks) < 2 {
		t.Errorf("%d chunks, %v", len(d.Chunks), err)
	}
}

func TestTemplateAndLinks(t *testing.T) {
	w := newWorld(t)
	resp, body := w.get("/api/v1/template", url.Values{"url": {w.origin + "/"}})
	var template struct {
		Host, URL string
		Parts     []page.DocumentRemoved
	}
	if err := json.Unmarshal([]byte(body), &template); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v: %s", resp.Status, err, body)
	}
	for _, want := range []string{"Tides", w.origin + "/tides", "Friends of the Coast", w.origin + "/society"} {
		if !strings.Contains(body, want) {
			t.Errorf("the template lacks %q: %s", want, body)
		}
	}
	if strings.Contains(body, "pilot") {
		t.Errorf("the template has content in it: %s", body)
	}
	_, body = w.get("/api/v1/links", url.Values{"url": {w.origin + "/"}})
	var links struct {
		Content  []page.DocumentLink
		Template []struct {
			Kind  string
			Links []page.DocumentLink
		}
	}
	if err := json.Unmarshal([]byte(body), &links); err != nil {
		t.Fatal(err)
	}
	if len(links.Content) != 1 || links.Content[0].URL != w.origin+"/log/next" {
		t.Errorf("links of the content: %v", links.Content)
	}
	n := 0
	for _, part := range links.Template {
		n += len(part.Links)
	}
	if n != 3 {
		t.Errorf("links of the template: %v", links.Template)
	}
}

// A batch is answered in order, line by line, and what is wrong with one line does not end it.
func TestBatch(t *testing.T) {
	w := newWorld(t)
	var in bytes.Buffer
	const pages = 60
	for i := range pages {
		fmt.Fprintf(&in, "{\"url\":\"%s/log/%d\",\"mode\":\"text\"}\n", w.origin, i)
	}
	in.WriteString("\n{\"url\":\"" + w.origin + "/picture\"}\n{\"url\":7}\n{\"url\":\"" + w.origin + "/log/last\"}\n")
	resp, body := w.post("application/x-ndjson", in.String(), nil)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Fatalf("%s, %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	lines := strings.Split(strings.TrimSpace(body), "\n")
	if len(lines) != pages+3 {
		t.Fatalf("%d lines", len(lines))
	}
	schema := w.document.Components.Schemas["Result"].Value
	for i, text := range lines {
		var line struct {
			Line     int
			URL      string
			Body     string
			Document *page.Document
			Problem  *struct {
				Status    int
				Parameter string
			}
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.VisitJSON(value, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("line %d is not as described: %v", i+1, err)
		}
		switch {
		case i < pages:
			if line.Line != i+1 || !strings.Contains(line.Body, fmt.Sprintf("The wind of /log/%d came", i)) {
				t.Errorf("line %d: %s", i+1, text)
			}
		case i == pages: // the empty line before it counts
			if line.Line != pages+2 || line.Problem == nil || line.Problem.Status != http.StatusUnsupportedMediaType {
				t.Errorf("a picture: %s", text)
			}
		case i == pages+1:
			if line.Problem == nil || line.Problem.Status != http.StatusBadRequest || line.Problem.Parameter != "url" {
				t.Errorf("a number for an address: %s", text)
			}
		default:
			if line.Document == nil || !strings.Contains(line.Document.Text, "/log/last") {
				t.Errorf("after bad lines: %s", text)
			}
		}
	}
}

// The first answers of a batch come while the rest is still being sent.
func TestBatchStreams(t *testing.T) {
	w := newWorld(t)
	r, send := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.api+"/api/v1/clean", r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	go func() { fmt.Fprintf(send, "{\"url\":\"%s/log/1\",\"mode\":\"text\"}\n", w.origin) }()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answers := json.NewDecoder(resp.Body)
	for i := 1; i < 3; i++ {
		var line struct{ Line int }
		if err := answers.Decode(&line); err != nil || line.Line != i {
			t.Fatalf("line %d: %v", line.Line, err)
		}
		if i == 1 {
			fmt.Fprintf(send, "{\"url\":\"%s/log/2\"}\n", w.origin)
		}
	}
	send.Close()
	if err := answers.Decode(new(any)); err != io.EOF { //nolint:errorlint // as io.Reader has it
		t.Errorf("after the last line: %v", err)
	}
}

func TestBadInput(t *testing.T) {
	w := newWorld(t, func(o *api.Options) { o.Timeout = 2 * time.Second })
	type body struct {
		Title, Detail, Reason, Parameter string
		Status                           int
		OriginStatus                     int `json:"origin_status"`
	}
	check := func(name string, resp *http.Response, text string, want body) {
		t.Helper()
		var got body
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s: %s: %v: %s", name, resp.Status, err, text)
			return
		}
		if resp.StatusCode != want.Status || got.Status != want.Status || resp.Header.Get("Content-Type") != "application/problem+json" ||
			got.Parameter != want.Parameter || got.Reason != want.Reason || got.OriginStatus != want.OriginStatus || got.Detail == "" || got.Title == "" {
			t.Errorf("%s: %s: %s", name, resp.Status, text)
		}
	}
	at := w.origin
	for name, c := range map[string]struct {
		params url.Values
		want   body
	}{
		"no address":       {url.Values{}, body{Status: 400, Parameter: "url"}},
		"no web address":   {url.Values{"url": {"file:///etc/passwd"}}, body{Status: 400, Parameter: "url"}},
		"opaque":           {url.Values{"url": {"http:http://127.0.0.1/"}}, body{Status: 400, Parameter: "url"}},
		"no mode":          {url.Values{"url": {at + "/"}, "mode": {"pretty"}}, body{Status: 400, Parameter: "mode"}},
		"no kind":          {url.Values{"url": {at + "/"}, "keep": {"adverts"}}, body{Status: 400, Parameter: "keep"}},
		"no number":        {url.Values{"url": {at + "/"}, "chunks": {"many"}}, body{Status: 400, Parameter: "chunks"}},
		"below zero":       {url.Values{"url": {at + "/"}, "chunks": {"-1"}}, body{Status: 400, Parameter: "chunks"}},
		"no parameter":     {url.Values{"url": {at + "/"}, "format": {"text"}}, body{Status: 400, Parameter: "format"}},
		"twice":            {url.Values{"url": {at + "/", at + "/log/1"}}, body{Status: 400, Parameter: "url"}},
		"metadata service": {url.Values{"url": {"http://169.254.169.254/latest/"}}, body{Status: 403, Reason: "denied"}},
		"port":             {url.Values{"url": {"http://127.0.0.1:22/"}}, body{Status: 403, Reason: "denied"}},
		"nobody there":     {url.Values{"url": {"http://127.0.0.1:9999/"}}, body{Status: 502, Reason: "refused"}},
		"a picture":        {url.Values{"url": {at + "/picture"}}, body{Status: 415, Reason: "type"}},
		"not found":        {url.Values{"url": {at + "/nothing"}}, body{Status: 502, Reason: "status", OriginStatus: 404}},
		"too large":        {url.Values{"url": {at + "/huge"}}, body{Status: 422, Reason: "too-large"}},
		"stalls":           {url.Values{"url": {at + "/stalls"}}, body{Status: 504, Reason: "timeout"}},
	} {
		resp, text := w.get("/api/v1/clean", c.params)
		check(name, resp, text, c.want)
	}
	for name, c := range map[string]struct {
		contentType, sent string
		params            url.Values
		want              body
	}{
		"a form":          {"application/x-www-form-urlencoded", "url=x", nil, body{Status: 415}},
		"no JSON":         {"application/json", "<html>", nil, body{Status: 400, Parameter: "body"}},
		"unknown member":  {"application/json", `{"url":"http://a.test/","format":"x"}`, nil, body{Status: 400, Parameter: "body"}},
		"two values":      {"application/json", `{"url":"http://a.test/"} {}`, nil, body{Status: 400, Parameter: "body"}},
		"a wrong type":    {"application/json", `{"url":"http://a.test/","chunks":"x"}`, nil, body{Status: 400, Parameter: "chunks"}},
		"a page unnamed":  {"text/html", "<p>x", nil, body{Status: 400, Parameter: "url"}},
		"an empty page":   {"text/html", "", url.Values{"url": {"http://a.test/"}}, body{Status: 400, Parameter: "body"}},
		"a page too long": {"text/html", strings.Repeat("<p>x", 1<<20), url.Values{"url": {"http://a.test/"}}, body{Status: 413}},
	} {
		resp, text := w.post(c.contentType, c.sent, c.params)
		check(name, resp, text, c.want)
	}
	resp, text := w.get("/api/v1/template", url.Values{"host": {"no host"}})
	check("no host", resp, text, body{Status: 400, Parameter: "host"})
	resp, text = w.get("/api/v1/nothing", nil)
	check("no path", resp, text, body{Status: 404})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, w.api+"/api/v1/clean", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, text = w.do(req)
	check("no method", resp, text, body{Status: 405})
	if resp.Header.Get("Allow") != "GET, POST" {
		t.Errorf("Allow: %s", resp.Header.Get("Allow"))
	}
}

// Pages in somebody's browser can't use the API, whatever names they have rebound to it.
func TestWebPagesAreKeptOut(t *testing.T) {
	w := newWorld(t)
	asked := w.asked.Load()
	for name, tweak := range map[string]func(*http.Request){
		"another site": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"a script":     func(r *http.Request) { r.Header.Set("Origin", "https://evil.test") },
		"a name":       func(r *http.Request) { r.Host = "evil.test" },
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.api+"/api/v1/clean?url="+url.QueryEscape(w.origin+"/log/1"), nil)
		if err != nil {
			t.Fatal(err)
		}
		tweak(req)
		if resp, _ := w.do(req); resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
	if w.asked.Load() != asked {
		t.Error("the origin was asked")
	}
}

func TestTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	const token = "a-word-that-nobody-guesses"
	if err := os.WriteFile(file, []byte("# programs\ncrawler:"+token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens, err := access.LoadTokens(file)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(o *api.Options) { o.Tokens = tokens })
	for given, want := range map[string]int{"": http.StatusUnauthorized, "Bearer wrong": http.StatusUnauthorized,
		"Basic " + token: http.StatusUnauthorized, "Bearer " + token: http.StatusOK} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.api+"/api/v1/clean?url="+url.QueryEscape(w.origin+"/log/1"), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", given)
		if resp, body := w.do(req); resp.StatusCode != want {
			t.Errorf("%q: %s: %s", given, resp.Status, body)
		}
	}
}
