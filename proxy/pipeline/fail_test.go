package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/proxy/internal/sampler"
	"github.com/winnow-proxy/winnow/proxy/limits"
)

func TestUndecodableBodiesPass(t *testing.T) {
	whole, _ := navPage(500)
	gz := applyCodings(t, []byte(whole), "gzip")
	tests := []struct {
		name, coding string
		body         []byte
		want         Reason
	}{
		{"gzip cut in the middle", "gzip", gz[:len(gz)/2], ReasonCoding},
		{"gzip cut by a byte", "gzip", gz[:len(gz)-1], ReasonCoding},
		{"gzip with rubbish inside", "gzip", append(bytes.Repeat([]byte{0xaa}, 50), gz...), ReasonCoding},
		{"plain said to be br", "br", []byte(whole), ReasonCoding},
		{"plain said to be zstd", "zstd", []byte(whole), ReasonCoding},
		{"gzip not said", "", gz, ReasonCoding},
		{"gzip twice, said once", "gzip", applyCodings(t, gz, "gzip"), ReasonCoding},
		{"unknown", "snappy", []byte(whole), ReasonCoding},
		{"gzip bomb", "gzip", applyCodings(t, make([]byte, 8<<20), "gzip"), ReasonTooLarge},
		{"br bomb", "br", applyCodings(t, make([]byte, 8<<20), "br"), ReasonTooLarge},
		{"zstd bomb", "zstd", applyCodings(t, make([]byte, 8<<20), "zstd"), ReasonTooLarge},
		{"empty", "", nil, ReasonEmpty},
		{"gzip of nothing", "gzip", applyCodings(t, nil, "gzip"), ReasonEmpty},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fields := []string{"Content-Type", "text/html", "Etag", `"abc"`}
			if tt.coding != "" {
				fields = append(fields, "Content-Encoding", tt.coding)
			}
			r := newRig(t, serve(tt.body, fields...), func(o *Options) { o.Limits.Body = 4 << 20 })
			got := r.get("/", "Accept-Encoding", "gzip, br, zstd, snappy")
			got.wantPassed(t, tt.want, tt.body)
			if got.Header.Get("Content-Encoding") != tt.coding || got.Header.Get("Etag") != `"abc"` || got.err != nil {
				t.Errorf("header %v, error %v; want the origin's header", got.Header, got.err)
			}
			if tt.want.Failure() {
				r.wantFailureLogged(tt.want)
			}
		})
	}
}

// The client sees an origin that breaks off fail as it would without us: the same bytes, then an error.
func TestBrokenOriginsLookTheSame(t *testing.T) {
	whole, _ := navPage(500)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if req.URL.Path == "/lying" {
			w.Header().Set("Content-Length", strconv.Itoa(len(whole)+1000))
		}
		_, _ = io.WriteString(w, whole)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	for _, path := range []string{"/lying", "/chunked"} {
		direct := r.direct(path)
		got := r.get(path)
		got.wantPassed(t, ReasonTruncated, direct.body)
		if got.err == nil || direct.err == nil || got.ContentLength != direct.ContentLength {
			t.Errorf("%s: error %v with length %d; without us %v with %d", path, got.err, got.ContentLength, direct.err, direct.ContentLength)
		}
	}
	r.wantFailureLogged(ReasonTruncated)
}

// A page of 60 MB streams through; no more than the limit is ever held.
func TestHugePageStreams(t *testing.T) {
	const size = 60 << 20
	chunk := bytes.Repeat([]byte("<p>0123456789abcdef</p>\n"), 1<<12)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if req.URL.Path == "/declared" {
			w.Header().Set("Content-Length", strconv.Itoa(size/len(chunk)*len(chunk)))
		}
		for range size / len(chunk) {
			_, _ = w.Write(chunk)
		}
	}, func(o *Options) { o.Limits.Body = 4 << 20 })
	for _, path := range []string{"/declared", "/chunked"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		resp, err := r.client.Get(r.proxy.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		runtime.ReadMemStats(&after)
		if err != nil || n != size/int64(len(chunk))*int64(len(chunk)) {
			t.Errorf("%s: %d bytes, %v", path, n, err)
		}
		if got := resp.Header.Get("Winnow"); got != "passed; reason=too-large" {
			t.Errorf("%s: Winnow: %s", path, got)
		}
		// Buffers double up to the limit, so that twice the limit is allocated at most, and the servers' own.
		if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
			t.Errorf("%s: %d MiB allocated for a limit of 4 MiB", path, got>>20)
		}
	}
	r.wantFailureLogged(ReasonTooLarge)
	r.wantNothingCharged()
}

// Real pages of the odd kind, through the real parser and writer: whatever becomes of them, nothing is lost and nothing
// breaks.
func TestOddPagesThroughTheRealParser(t *testing.T) {
	pages := map[string]struct {
		html string
		want Reason // empty: cleaned
	}{
		"NUL bytes":     {"<html><body><p>a\x00b</p>" + strings.Repeat("\x00", 100) + "</body></html>", ""},
		"only NULs":     {strings.Repeat("\x00", 4096), ""},
		"frameset":      {`<html><frameset cols="20%,80%"><frame src="a"><frame src="b"></frameset></html>`, ""},
		"deep":          {strings.Repeat("<div>", 100_000), ReasonTooDeep},
		"many":          {strings.Repeat("<dt>a<dd>b", 200_000), ReasonTooMany},
		"not HTML":      {"%PDF-1.7 nothing to see", ""},
		"one character": {"x", ""},
		"broken UTF-8":  {"<html><p>\xff\xfe\xfd\xc3\x28</p></html>", ""},
	}
	for name, tt := range pages {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, serve([]byte(tt.html), "Content-Type", "text/html; charset=utf-8"))
			r.rw.parse, r.rw.write, r.rw.opts.Models = page.ParseContext, write.Form.Write, marksNothing{r.models}
			got := r.get("/")
			if tt.want != "" {
				got.wantPassed(t, tt.want, []byte(tt.html))
				r.wantFailureLogged(tt.want)
				return
			}
			got.wantCleaned(t, "", tt.html)
		})
	}
}

// marksNothing judges every block as content.
type marksNothing struct{ *fakeModels }

func (m marksNothing) Mark(_ context.Context, _ string, p *page.Page, _ model.Visit) (*page.Marking, error) {
	return &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}, nil
}

func TestPanicsPassTheOriginal(t *testing.T) {
	whole, _ := navPage(100)
	coded := applyCodings(t, []byte(whole), "gzip")
	boom := func() { panic("boom") }
	for name, arm := range map[string]func(*rig){
		"parse": func(r *rig) {
			r.rw.parse = func(context.Context, []byte, string) (*page.Page, error) { boom(); return nil, nil }
		},
		"mark": func(r *rig) { r.models.fail = func() error { boom(); return nil } },
		"write": func(r *rig) {
			r.rw.write = func(write.Form, *page.Page, *page.Marking) (*write.Output, error) { boom(); return nil, nil }
		},
		"no out": func(r *rig) {
			r.rw.write = func(write.Form, *page.Page, *page.Marking) (*write.Output, error) { return nil, nil }
		},
		"bytes": func(r *rig) { r.rw.opts.Metrics.Bytes = func(int, int) { boom() } },
		"duration, read": func(r *rig) {
			r.rw.opts.Metrics.Duration = func(stage string, _ time.Duration) {
				if stage == "read" {
					boom()
				}
			}
		},
		"bypass": func(r *rig) { r.rw.opts.Bypass = func(string) bool { boom(); return false } },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, serve(coded, "Content-Type", "text/html", "Content-Encoding", "gzip", "Etag", `"abc"`))
			arm(r)
			got := r.get("/", "Accept-Encoding", "gzip")
			got.wantPassed(t, ReasonPanic, coded)
			if got.Header.Get("Etag") != `"abc"` || got.err != nil {
				t.Errorf("header %v, error %v", got.Header, got.err)
			}
			r.wantFailureLogged(ReasonPanic)
			if log := r.log.String(); name != "bypass" && !strings.Contains(log, "fail_test.go") && name != "no out" {
				t.Errorf("the stack is not in the log: %s", log)
			}
		})
	}
}

func TestPanicWhileCountingHarmsNoResponse(t *testing.T) {
	whole, cleaned := navPage(100)
	r := newRig(t, serve([]byte(whole), "Content-Type", "text/html"), func(o *Options) {
		o.Metrics.Count = func(string, Reason) { panic("no room for another label") }
	})
	got := r.get("/")
	if string(got.body) != cleaned || got.err != nil {
		t.Errorf("got %d bytes, %v", len(got.body), got.err)
	}
}

func TestErrorsPassTheOriginal(t *testing.T) {
	whole, _ := navPage(100)
	for want, arm := range map[Reason]func(*rig){
		ReasonParse: func(r *rig) {
			r.rw.parse = func(context.Context, []byte, string) (*page.Page, error) { return nil, errors.New("no") }
		},
		ReasonTooDeep: func(r *rig) {
			r.rw.parse = func(context.Context, []byte, string) (*page.Page, error) {
				return nil, fmt.Errorf("x: %w", page.ErrTooDeep)
			}
		},
		ReasonModel: func(r *rig) { r.models.fail = func() error { return errors.New("no") } },
		ReasonWrite: func(r *rig) {
			r.rw.write = func(write.Form, *page.Page, *page.Marking) (*write.Output, error) { return nil, errors.New("no") }
		},
	} {
		t.Run(string(want), func(t *testing.T) {
			r := newRig(t, serve([]byte(whole), "Content-Type", "text/html"))
			arm(r)
			r.get("/").wantPassed(t, want, []byte(whole))
			r.wantFailureLogged(want)
		})
	}
}

// A parser that hangs costs one place until it ends, and its page a delay; the pages behind it pass when no place is
// left.
func TestTimeoutAndBusy(t *testing.T) {
	whole, cleaned := navPage(100)
	hang := make(chan struct{})
	r := newRig(t, serve([]byte(whole), "Content-Type", "text/html"), func(o *Options) {
		o.Limits.Clean, o.Limits.Cleaning, o.Limits.Wait = 30*time.Millisecond, 1, 30*time.Millisecond
	})
	parse := r.rw.parse
	r.rw.parse = func(ctx context.Context, src []byte, t string) (*page.Page, error) { <-hang; return parse(ctx, src, t) }
	r.get("/").wantPassed(t, ReasonTimeout, []byte(whole))
	r.get("/").wantPassed(t, ReasonBusy, []byte(whole))
	close(hang)
	r.wantFailureLogged(ReasonTimeout)
	r.wantFailureLogged(ReasonBusy)
	for range 100 { // the place comes back
		if got := r.get("/"); got.Header.Get("Winnow") != "passed; reason=busy" {
			got.wantCleaned(t, "", cleaned)
			return
		}
	}
	t.Error("the place never came back")
}

// A parsed page takes many times its size, so the pages that are parsed at once are bounded by their bytes as well,
// however many places there are. A part of each, which small pages have and no more, need not wait.
func TestParsedBytesAreBounded(t *testing.T) {
	largest := strings.Repeat("<", 8000) // each could be a tag
	most := page.MaxCost(int64(len(largest)))
	for name, c := range map[string]struct {
		whole  string
		places int
		want   int64
	}{
		"of the full size": {largest, 1000, min(2, max(1, int64(runtime.GOMAXPROCS(0))-1))}, // a processor is left to others
		"small":            {largest[:len(largest)/16], 8, 8},
		"many small":       {largest[:len(largest)/16], 64, 2*16 + 10},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, serve([]byte(c.whole), "Content-Type", "text/html"), func(o *Options) {
				o.Limits.Body, o.Limits.Cleaning, o.Limits.Clean = limits.MiB(len(largest)), c.places, 300*time.Millisecond
			})
			hang := make(chan struct{})
			var parsing atomic.Int64
			r.rw.parse = func(context.Context, []byte, string) (*page.Page, error) {
				parsing.Add(1)
				<-hang
				return nil, errors.New("late")
			}
			var wg sync.WaitGroup
			for range min(c.places, int(c.want)+20) {
				wg.Go(func() { r.get("/") })
			}
			wg.Wait()
			n := parsing.Load()
			if cost := n * page.Cost([]byte(c.whole)); cost > 2*most+most/2 || n < min(c.want, 2) || n > c.want {
				t.Errorf("%d pages were parsed at once, of %d%% of the cost of one of the full size", n, 100*cost/most)
			}
			close(hang)
		})
	}
}

func TestBufferedBytesAreBounded(t *testing.T) {
	whole, cleaned := navPage(2000)
	r := newRig(t, serve([]byte(whole), "Content-Type", "text/html"), func(o *Options) {
		o.Limits.Held = limits.MiB(len(whole)) + maxRoom + 100
	})
	r.rw.shares.Charge("another", maxRoom+1000) // another response holds them
	r.get("/").wantPassed(t, ReasonBusy, []byte(whole))
	r.rw.shares.Give("another", maxRoom+1000)
	r.get("/").wantCleaned(t, "", cleaned)
	r.wantNothingCharged()
}

func TestManyClientsAtOnce(t *testing.T) {
	whole, cleaned := navPage(300)
	codings := append(knownCodings(), codingIdentity)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		c := req.URL.Path[1:]
		w.Header().Set("Content-Type", "text/html")
		body := []byte(strings.Replace(whole, "grain", req.URL.RawQuery, 1))
		if c != codingIdentity {
			w.Header().Set("Content-Encoding", c)
			body = applyCodings(t, body, c)
		}
		_, _ = w.Write(body)
	}, func(o *Options) { o.Limits.Wait, o.Limits.Clean = 10*time.Second, 10*time.Second })
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 10 {
				c := codings[(i+j)%len(codings)]
				id := fmt.Sprintf("client%dpage%d", i, j)
				got := r.get("/"+c+"?"+id, "Accept-Encoding", "gzip, deflate, br, zstd")
				if body := string(undoCoding(t, got.body, got.Header.Get("Content-Encoding"))); body != strings.Replace(cleaned, "grain", id, 1) {
					t.Errorf("%s in %s: got somebody else's page or a broken one", id, c)
				}
			}
		})
	}
	wg.Wait()
	r.wantNothingCharged()
}

func TestLogIsSampledAndKeepsSecrets(t *testing.T) {
	var mu sync.Mutex
	now := time.Unix(0, 0)
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	for _, urls := range []bool{false, true} {
		r := newRig(t, serve([]byte("<p>x</p>"), "Content-Type", "text/html", "Content-Encoding", "sdch"),
			func(o *Options) { o.LogURLs, o.Now = urls, clock })
		for range 5 {
			r.get("/private/path?token=secret")
		}
		mu.Lock()
		now = now.Add(2 * sampler.Interval)
		mu.Unlock()
		r.get("/private/path?token=secret")
		got := r.log.String()
		if n := strings.Count(got, "\n"); n != 2 || !strings.Contains(got, "since_last=4") {
			t.Errorf("%d lines for 6 failures, want 2 that count the rest: %s", n, got)
		}
		if strings.Contains(got, "secret") || strings.Contains(got, "private") != urls {
			t.Errorf("LogURLs %v: %s", urls, got)
		}
	}
}
