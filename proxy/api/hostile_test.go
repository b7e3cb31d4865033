package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/api"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// meagre is a cleaner with little memory for what is held beside pages.
type meagre struct {
	api.Cleaner
	pl *pipeline.Pipeline
}

func (m meagre) Memory(who access.Identity) *pipeline.Memory { return m.pl.Memory(who.Name()) }

// withMemory gives the API so many bytes.
func withMemory(t *testing.T, n int) func(*api.Options) {
	t.Helper()
	detector, err := detectors.ByName(detectors.Default, detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	models, err := cache.New(t.Context(), cache.Options{Detector: detector, Key: model.NewKey()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = models.Close(context.Background()) })
	pl, err := pipeline.New(pipeline.Options{Models: models, Logger: slog.New(slog.DiscardHandler), Limits: limits.Limits{Held: limits.MiB(n)}})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *api.Options) { o.Cleaner = meagre{o.Cleaner, pl} }
}

// endless is a body that counts what is read of it.
type endless struct {
	left, read atomic.Int64
	unit       string
}

func (e *endless) Read(b []byte) (int, error) {
	if e.left.Add(-int64(len(b))) < 0 {
		return 0, io.EOF
	}
	for i := range b {
		b[i] = e.unit[i%len(e.unit)]
	}
	e.read.Add(int64(len(b)))
	return len(b), nil
}

// send posts a body and returns the answer, empty where the connection was cut before it could be read.
func (w *world) send(contentType, token string, body io.Reader) (status int, answer string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.api+"/api/v1/clean?mode=text&url="+url.QueryEscape(w.origin+"/log/1"), body)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	if contentType == "application/json" || contentType == "application/x-ndjson" {
		req.URL.RawQuery = ""
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

// Of a body that is far too long, hardly more is read than a page may have, and nothing where the token is wrong.
func TestLongBodiesAreNotRead(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte("crawler:0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens, err := access.LoadTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	closed := newWorld(t, func(o *api.Options) { o.Tokens = tokens })
	for name, c := range map[string]struct {
		to          *world
		contentType string
		token       string
		unit        string
		status      int
		most        int64
	}{
		"a page":             {w, "text/html", "", "<p>x", http.StatusRequestEntityTooLarge, 8 << 20},
		"a JSON string":      {w, "application/json", "", "x", http.StatusBadRequest, 8 << 20},
		"a line of a batch":  {w, "application/x-ndjson", "", "x", http.StatusOK, 16 << 20},
		"with a wrong token": {closed, "text/html", "fedcba9876543210", "<p>x", http.StatusUnauthorized, 8 << 20},
		"a batch, no token":  {closed, "application/x-ndjson", "", "x", http.StatusUnauthorized, 8 << 20},
		"of an unknown type": {w, "multipart/form-data", "", "x", http.StatusUnsupportedMediaType, 8 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			body := &endless{unit: c.unit}
			body.left.Store(200 << 20)
			status, answer := c.to.send(c.contentType, c.token, body)
			if status != c.status && status != 0 {
				t.Errorf("%d: %.200s", status, answer)
			}
			if n := body.read.Load(); n > c.most {
				t.Errorf("%d MB were taken", n>>20)
			}
		})
	}
}

// An XML bomb is a page like any other: entities are not expanded.
func TestEntitiesAreNotExpanded(t *testing.T) {
	w := newWorld(t)
	bomb := `<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "ha">`
	for i := 'b'; i < 'z'; i++ {
		bomb += fmt.Sprintf(`<!ENTITY %c "%s">`, i, strings.Repeat(fmt.Sprintf("&%c;", i-1), 10))
	}
	bomb += `]><html><body><p>&y; and some words of a page that somebody may want to read.</p></body></html>`
	if status, answer := w.send("application/xhtml+xml", "", strings.NewReader(bomb)); len(answer) > 40*len(bomb) || status == http.StatusInternalServerError {
		t.Errorf("%d, %d bytes", status, len(answer))
	}
}

// What requests under way take is charged to who sends them: beyond the share, there is a 503, and all is given back.
func TestHeldRequestsAreCharged(t *testing.T) {
	w := newWorld(t, withMemory(t, 800<<10))
	var sends []*io.PipeWriter
	answers := make(chan int, 10)
	part := strings.Repeat("<p>Words of a page.", 5_000) // 95 kB, of which each byte counts three times
	for range 4 {
		r, send := io.Pipe()
		sends = append(sends, send)
		go func() { status, _ := w.send("text/html", "", r); answers <- status }()
		go func() { _, _ = io.WriteString(send, part) }()
	}
	busy := 0
	for range 2 {
		select {
		case status := <-answers:
			if busy++; status != http.StatusServiceUnavailable {
				t.Errorf("beyond the share: %d", status)
			}
		case <-time.After(time.Minute):
			t.Fatal("four requests are held, and there is memory for two")
		}
	}
	for _, send := range sends {
		_ = send.Close() // never fails
	}
	for range 4 - busy {
		<-answers
	}
	deadline := time.Now().Add(time.Minute)
	for {
		status, answer := w.send("text/html", "", strings.NewReader(part))
		if status == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the memory is not given back: %d, %.200s", status, answer)
		}
	}
}

// A batch has one problem for each line that there is no memory for, and its other lines are answered.
func TestHeldLinesAreCharged(t *testing.T) {
	w := newWorld(t, withMemory(t, 1<<20))
	text := strings.Repeat("<p>Words of a page that takes much more than it is long.", 4000)
	large, err := json.Marshal(map[string]string{"url": w.origin + "/log/1", "html": text})
	if err != nil {
		t.Fatal(err)
	}
	status, answer := w.send("application/x-ndjson", "", strings.NewReader(fmt.Sprintf("{\"url\":%q,\"mode\":\"text\"}\n%s\n", w.origin+"/log/2", large)))
	lines := strings.Split(strings.TrimSpace(answer), "\n")
	if status != http.StatusOK || len(lines) != 2 || !strings.Contains(lines[0], "The wind of /log/2") || !strings.Contains(lines[1], `"status":503`) {
		t.Errorf("%d: %.600s", status, answer)
	}
}

// Lines that wait for an origin keep no other batch waiting.
func TestBatchesDoNotWaitForEachOther(t *testing.T) {
	w := newWorld(t, func(o *api.Options) { o.Timeout = 4 * time.Second })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.api+"/api/v1/clean",
		strings.NewReader(strings.Repeat(fmt.Sprintf("{\"url\":\"%s/stalls\"}\n", w.origin), 100)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		transport := &http.Transport{DisableKeepAlives: true}
		if resp, err := transport.RoundTrip(req); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}()
	for deadline := time.Now().Add(time.Minute); w.asked.Load() < 4 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	status, answer := w.send("application/x-ndjson", "", strings.NewReader(fmt.Sprintf("{\"url\":\"%s/log/2\",\"mode\":\"text\"}\n", w.origin)))
	if took := time.Since(began); status != http.StatusOK || !strings.Contains(answer, "The wind of /log/2") || took > 3*time.Second {
		t.Errorf("%d after %v: %s", status, took, answer)
	}
	cancel()
	<-ended
}

// The making of a book is charged to who asks for it: its pictures come one by one, and need room for one.
func TestBooksAreCharged(t *testing.T) {
	w := newWorld(t, withMemory(t, 8<<20))
	resp, text := w.bookOf(`{"urls":["AT/log/1"]}`)
	isProblem(t, "no room for a picture", resp, text, wanted{Status: http.StatusServiceUnavailable, Reason: "busy"})
	if resp, text := w.bookOf(`{"urls":["AT/log/1"],"pictures":false}`); resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %.200s", resp.Status, text)
	}
}

// A book of pages that take long does not hold up other books.
func TestBooksDoNotWaitForEachOther(t *testing.T) {
	w := newWorld(t, func(o *api.Options) { o.Timeout = 4 * time.Second })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	body := `{"urls":["` + strings.Repeat(w.origin+`/stalls","`, 100) + w.origin + `/stalls"]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.api+"/api/v1/book", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		transport := &http.Transport{DisableKeepAlives: true}
		if resp, err := transport.RoundTrip(req); err == nil {
			resp.Body.Close()
		}
	}()
	for deadline := time.Now().Add(time.Minute); w.asked.Load() < 8 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	resp, text := w.bookOf(`{"urls":["AT/log/2"]}`)
	if took := time.Since(began); resp.StatusCode != http.StatusOK || took > 3*time.Second {
		t.Errorf("%s after %v: %.200s", resp.Status, took, text)
	}
	cancel()
	<-ended
}
