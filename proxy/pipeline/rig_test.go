package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
)

// rig is an origin, a small proxy whose transport is wrapped by the rewriter under test, and a client, over real
// sockets.
type rig struct {
	t        testing.TB
	rw       *Pipeline
	models   *fakeModels
	origin   *httptest.Server
	proxy    *httptest.Server
	client   *http.Client
	log      *lockedBuffer
	counts   *counts
	upstream chan http.Header // header of each request that reached the origin
}

// rewritingTransport puts a rewriter where it belongs: around the transport.
type rewritingTransport struct {
	rw   *Pipeline
	next http.RoundTripper
}

func (t rewritingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	x := t.rw.Request(req)
	resp, err := t.next.RoundTrip(req)
	if err == nil {
		t.rw.Response(x, resp)
	}
	return resp, err
}

// newRig starts a rig. The fakes parse anything, and write a page by leaving out what stands between <nav> and </nav>.
func newRig(t testing.TB, origin http.HandlerFunc, change ...func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, models: &fakeModels{pages: 12}, log: &lockedBuffer{}, counts: &counts{n: map[string]int{}},
		upstream: make(chan http.Header, 1000)}
	opts := Options{
		Models: r.models, Mode: page.ModeRemove, Limits: testmodels.Patient(), Metrics: Metrics{Count: r.counts.add},
		Logger: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelInfo})),
	}
	for _, c := range change {
		c(&opts)
	}
	var err error
	if r.rw, err = New(opts); err != nil {
		t.Fatal(err)
	}
	r.rw.parse = func(_ context.Context, src []byte, _ string) (*page.Page, error) { return &page.Page{Source: src}, nil }
	r.rw.write = fakeWrite
	r.start(origin)
	return r
}

func (r *rig) start(origin http.HandlerFunc) {
	quiet := log.New(io.Discard, "", 0)
	r.origin = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.upstream <- req.Header.Clone()
		origin(w, req)
	}))
	r.origin.Config.ErrorLog = quiet
	r.origin.Start()
	target, err := url.Parse(r.origin.URL)
	if err != nil {
		r.t.Fatal(err)
	}
	upstream := &http.Transport{DisableCompression: true}
	r.proxy = httptest.NewUnstartedServer(&httputil.ReverseProxy{
		Rewrite:       func(p *httputil.ProxyRequest) { p.SetURL(target) },
		Transport:     rewritingTransport{r.rw, upstream},
		FlushInterval: -1,
		ErrorLog:      quiet,
	})
	r.proxy.Config.ErrorLog = quiet
	r.proxy.Start()
	transport := &http.Transport{DisableCompression: true}
	r.client = &http.Client{Transport: transport}
	r.t.Cleanup(func() {
		transport.CloseIdleConnections()
		r.proxy.Close()
		upstream.CloseIdleConnections()
		r.origin.Close()
	})
}

// answer is a response that has been read to its end; err is what ended it.
type answer struct {
	*http.Response
	body []byte
	err  error
}

// get asks through the proxy, with header fields in turn.
func (r *rig) get(path string, fields ...string) answer {
	r.t.Helper()
	return r.do(http.MethodGet, r.proxy.URL+path, fields...)
}

// direct asks the origin without the proxy.
func (r *rig) direct(path string, fields ...string) answer {
	r.t.Helper()
	a := r.do(http.MethodGet, r.origin.URL+path, fields...)
	<-r.upstream
	return a
}

func (r *rig) do(method, target string, fields ...string) answer {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, target, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header = header(fields...)
	resp, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{resp, body, err}
}

// wantPassed checks that an answer is the origin's, byte for byte, and says why.
func (a answer) wantPassed(t *testing.T, reason Reason, body []byte) {
	t.Helper()
	want := "passed; reason=" + string(reason)
	switch reason {
	case ReasonApplication, ReasonNoContent: // a shell, a page without text
		want += "; thin"
	}
	if got := a.Header.Get("Winnow"); got != want {
		t.Errorf("Winnow: %q, want %q", got, want)
	}
	if sha256.Sum256(a.body) != sha256.Sum256(body) {
		t.Errorf("%d bytes passed, want the origin's %d", len(a.body), len(body))
	}
}

// wantCleaned checks that an answer is cleaned, and its body once undone of its coding.
func (a answer) wantCleaned(t *testing.T, coding, body string) {
	t.Helper()
	if got := a.Header.Get("Winnow"); !strings.HasPrefix(got, "cleaned; ") {
		t.Fatalf("Winnow: %q, want cleaned", got)
	}
	if a.err != nil {
		t.Fatal(a.err)
	}
	if got := a.Header.Get("Content-Encoding"); got != coding {
		t.Fatalf("Content-Encoding %q, want %q", got, coding)
	}
	if got := string(undoCoding(t, a.body, coding)); got != body {
		t.Errorf("got %.200q…, want %.200q…", got, body)
	}
}

// wantFailureLogged checks that the log has a warning or error with the reason, and the counter its count.
func (r *rig) wantFailureLogged(reason Reason) {
	r.t.Helper()
	if got := r.log.String(); !strings.Contains(got, "reason="+string(reason)) {
		r.t.Errorf("no line with reason %s in the log: %s", reason, got)
	}
	if r.counts.of("passed "+string(reason)) == 0 {
		r.t.Errorf("no response counted as passed for %s", reason)
	}
}

// eventually waits for what happens beside the client: the proxy closes a body after the client has its last byte.
func (r *rig) eventually(what string, done func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("never came true: %s", what)
		}
	}
}

// wantNothingCharged checks that every held byte is given back in the end.
func (r *rig) wantNothingCharged() {
	r.t.Helper()
	r.eventually("no byte is charged to the budget", func() bool { return r.rw.shares.Used() == 0 })
}

// fakeModels marks nothing itself: the fakes of parse and write need no marks.
type fakeModels struct {
	mu     sync.Mutex
	pages  int
	pass   string
	fail   func() error // called by Mark where set
	learns []model.Visit
	hosts  []string
	visits []model.Visit
	// handed counts the pages that came to be learned together with what Mark had read of them.
	handed int
}

// fakeReading is what fakeModels reads of a page.
type fakeReading struct{ p *page.Page }

// IsOf implements page.Reading.
func (r fakeReading) IsOf(p *page.Page) bool { return r.p == p }

func (f *fakeModels) Mark(_ context.Context, host string, p *page.Page, v model.Visit) (*page.Marking, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.visits = append(f.visits, v)
	f.hosts = append(f.hosts, host)
	if f.fail != nil {
		if err := f.fail(); err != nil {
			return nil, err
		}
	}
	return &page.Marking{Pages: f.pages, Pass: f.pass, Reading: fakeReading{p}}, nil
}

func (f *fakeModels) LearnFrom(_, _ string, p *page.Page, v model.Visit) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if v.Reading != nil && v.Reading.IsOf(p) {
		f.handed++
	}
	f.learns = append(f.learns, v)
	return true
}

func (f *fakeModels) set(change func(*fakeModels)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// learned returns the URLs learned so far.
func (f *fakeModels) learned() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var urls []string
	for _, v := range f.learns {
		urls = append(urls, v.URL)
	}
	return urls
}

func fakeWrite(f write.Form, p *page.Page, _ *page.Marking) (*write.Output, error) {
	head, rest, found := bytes.Cut(p.Source, []byte("<nav>"))
	_, tail, _ := bytes.Cut(rest, []byte("</nav>"))
	body := append(bytes.Clone(head), tail...)
	removed := 0.0
	if found {
		removed = 0.25
	}
	switch f.Mode {
	case page.ModeText:
		return &write.Output{Body: append([]byte("text: "), body...), ContentType: "text/plain; charset=utf-8", Removed: removed}, nil
	case page.ModeMarkdown:
		return &write.Output{Body: append([]byte("# md: "), body...), ContentType: "text/markdown; charset=utf-8", Removed: removed}, nil
	}
	return &write.Output{Body: body, ContentType: "text/html; charset=utf-8", Removed: removed}, nil
}

// counts counts outcomes by "outcome reason".
type counts struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *counts) add(outcome string, reason Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[strings.TrimSpace(outcome+" "+string(reason))]++
}

func (c *counts) of(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[key]
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serve returns an origin that answers everything with one body and header fields in turn.
func serve(body []byte, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for k, v := range header(fields...) {
			w.Header()[k] = v
		}
		_, _ = w.Write(body)
	}
}

// navPage is a page of n lines with a nav in front, and the page without it.
func navPage(n int) (whole, cleaned string) {
	text := strings.Repeat("<p>The grain stays, the chaff flies.</p>\n", n)
	return "<html><nav>Home | News | About</nav>" + text + "</html>", "<html>" + text + "</html>"
}
