package pipeline

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"
)

// A page that the origin streams slowly is held back only so long; then all that is there goes out, and the rest as it
// comes.
func TestSlowPageIsLetGo(t *testing.T) {
	first, second := "<html><p>first part</p>", "<p>second part</p></html>"
	read := make(chan struct{})
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, first)
		_ = http.NewResponseController(w).Flush()
		<-read
		_, _ = io.WriteString(w, second)
	}, func(o *Options) { o.Limits.Read = 30 * time.Millisecond })
	resp, err := r.client.Get(r.proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	part := make([]byte, len(first))
	if _, err := io.ReadFull(resp.Body, part); err != nil || string(part) != first {
		t.Fatalf("got %q, %v before the origin went on", part, err)
	}
	close(read)
	rest, err := io.ReadAll(resp.Body)
	if err != nil || string(rest) != second || resp.Header.Get("Winnow") != "passed; reason=slow" {
		t.Errorf("got %q, %v, Winnow: %s", rest, err, resp.Header.Get("Winnow"))
	}
}

// Streams that are not pages are not held back for a moment.
func TestStreamsFlow(t *testing.T) {
	for _, contentType := range []string{"text/event-stream", "application/x-ndjson", "application/octet-stream"} {
		t.Run(contentType, func(t *testing.T) {
			sent := make(chan time.Time, 1)
			r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
				w.Header().Set("Content-Type", contentType)
				sent <- time.Now()
				_, _ = io.WriteString(w, "data: 1\n")
				_ = http.NewResponseController(w).Flush()
				<-req.Context().Done()
			})
			quickest := time.Hour // of several: the rest is the machine's part
			for range 5 {
				resp, err := r.client.Get(r.proxy.URL)
				if err != nil {
					t.Fatal(err)
				}
				line, err := bufio.NewReader(resp.Body).ReadString('\n')
				quickest = min(quickest, time.Since(<-sent))
				if resp.Body.Close(); err != nil || line != "data: 1\n" {
					t.Fatalf("got %q, %v", line, err)
				}
			}
			if quickest > 50*time.Millisecond {
				t.Errorf("the first event took %s, want 50 ms at most", quickest)
			}
		})
	}
}

// A client that leaves while the origin stalls leaves nothing behind: TestMain looks for goroutines, here for charges.
func TestClientThatLeaves(t *testing.T) {
	stall := make(chan struct{})
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><p>and then</p>")
		_ = http.NewResponseController(w).Flush()
		<-stall
	})
	defer close(stall)
	ctx, cancel := context.WithCancel(t.Context())
	var leaving sync.WaitGroup
	defer func() { cancel(); leaving.Wait() }()
	leaving.Go(func() {
		defer cancel()
		for r.rw.shares.Used() == 0 && ctx.Err() == nil { // until the page is being read
			time.Sleep(time.Millisecond)
		}
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.proxy.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := r.client.Do(req); err == nil {
		resp.Body.Close()
		t.Fatal("the stalled page was answered")
	}
	r.eventually("the response is counted as canceled", func() bool { return r.counts.of("passed canceled") == 1 })
	r.wantNothingCharged()
}
