package pipeline

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/limits"
)

// Large pages that wait for their turn keep no place from small ones, however many there are and however they are
// packed, and what is held for them is given back.
func TestSmallPagesPassWaitingOnes(t *testing.T) {
	small, cleaned := navPage(10)
	large := strings.Repeat("<p>x", 3*largeSize/4)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(large))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch req.URL.Path {
		case "/packed":
			w.Header().Set("Content-Encoding", codingGzip)
			_, _ = w.Write(packed.Bytes())
		case "/large":
			_, _ = w.Write([]byte(large))
		default:
			_, _ = w.Write([]byte(small))
		}
	}, func(o *Options) {
		o.Limits.Body, o.Limits.Ratio, o.Limits.Cleaning, o.Limits.Clean = limits.MiB(2*len(large)), 1<<20, 2, time.Minute
		o.Limits.Wait = 20 * time.Second
	})
	hang := make(chan struct{})
	var parsing atomic.Int64
	parse := r.rw.parse
	r.rw.parse = func(ctx context.Context, src []byte, contentType string) (*page.Page, error) {
		if len(src) > largeSize {
			parsing.Add(1)
			<-hang
		}
		return parse(ctx, src, contentType)
	}
	var wg sync.WaitGroup
	var answers atomic.Int64
	for i := range 10 {
		wg.Go(func() {
			r.get([]string{"/packed", "/large"}[i%2], "Accept-Encoding", "gzip")
			answers.Add(1)
		})
	}
	r.eventually("a large page is being parsed", func() bool { return parsing.Load() > 0 })
	for range 5 {
		began := time.Now()
		r.get("/").wantCleaned(t, "", cleaned)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("a small page took %v", took)
		}
	}
	if answers.Load() > 0 {
		t.Errorf("%d large pages have passed", answers.Load())
	}
	close(hang)
	wg.Wait()
	r.wantNothingCharged()
	r.eventually("every place is given back", func() bool { return r.rw.working.Load() == 0 })
}

// slowLearner learns what it has taken when it may.
type slowLearner struct {
	*fakeModels
	may chan struct{}
}

func (s *slowLearner) Drain(ctx context.Context) error {
	select {
	case <-s.may:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// A large page is answered before it is learned, and no other one is worked on until then, while small ones pass.
func TestLargePagesAreLearnedInTheirPlace(t *testing.T) {
	small, cleaned := navPage(10)
	large, largeCleaned := navPage(40_000)
	if len(large) <= largeSize {
		t.Fatalf("%d bytes are not large", len(large))
	}
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if strings.HasPrefix(req.URL.Path, "/large/") {
			_, _ = w.Write([]byte(large))
		} else {
			_, _ = w.Write([]byte(small))
		}
	}, func(o *Options) {
		o.Limits.Body, o.Limits.Cleaning, o.Limits.Clean, o.Limits.Wait = limits.MiB(4*len(large)), 2, time.Minute, time.Minute
	})
	learner := &slowLearner{r.models, make(chan struct{})}
	r.rw.opts.Models, r.rw.places.large = learner, access.NewTurns(1, 0, time.Now)
	r.get("/large/1").wantCleaned(t, "", largeCleaned)
	r.eventually("the large page is queued", func() bool { return len(r.models.learned()) == 1 })
	for range 3 {
		r.get("/").wantCleaned(t, "", cleaned)
	}
	time.Sleep(50 * time.Millisecond) // it would give its place back at once
	if n := r.rw.working.Load(); n != 1 {
		t.Errorf("%d places are taken while the large page is learned", n)
	}
	second := make(chan answer, 1)
	go func() { second <- r.get("/large/2") }()
	close(learner.may)
	(<-second).wantCleaned(t, "", largeCleaned)
	r.eventually("all are queued", func() bool { return len(r.models.learned()) == 5 })
	r.eventually("every place is given back", func() bool { return r.rw.working.Load() == 0 })
}

// What is unpacked of a page that waits is charged to its client.
func TestWaitingPagesAreCharged(t *testing.T) {
	r := newRig(t, serve(nil), func(o *Options) { o.Limits.Held = 1000 })
	a := account{r.rw.shares, "a", true}
	at, reason := r.rw.enter(t.Context(), a)
	if reason != "" {
		t.Fatal(reason)
	}
	defer at.leave()
	if reason := at.enlarge(t.Context(), 1001); reason != ReasonBusy {
		t.Errorf("a page of more than there is waits: %q", reason)
	}
	if reason := at.enlarge(t.Context(), 1000); reason != "" || r.rw.shares.Used() != 0 {
		t.Errorf("%q, %d bytes are charged when it waits no more", reason, r.rw.shares.Used())
	}
}

// A page that somebody looks at keeps to the bounds of those that are cleaned, for as long as it is looked at.
func TestExaminedPagesAreBounded(t *testing.T) {
	whole, _ := navPage(1000)
	r := newRig(t, serve(nil), func(o *Options) { o.Limits.Held = limits.MiB(2*len(whole) + minRoom) })
	examine := func() (*Examined, error) {
		return r.rw.Examine(t.Context(), "a", &http.Response{StatusCode: http.StatusOK, Header: header("Content-Type", "text/html"), ContentLength: -1,
			Body: io.NopCloser(strings.NewReader(whole)), Request: httptest.NewRequest(http.MethodGet, "http://a.example/", nil)})
	}
	ex, err := examine()
	if err != nil {
		t.Fatal(err)
	}
	if used := r.rw.shares.Used(); used < int64(len(whole)) || r.rw.working.Load() != 1 {
		t.Errorf("%d bytes are charged, and %d places taken", used, r.rw.working.Load())
	}
	var busy *NotExaminedError
	if _, err := examine(); !errors.As(err, &busy) || busy.Reason != ReasonBusy {
		t.Errorf("there is no room for a second page: %v", err)
	}
	ex.Close()
	r.wantNothingCharged()
	if r.rw.working.Load() != 0 {
		t.Error("the place is not given back")
	}
}

// The form that a page is asked for in counts too: one that would take more than there is passes.
func TestFormsAreCharged(t *testing.T) {
	whole, cleaned := navPage(10)
	controls := strings.Repeat("\x01", 200_000)
	r := newRig(t, serve([]byte(whole+controls), "Content-Type", "text/html"), func(o *Options) { o.Limits.Body = 1 << 18 })
	r.rw.parsingRoom = 10 << 20
	r.get("/").wantCleaned(t, "", cleaned+controls)
	r.get("/", "Winnow-Mode", "json").wantPassed(t, ReasonTooLarge, []byte(whole+controls))
}

// What a quorum has seen of a page is a tree of its own.
func TestQuorumsAreCharged(t *testing.T) {
	src := []byte("<p>Some words</p>")
	for quorum, want := range map[int]int64{1: page.Cost(src), 2: 2 * page.Cost(src)} {
		r := newRig(t, serve(nil), func(o *Options) { o.LearnQuorum = quorum })
		x := r.rw.Request(httptest.NewRequest(http.MethodGet, "http://a.example/", nil))
		x.work = &work{}
		if got := x.costOf(src); got != want {
			t.Errorf("a quorum of %d: %d, want %d", quorum, got, want)
		}
	}
}
