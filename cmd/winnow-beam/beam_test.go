package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cmd/internal/crawl"
	"github.com/winnow-proxy/winnow/cmd/internal/warc"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

func TestMain(m *testing.M) {
	register()
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

// htmlPage is a page of a site with a menu and a footer, about a number.
func htmlPage(host string, n int) string {
	return fmt.Sprintf(`<!DOCTYPE html><html lang="en"><head><title>%[2]d at %[1]s</title></head><body>
<nav class="menu"><ul><li><a href="/a">Harbours of %[1]s</a></li><li><a href="/b">Tides of %[1]s</a></li></ul></nav>
<main><h1>Day %[2]d</h1><p>On day %[2]d the wind came from the north-east, and %[2]d boats made little way against the tide that set
to the west; the pilot, whom %[2]d had asked for an hour, came on board at dusk.</p></main>
<div><p>Printed by the Society of %[1]s, whose members meet on the first day of each month at the old harbour.</p></div></body></html>`, host, n)
}

// writeArchives writes n pages of several hosts, dealt out to archives in turn.
func writeArchives(t *testing.T, n, archives int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for a := range archives {
		var b bytes.Buffer
		w := warc.NewWriter(&b)
		for i := a; i < n; i += archives {
			host := fmt.Sprintf("host%d.example", i%5)
			kind := "text/html; charset=utf-8"
			if i%10 == 9 {
				kind = "image/png"
			}
			fields := []warc.Field{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Target-URI", Value: fmt.Sprintf("http://%s/%d", host, i)},
				{Name: "WARC-Date", Value: "2026-01-02T03:04:05Z"}}
			if err := w.Write(fields, []byte("HTTP/1.1 200 OK\r\nContent-Type: "+kind+"\r\n\r\n"+htmlPage(host, i))); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.warc.gz", a)), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// newModels opens models with the key of a folder, in memory alone.
func newModels(t *testing.T, keyDir string) *cache.Models {
	t.Helper()
	key, err := cache.InstallationKey(keyDir)
	if err != nil {
		t.Fatal(err)
	}
	detector, err := detectors.ByName(detectors.Default, detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := cache.New(t.Context(), cache.Options{Detector: detector, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return m
}

// cleanedBy are the lines of JSON that models give for archives, after they have learned them where learn is set.
func cleanedBy(t *testing.T, m *cache.Models, dir string, learn bool) []string {
	t.Helper()
	newReader := func(models pipeline.Models, policy pipeline.LearnPolicy) *crawl.Reader {
		pl, err := pipeline.New(pipeline.Options{Models: models, Mode: page.ModeText, Learn: policy, Logger: slog.New(slog.DiscardHandler),
			Limits: limits.Limits{Clean: time.Minute, Wait: time.Minute, Read: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		return &crawl.Reader{Pipeline: pl, Most: maxBytes, Progress: func(int64) {}, Damage: func(file string, err error) { t.Logf("%s: %v", file, err) }}
	}
	archives, err := crawl.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, in := range archives {
		if !learn {
			break
		}
		if _, err := newReader(crawl.Patient{Models: m, Pupil: true}, pipeline.LearnAll).Learn(t.Context(), m, folder, in.File); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	for _, in := range archives {
		if _, err := newReader(crawl.Patient{Models: m}, pipeline.LearnOff).CleanTo(t.Context(), in.File, &out, crawl.FormJSONL); err != nil {
			t.Fatal(err)
		}
	}
	return sorted(out.String())
}

func sorted(lines string) []string { return slices.Sorted(strings.Lines(lines)) }

// What Beam learns and cleans is what one process learns and cleans, and winnow can use the models that it writes.
func TestSameAsOneProcess(t *testing.T) {
	archives, keys, out := writeArchives(t, 100, 4), t.TempDir(), t.TempDir()
	want := cleanedBy(t, newModels(t, keys), archives, true)
	o := options{In: []string{filepath.Join(archives, "*.warc.gz")}, Out: filepath.Join(out, "pages"), ModelsOut: filepath.Join(out, "models"),
		Key: filepath.Join(keys, "key"), Mode: "text", Detector: detectors.Default, Shards: 3}
	if code := run(t.Context(), o, "prism", slog.New(slog.NewTextHandler(t.Output(), nil))); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	got := sorted(filesOf(t, filepath.Join(out, "pages-0000?-of-00003.jsonl")))
	if len(want) != 90 || !slices.Equal(got, want) {
		t.Errorf("%d lines, want %d; the first is %.300q, want %.300q", len(got), len(want), slices.Concat(got, []string{""})[0], slices.Concat(want, []string{""})[0])
	}
	if strings.Contains(strings.Join(got, ""), "Society of") {
		t.Error("what repeats is there")
	}
	imported := newModels(t, keys)
	for i := range 5 {
		host := fmt.Sprintf("host%d.example", i)
		b, err := os.ReadFile(filepath.Join(out, "models", host+".model"))
		if err == nil {
			err = imported.Import(t.Context(), host, b, false)
		}
		if err != nil {
			t.Fatal(err)
		}
		learned := 20
		if i == 4 {
			learned = 10 // the others are pictures
		}
		if info, err := imported.Host(t.Context(), host); err != nil || info.Pages != learned {
			t.Errorf("%s has %d pages, want %d; %v", host, info.Pages, learned, err)
		}
	}
	if again := cleanedBy(t, imported, archives, false); !slices.Equal(again, want) {
		t.Error("the models clean other lines")
	}
}

// What is damaged is counted, the rest is done, and the exit code is 1.
func TestDamaged(t *testing.T) {
	archives, keys, out := writeArchives(t, 20, 1), t.TempDir(), t.TempDir()
	if _, err := cache.InstallationKey(keys); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(archives, "0.warc.gz")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b[:len(b)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	o := options{In: []string{file}, Out: filepath.Join(out, "pages"), Key: filepath.Join(keys, "key"), Mode: "markdown", Detector: detectors.Default, Shards: 1}
	if code := run(t.Context(), o, "prism", slog.New(slog.NewTextHandler(t.Output(), nil))); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if n := len(sorted(filesOf(t, filepath.Join(out, "pages-*")))); n != 18 {
		t.Errorf("%d lines, want 18", n)
	}
}

func TestUsage(t *testing.T) {
	good := options{In: []string{"x.warc"}, Out: "x", Key: "key", Mode: "text", Detector: detectors.Default, Shards: 1}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for name, harm := range map[string]func(*options){
		"in": func(o *options) { o.In = nil }, "out": func(o *options) { o.Out = "" }, "key": func(o *options) { o.Key = "" },
		"mode": func(o *options) { o.Mode = "off" }, "shards": func(o *options) { o.Shards = 0 }, "detector": func(o *options) { o.Detector = "nonesuch" },
	} {
		o := good
		harm(&o)
		if code := run(t.Context(), o, "prism", slog.New(slog.NewTextHandler(t.Output(), nil))); code != 2 {
			t.Errorf("%s: exit code %d, want 2", name, code)
		}
	}
}

// filesOf reads all files that a pattern matches.
func filesOf(t *testing.T, pattern string) (text string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text += string(b)
	}
	return text
}
