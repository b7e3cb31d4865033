package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/failure"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// web has sites that are functions. Every answer takes a tenth of a second.
type web struct {
	t     *testing.T
	sites map[string]func(*http.Request) *http.Response
	mu    sync.Mutex
	asked []string
	busy  map[string]int
}

// fetch is a Fetch.
func (w *web) fetch(req *http.Request, _ access.Identity) (*http.Response, error) {
	host := req.URL.Host
	w.mu.Lock()
	w.asked = append(w.asked, host+req.URL.RequestURI())
	if w.busy[host]++; w.busy[host] > 1 {
		w.t.Errorf("%s is asked twice at once", host)
	}
	w.mu.Unlock()
	defer func() { w.mu.Lock(); w.busy[host]--; w.mu.Unlock() }()
	time.Sleep(time.Second / 10)
	site := w.sites[host]
	if site == nil {
		return nil, failure.New(http.StatusForbidden, failure.Denied, "No", "No.")
	}
	resp := site(req)
	if resp == nil { // it stalls
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	resp.Request = req
	return resp, nil
}

// requests returns what was asked for since the last call.
func (w *web) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := w.asked
	w.asked = nil
	return asked
}

// answer is an answer with fields in pairs.
func answer(status int, body string, fields ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(fields); i += 2 {
		h.Set(fields[i], fields[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

// cleaned is a page as the proxy gives it in JSON mode.
func cleaned(text string, fields ...string) *http.Response {
	b, err := json.Marshal(jsondoc.Document{HTML: "<p>" + text + strings.Repeat(" and so on", 20) + "</p>"})
	if err != nil {
		panic(err)
	}
	return answer(200, string(b), append(fields, "Content-Type", "application/json", "Winnow", "cleaned; mode=json")...)
}

// teasers is a feed with links.
func teasers(links ...string) *http.Response {
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, "<item><link>%s</link><description>short</description></item>", l)
	}
	return answer(200, "<rss><channel>"+b.String()+"</channel></rss>", "Content-Type", "text/xml", "ETag", `"feed1"`)
}

// restore asks for the feed at host and sees how its entries are counted.
func (w *web) restore(r *Restorer, host string, want Counts) *Feed {
	w.t.Helper()
	got, err := r.Restore(w.t.Context(), &url.URL{Scheme: "https", Host: host, Path: "/feed"}, access.Identity{})
	if err != nil {
		w.t.Fatal(err)
	}
	if got.Counts != want {
		w.t.Errorf("%s: %v, want %v", host, got.Counts, want)
	}
	return got
}

func newWeb(t *testing.T, sites map[string]func(*http.Request) *http.Response) *web {
	t.Helper()
	return &web{t: t, sites: sites, busy: map[string]int{}}
}

// A site is asked for one thing at a time, also by several feeds at once; for robots.txt first, and once; and for each
// page once, until six hours are over. Then it is asked whether the page is another.
func TestSitesAreAskedPolitely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var conditions []string
		w := newWeb(t, map[string]func(*http.Request) *http.Response{
			"a.test": func(r *http.Request) *http.Response {
				if c := r.Header.Get("If-None-Match"); c != "" {
					conditions = append(conditions, r.URL.Path+" "+c)
					return answer(304, "")
				}
				switch r.URL.Path {
				case "/feed":
					return teasers("/1", "/2", "https://b.test/3")
				case "/robots.txt":
					return answer(200, "User-agent: *\nDisallow: /2")
				}
				return cleaned("page "+r.URL.Path, "ETag", `W/"page"`)
			},
			"b.test": func(r *http.Request) *http.Response {
				if r.URL.Path == "/3" {
					return answer(302, "", "Location", "https://a.test/4")
				}
				return answer(404, "")
			},
		})
		r := New(w.fetch, true, slog.New(slog.DiscardHandler))
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() { w.restore(r, "a.test", Counts{Restored: 2, Failed: 1}) })
		}
		group.Wait()
		asked := w.requests()
		slices.Sort(asked)
		if got := slices.Compact(slices.Clone(asked)); !slices.Equal(got, []string{"a.test/1", "a.test/4", "a.test/feed", "a.test/robots.txt", "b.test/3", "b.test/robots.txt"}) {
			t.Errorf("asked for %q", got)
		}
		if n := strings.Count(strings.Join(asked, " "), "robots.txt"); n != 2 {
			t.Errorf("robots.txt was asked for %d times: %q", n, asked)
		}
		if body := string(w.restore(r, "a.test", Counts{Restored: 2, Failed: 1}).Body); len(w.requests()) != 0 || !strings.Contains(body, "page /4") {
			t.Error("a feed that was just read was asked for again, or lacks a page")
		}
		time.Sleep(7 * time.Hour)
		w.restore(r, "a.test", Counts{Restored: 2, Failed: 1})
		slices.Sort(conditions)
		if want := []string{`/1 W/"page"`, `/4 W/"page"`, `/feed "feed1"`}; !slices.Equal(conditions, want) {
			t.Errorf("conditions: %q", conditions)
		}
	})
}

// Nobody finds out by the time of an answer, or by what it has, which feeds and pages others read, or whose robots.txt
// was asked for: it is as if nobody had.
func TestReadersDoNotSeeEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		version := 0
		w := newWeb(t, map[string]func(*http.Request) *http.Response{
			"a.test": func(r *http.Request) *http.Response {
				if r.URL.Path == "/feed" {
					return teasers("/1")
				}
				return cleaned(fmt.Sprint("version ", version))
			},
		})
		read := func(r *Restorer, who access.Identity) (asked []string, body string, took time.Duration) {
			start := time.Now()
			got, err := r.Restore(t.Context(), &url.URL{Scheme: "https", Host: "a.test", Path: "/feed"}, who)
			if err != nil {
				t.Fatal(err)
			}
			return w.requests(), string(got.Body), time.Since(start)
		}
		ann, bob := access.Identity{User: "api ann"}, access.Identity{User: "api bob"}
		r, alone := New(w.fetch, false, slog.New(slog.DiscardHandler)), New(w.fetch, false, slog.New(slog.DiscardHandler))
		read(r, ann)
		version++
		wantAsked, wantBody, wantTook := read(alone, bob)
		if asked, body, took := read(r, bob); !slices.Equal(asked, wantAsked) || body != wantBody || took != wantTook {
			t.Errorf("after another has read it: %q in %s: %s\nnobody has: %q in %s: %s", asked, took, body, wantAsked, wantTook, wantBody)
		}
		if asked, _, _ := read(r, ann); len(asked) != 0 {
			t.Errorf("what ann has read is asked for again: %q", asked)
		}
	})
}

// A site that wants to be left alone is left alone for as long, while the others are asked.
func TestSitesThatWantToBeLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tired := true
		w := newWeb(t, map[string]func(*http.Request) *http.Response{
			"a.test": func(*http.Request) *http.Response {
				return teasers("https://b.test/1", "https://b.test/2", "https://c.test/1")
			},
			"b.test": func(r *http.Request) *http.Response {
				if r.URL.Path != "/robots.txt" && tired {
					return answer(503, "", "Retry-After", "3600")
				}
				return cleaned("rested")
			},
			"c.test": func(*http.Request) *http.Response { return cleaned("never tired") },
		})
		r := New(w.fetch, true, slog.New(slog.DiscardHandler))
		w.restore(r, "a.test", Counts{Restored: 1, Waiting: 2})
		tired = false
		time.Sleep(50 * time.Minute)
		w.requests()
		w.restore(r, "a.test", Counts{Restored: 1, Waiting: 2})
		if asked := w.requests(); slices.ContainsFunc(asked, func(s string) bool { return strings.HasPrefix(s, "b.test") }) {
			t.Errorf("b was asked: %q", asked)
		}
		time.Sleep(11 * time.Minute)
		w.restore(r, "a.test", Counts{Restored: 3})
	})
}

// Whatever sites do, the answer is there in time, and what was not done is done the next time.
func TestSitesThatStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var links []string
		for i := range 60 {
			links = append(links, fmt.Sprintf("https://slow.test/%d", i))
		}
		w := newWeb(t, map[string]func(*http.Request) *http.Response{
			"a.test": func(*http.Request) *http.Response {
				return teasers("https://stalls.test/", "https://silent.test/", "https://fine.test/")
			},
			"many.test": func(*http.Request) *http.Response { return teasers(links...) },
			"slow.test": func(*http.Request) *http.Response { time.Sleep(510 * time.Millisecond); return cleaned("slow") },
			"fine.test": func(*http.Request) *http.Response { return cleaned("fine") },
			"silent.test": func(r *http.Request) *http.Response {
				if r.URL.Path == "/robots.txt" {
					return answer(500, "")
				}
				return cleaned("not permitted")
			},
			"stalls.test": func(r *http.Request) *http.Response {
				if r.URL.Path == "/robots.txt" {
					return answer(404, "")
				}
				return nil
			},
		})
		r := New(w.fetch, true, slog.New(slog.DiscardHandler))
		start := time.Now()
		w.restore(r, "a.test", Counts{Restored: 1, Failed: 2})
		if took := time.Since(start); took > pageTime+time.Second {
			t.Errorf("it took %v", took)
		}
		start = time.Now()
		first := w.restore(r, "many.test", Counts{Restored: 23, Waiting: 37})
		if took := time.Since(start); took > MaxTime+time.Second {
			t.Errorf("it took %v", took)
		}
		if second := w.restore(r, "many.test", Counts{Restored: 47, Waiting: 13}); second.Tag == first.Tag {
			t.Error("another feed has the same tag")
		}
		if third := w.restore(r, "many.test", Counts{Restored: maxPages, Waiting: 10}); third.ContentType != "application/rss+xml; charset=utf-8" {
			t.Errorf("it is %s", third.ContentType)
		}
		_, err := r.Restore(t.Context(), &url.URL{Scheme: "https", Host: "stalls.test", Path: "/feed"}, access.Identity{})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a feed that does not come: %v", err)
		}
	})
}

// Pages that have no more than the entry leave it as it is, and so do pages that can't be had.
func TestEntriesThatStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("Words of the entry. ", 100)
		source := fmt.Sprintf("<rss><channel><item><link>/whole</link><description>%s</description></item><item><link>/cut</link><description>%s…</description></item>"+
			"<item><link>/refused</link></item><item><link>/feed</link></item><item/><item><title>no link</title></item><item><link>/thin</link></item></channel></rss>", long, long)
		w := newWeb(t, map[string]func(*http.Request) *http.Response{
			"a.test": func(r *http.Request) *http.Response {
				switch r.URL.Path {
				case "/feed":
					return answer(200, source)
				case "/refused":
					return answer(302, "", "Location", "http://169.254.169.254/")
				case "/thin":
					return answer(200, `{"html":"<p>x","thin":true}`, "Content-Type", "application/json", "Winnow", "cleaned; mode=json")
				}
				return cleaned("short")
			},
		})
		r := New(w.fetch, true, slog.New(slog.DiscardHandler))
		if got := w.restore(r, "a.test", Counts{Complete: 2, Failed: 4}); string(got.Body) != source {
			t.Errorf("it changed: %s", got.Body)
		}
		if asked := w.requests(); slices.Contains(asked, "a.test/whole") {
			t.Errorf("the page of a whole entry was asked for: %q", asked)
		}
	})
}

// What is kept stays within its bound, and so does what is known of sites.
// One client that has many feeds of stalled sites read leaves a share for others.
func TestFeedsAreSharedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(func(req *http.Request, _ access.Identity) (*http.Response, error) {
			if req.URL.Host == "stalls.test" {
				<-req.Context().Done()
				return nil, req.Context().Err()
			}
			return &http.Response{StatusCode: http.StatusOK, Request: req, Header: http.Header{"Content-Type": {"application/rss+xml"}},
				Body: io.NopCloser(strings.NewReader("<rss><channel></channel></rss>"))}, nil
		}, false, slog.New(slog.DiscardHandler))
		restore := func(user, at string) error {
			u, err := url.Parse(at)
			if err != nil {
				t.Error(err)
			}
			_, err = r.Restore(t.Context(), u, access.Identity{User: user})
			return err
		}
		var wg sync.WaitGroup
		for i := range 2 * maxFeeds {
			wg.Go(func() { _ = restore("greedy", fmt.Sprint("http://stalls.test/", i)) })
		}
		synctest.Wait()
		if err := restore("modest", "http://a.test/"); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if err := restore("greedy", "http://a.test/"); err != nil {
			t.Errorf("what was taken is not given back: %v", err)
		}
	})
}

func TestBounds(t *testing.T) {
	s := newStore()
	for i := range 200 {
		s.put(fmt.Sprint(i), &item{body: make([]byte, 1<<20)})
		s.put(fmt.Sprint(i), &item{body: make([]byte, 1<<20)})
	}
	if s.bytes > storeBytes || s.bytes < storeBytes/2 || s.get("199") == nil || s.get("0") != nil {
		t.Errorf("%d bytes are kept", s.bytes)
	}
	all := newSites()
	_, leave, err := all.enter(t.Context(), "kept.test")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 * maxSites {
		_, leave, err := all.enter(t.Context(), fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		leave()
	}
	if len(all.table) > maxSites || all.table["kept.test"] == nil {
		t.Errorf("%d sites are known", len(all.table))
	}
	leave()
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{"": 0, "120": 2 * time.Minute, "-1": 0, "soon": 0, "99999999": longestWait, "99999999999999999999": 0,
		"Sun, 22 Nov 2026 05:01:00 GMT": time.Minute, "Sun, 22 Nov 2026 04:00:00 GMT": 0, "Sun, 22 Nov 2099 04:00:00 GMT": longestWait} {
		if got := retryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}
