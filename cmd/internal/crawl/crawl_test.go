package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"go.uber.org/goleak"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/boltstore"
	"github.com/winnow-proxy/winnow/cmd/internal/warc"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// page of a site with a menu and a footer, about a number.
func htmlPage(host string, n int) string {
	return fmt.Sprintf(`<!DOCTYPE html><html lang="en"><head><title>%[2]d at %[1]s</title></head><body>
<nav class="menu"><ul><li><a href="/a">Harbours of %[1]s</a></li><li><a href="/b">Tides of %[1]s</a></li></ul></nav>
<main><h1>Day %[2]d</h1><p>On day %[2]d the wind came from the north-east, and %[2]d boats made little way against the tide that set
to the west; the pilot, whom %[2]d had asked for an hour, came on board at dusk.</p></main>
<footer class="footer"><p>Printed by the Society of %[1]s. All rights reserved.</p></footer></body></html>`, host, n)
}

// crawled writes an archive of n pages of several hosts, with what else crawls have.
func crawled(t *testing.T, n int) (file string) {
	t.Helper()
	return crawledPart(t, n, 0, 1)
}

// crawledPart writes one of several archives to which the pages of crawled are dealt out in turn.
func crawledPart(t *testing.T, n, part, of int) (file string) {
	t.Helper()
	var b bytes.Buffer
	record := func(kind, uri, block string) {
		z := gzip.NewWriter(&b)
		fmt.Fprintf(z, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:%s>\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			kind, uri, uri, len(block), block)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	record("warcinfo", "", "software: a test")
	for i := part; i < n; i += of {
		host := fmt.Sprintf("host%d.example", i%7)
		uri := fmt.Sprintf("http://%s/%d", host, i)
		record("request", uri, "GET / HTTP/1.1\r\n\r\n")
		switch i % 10 {
		case 9:
			record("response", uri, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG")
		case 8: // a transfer coding that the crawler has undone
			record("response", uri, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"+htmlPage(host, i))
		default:
			record("response", uri, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"+htmlPage(host, i))
		}
	}
	file = filepath.Join(t.TempDir(), "crawl.warc.gz")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// open opens the models of a data folder.
func open(t testing.TB, dir string) *cache.Models {
	t.Helper()
	detector, err := detectors.ByName(detectors.Default, detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	key, err := cache.InstallationKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	store, err := boltstore.Open(dir, boltstore.Options{Detector: detector.Name(), KeyID: key.ID(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	models, err := cache.New(t.Context(), cache.Options{Detector: detector, Key: key, Store: store, FlushEvery: time.Hour, Queue: 4})
	if err != nil {
		t.Fatal(err)
	}
	return models
}

func closed(t testing.TB, m *cache.Models) {
	t.Helper()
	if err := m.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func newReader(t testing.TB, models pipeline.Models, learn pipeline.LearnPolicy) *Reader {
	t.Helper()
	bounds := limits.Limits{Clean: time.Minute, Wait: time.Minute, Read: time.Minute}
	mode := page.ModeText
	if p, ok := models.(Patient); ok && p.Pupil {
		mode = page.ModeRemove // as winnow learn has it
	}
	pl, err := pipeline.New(pipeline.Options{Models: models, Mode: mode, Learn: learn, Limits: bounds, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return &Reader{Pipeline: pl, Most: 1 << 20, Progress: func(int64) {}, Damage: func(string, error) {}}
}

// pages are the numbers of pages that models have learned, by host.
func pages(t *testing.T, m *cache.Models) map[string]int {
	t.Helper()
	hosts, err := m.Hosts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, h := range hosts {
		n[h.Host] = h.Pages
	}
	return n
}

// Every page teaches, whatever the queue holds, and is written once, in its order, without what repeats.
func TestLearnAndClean(t *testing.T) {
	file, dir := crawled(t, 100), t.TempDir()
	models := open(t, dir)
	defer closed(t, models)
	counts, err := newReader(t, Patient{models, true}, pipeline.LearnAll).Learn(t.Context(), models, dir, file)
	if err != nil || counts.Records != 201 || counts.Pages != 90 {
		t.Fatalf("learned %+v, %v", counts, err)
	}
	sum := 0
	for _, n := range pages(t, models) {
		sum += n
	}
	if sum != 90 {
		t.Errorf("the models have %d pages, want 90", sum)
	}
	for _, form := range []Form{FormWARC, FormJSONL} {
		out := filepath.Join(t.TempDir(), "out")
		r := newReader(t, Patient{Models: models}, pipeline.LearnOff)
		if counts, done, err := r.Clean(t.Context(), file, out, form); err != nil || !done || counts.Pages != 90 {
			t.Fatalf("cleaned %+v, %v, %v", counts, done, err)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if form == FormWARC {
			z, err := gzip.NewReader(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if text, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		all := string(text)
		for i := range 100 {
			if is := strings.Count(all, fmt.Sprintf("On day %d the wind", i)); (is == 1) != (i%10 != 9) {
				t.Errorf("%s: page %d is there %d times", form, i, is)
			}
		}
		if strings.Contains(all, "Harbours of") || strings.Contains(all, "All rights reserved") {
			t.Errorf("%s: the template is there", form)
		}
		if _, done, err := r.Clean(t.Context(), file, out, form); done || err != nil {
			t.Errorf("%s: cleaned again: %v, %v", form, done, err)
		}
	}
}

// A crawl that is killed again and again ends with the same models, and the same bytes.
func TestKilledAndResumed(t *testing.T) {
	file, whole, parts := crawled(t, 300), t.TempDir(), t.TempDir()
	ctx := t.Context()
	models := open(t, whole)
	if _, err := newReader(t, Patient{models, true}, pipeline.LearnAll).Learn(ctx, models, whole, file); err != nil {
		t.Fatal(err)
	}
	want := pages(t, models)
	wantOut := filepath.Join(t.TempDir(), "out")
	if _, _, err := newReader(t, Patient{Models: models}, pipeline.LearnOff).Clean(ctx, file, wantOut, FormWARC); err != nil {
		t.Fatal(err)
	}
	for again, killed := true, 0; again; killed++ {
		m := open(t, parts)
		killing, kill := context.WithCancel(ctx)
		r := newReader(t, Patient{m, true}, pipeline.LearnAll)
		if killed < 5 {
			killAfter(r, kill, 40+rand.IntN(80))
		}
		_, err := r.Learn(killing, m, parts, file)
		again = err != nil
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		kill()
		closed(t, m)
	}
	m := open(t, parts)
	defer closed(t, m)
	if got := pages(t, m); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the models have %v pages, want %v", got, want)
	}
	closed(t, models)
	m2 := open(t, whole)
	defer closed(t, m2)
	out := filepath.Join(t.TempDir(), "out")
	cleanKilled(t, m2, file, out)
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := os.ReadFile(wantOut)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, wanted) {
		t.Errorf("%d bytes, want %d, or other ones", len(got), len(wanted))
	}
	if left, _ := filepath.Glob(out + ".*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// cleanKilled cleans an archive into out, killed five times.
func cleanKilled(t *testing.T, models *cache.Models, file, out string) {
	t.Helper()
	for again, killed := true, 0; again; killed++ {
		killing, kill := context.WithCancel(t.Context())
		r := newReader(t, Patient{Models: models}, pipeline.LearnOff)
		if killed < 5 {
			killAfter(r, kill, 40+rand.IntN(80))
		}
		_, done, err := r.Clean(killing, file, out, FormWARC)
		if again = !done; again && !errors.Is(err, context.Canceled) {
			t.Fatalf("%v, %v", done, err)
		}
		kill()
		if again { // what was written and not noted
			part, err := os.OpenFile(out+".part", os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := part.WriteString("half a record"); err != nil {
				t.Fatal(err)
			}
			if err := part.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// killAfter cancels after so many steps of progress.
func killAfter(r *Reader, kill func(), steps int) {
	n := 0
	r.Progress = func(int64) {
		if n++; n == steps {
			kill()
		}
	}
}

// What can't be read is named, and all else is there.
func TestDamagedArchive(t *testing.T) {
	file := crawled(t, 50)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	clear(b[len(b)/2 : len(b)/2+40])
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	models := open(t, dir)
	defer closed(t, models)
	r := newReader(t, Patient{Models: models}, pipeline.LearnOff)
	var damage []error
	r.Damage = func(_ string, err error) { damage = append(damage, err) }
	counts, done, err := r.Clean(t.Context(), file, filepath.Join(dir, "out"), FormWARC)
	if err != nil || !done || counts.Damaged != len(damage) || len(damage) == 0 || counts.Pages < 43 {
		t.Errorf("%+v %v %v, %v", counts, done, err, damage)
	}
	if d := (*warc.DamageError)(nil); len(damage) > 0 && !errors.As(damage[0], &d) {
		t.Errorf("%v", damage)
	}
}
