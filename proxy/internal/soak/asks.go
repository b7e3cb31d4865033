package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// soundTimeout bounds a sound request on a busy machine.
const soundTimeout = 60 * time.Second

// patience is how long clients wait for an origin that never answers.
const patience = 2500 * time.Millisecond

// ask is one request of a client.
type ask struct {
	f      *fleet
	client *http.Client
	host   int
	secure bool
	id     int
	r      uint64
}

// answer is a completely read response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a ask) do(ctx context.Context, method, path string, body io.Reader, fields map[string]string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.f.world.url(a.host, a.secure, path), body)
	if err != nil {
		return nil, err
	}
	for k, v := range fields {
		req.Header.Set(k, v)
	}
	return a.client.Do(req)
}

// fetch reads a complete response.
func (a ask) fetch(ctx context.Context, method, path string, body io.Reader, fields map[string]string) (answer, error) {
	resp, err := a.do(ctx, method, path, body, fields)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, b}, err
}

// sound makes one request to an origin without fault. It returns the kind of the request and what was wrong with the
// response.
func (a ask) sound(ctx context.Context) (kind string, err error) {
	ctx, cancel := context.WithTimeout(ctx, soundTimeout)
	defer cancel()
	started := time.Now()
	switch n := a.r % 100; {
	case n < 55:
		kind, err = "page", a.page(ctx, "", "page")
	case n < 62:
		kind, err = "page, tagged", a.page(ctx, "tag", "page")
	case n < 66:
		kind, err = "page, markdown", a.page(ctx, "markdown", "page")
	case n < 72:
		kind, err = "page, original", a.page(ctx, "off", "page")
	case n < 86:
		kind, err = "download", a.download(ctx, "file")
	case n < 91:
		kind, err = "range", a.part(ctx)
	case n < 95:
		kind, err = "event stream", a.events(ctx)
	default:
		kind, err = "upload", a.upload(ctx)
	}
	a.f.report.took(time.Since(started))
	return kind, err
}

// page requests a page in a mode (empty for the default) and checks that the response is either the origin's, byte for
// byte, or complete and of this page.
func (a ask) page(ctx context.Context, mode, path string) error {
	fields := map[string]string{"Accept": "text/html", "Sec-Fetch-Dest": "document"}
	if mode != "" {
		fields["Winnow-Mode"] = mode
	}
	if a.r>>32%2 == 0 {
		fields["Accept-Encoding"] = "gzip"
	}
	got, err := a.fetch(ctx, http.MethodGet, fmt.Sprintf("/%s/%d", path, a.id), nil, fields)
	if err != nil {
		return err
	}
	if got.status != http.StatusOK {
		return fmt.Errorf("status %d, Winnow: %s", got.status, got.header.Get("Winnow"))
	}
	body, err := unpack(got.header, got.body)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	want := newPage(a.host, a.id)
	outcome := got.header.Get("Winnow")
	if strings.HasPrefix(outcome, "passed") {
		a.f.report.passed(outcome)
		return same(body, want.body)
	}
	if mode == "off" || !strings.HasPrefix(outcome, "cleaned") {
		return fmt.Errorf("the field Winnow is %q in mode %q", outcome, mode)
	}
	return a.f.report.cleaned(want, body, mode)
}

// same compares bytes by their SHA-256.
func same(got, want []byte) error {
	if sha256.Sum256(got) != sha256.Sum256(want) {
		return fmt.Errorf("%w: %d bytes of SHA-256 %.8x, want %d of %.8x", errWrongBytes, len(got), sha256.Sum256(got), len(want), sha256.Sum256(want))
	}
	return nil
}

// errWrongBytes says that a response that passed unchanged differs from the origin's.
var errWrongBytes = errors.New("wrong bytes")

func (a ask) download(ctx context.Context, path string) error {
	f := a.f.world.files[a.id%downloads]
	got, err := a.fetch(ctx, http.MethodGet, fmt.Sprintf("/%s/%d", path, a.id%downloads), nil, nil)
	if err != nil {
		return err
	}
	if got.status != http.StatusOK || sha256.Sum256(got.body) != f.sum {
		return fmt.Errorf("status %d: %w", got.status, same(got.body, f.body))
	}
	return nil
}

func (a ask) part(ctx context.Context) error {
	i := a.id % downloads
	for len(a.f.world.files[i].body)%3 == 0 { // these are sent in chunks, without ranges
		i = (i + 1) % downloads
	}
	f := a.f.world.files[i].body
	from, to := len(f)/4, len(f)/2
	got, err := a.fetch(ctx, http.MethodGet, fmt.Sprintf("/file/%d", i), nil, map[string]string{"Range": fmt.Sprintf("bytes=%d-%d", from, to-1)})
	if err != nil {
		return err
	}
	if got.status != http.StatusPartialContent {
		return fmt.Errorf("status %d to a range", got.status)
	}
	return same(got.body, f[from:to])
}

func (a ask) events(ctx context.Context) error {
	got, err := a.fetch(ctx, http.MethodGet, fmt.Sprintf("/events/%d", a.id), nil, map[string]string{"Accept": "text/event-stream"})
	if err != nil {
		return err
	}
	var want strings.Builder
	for i := range a.id%5 + 1 {
		want.WriteString(event(a.id, i))
	}
	return same(got.body, []byte(want.String()))
}

func (a ask) upload(ctx context.Context) error {
	sent := a.f.world.files[a.id%32].body
	got, err := a.fetch(ctx, http.MethodPost, "/upload/1", bytes.NewReader(sent), nil)
	if err != nil {
		return err
	}
	return same(got.body, sent)
}

// faulty makes a request that meets a fault, and returns an error if winnow made it worse.
func (a ask) faulty(ctx context.Context, kind string) error {
	switch kind {
	case "stall-page":
		return a.within(ctx, soundTimeout, func(ctx context.Context) error { return a.page(ctx, "", kind) })
	case "stall-long":
		return a.within(ctx, 2*soundTimeout, func(ctx context.Context) error { return a.page(ctx, "", kind) })
	case "stall-file":
		return a.within(ctx, soundTimeout, func(ctx context.Context) error { return a.download(ctx, kind) })
	case "stall-header", "stall-ever":
		return a.givesUp(ctx, kind)
	case "garbage-coding", "garbage-page", "bomb":
		return a.passesOrWhole(ctx, kind)
	}
	return a.breaksOff(ctx, kind)
}

func (a ask) within(ctx context.Context, d time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return f(ctx)
}

// givesUp waits for a response that never comes. Only its own patience may end the wait.
func (a ask) givesUp(ctx context.Context, kind string) error {
	return a.within(ctx, patience, func(ctx context.Context) error {
		got, err := a.fetch(ctx, http.MethodGet, fmt.Sprintf("/%s/%d", kind, a.id), nil, nil)
		if err == nil {
			return fmt.Errorf("status %d from an origin that sent nothing whole", got.status)
		}
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("the proxy gave up first: %w", err)
		}
		return nil
	})
}

// breaksOff expects an error page or a body that visibly breaks off: half a response must not look complete.
func (a ask) breaksOff(ctx context.Context, kind string) error {
	return a.within(ctx, soundTimeout, func(ctx context.Context) error {
		got, err := a.fetch(ctx, http.MethodGet, fmt.Sprintf("/%s/%d", kind, a.id), nil, nil)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return errors.New("the proxy did not notice")
		case err == nil && got.status < 500:
			return fmt.Errorf("half an answer looks whole: status %d, %d bytes, Winnow: %s", got.status, len(got.body), got.header.Get("Winnow"))
		}
		return nil
	})
}

// passesOrWhole expects the origin's bytes or a cleaned page.
func (a ask) passesOrWhole(ctx context.Context, kind string) error {
	return a.within(ctx, soundTimeout, func(ctx context.Context) error {
		got, err := a.fetch(ctx, http.MethodGet, fmt.Sprintf("/%s/%d", kind, a.id), nil, map[string]string{"Accept-Encoding": "gzip"})
		if err != nil {
			return err
		}
		if strings.HasPrefix(got.header.Get("Winnow"), "cleaned") {
			return nil
		}
		switch kind {
		case "bomb":
			return same(got.body, a.f.world.bombs[a.id%len(a.f.world.bombs)].body)
		default:
			return same(got.body, noise(a.id, 5000))
		}
	})
}
