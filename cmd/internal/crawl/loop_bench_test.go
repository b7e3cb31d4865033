package crawl

import (
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cmd/internal/warc"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/model/taught"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// BenchmarkAgainstLoop compares the time of processors that a crawl takes, in two passes with notes and a store, with
// that of a plain loop that reads, parses, learns and writes one page after the other with all models in memory. The
// archives are those of [BenchmarkShards].
func BenchmarkAgainstLoop(b *testing.B) {
	dir := os.Getenv("WINNOW_SHARDS")
	if dir == "" {
		b.Skip("WINNOW_SHARDS is not set")
	}
	archives, err := Find(dir)
	if err != nil {
		b.Fatal(err)
	}
	var loop, crawl time.Duration
	var bytes int64
	for b.Loop() {
		began := processors(b)
		bytes += plainLoop(b, archives)
		loop += processors(b) - began
		began = processors(b)
		twoPasses(b, archives)
		crawl += processors(b) - began
	}
	b.ReportMetric(float64(bytes)/1e6/loop.Seconds(), "loop-MB/s")
	b.ReportMetric(float64(bytes)/1e6/crawl.Seconds(), "crawl-MB/s")
	b.ReportMetric(loop.Seconds()/crawl.Seconds(), "crawl/loop")
}

// processors is the time that this process has had of all processors.
func processors(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// twoPasses learns and cleans archives as winnow clean does.
func twoPasses(b *testing.B, archives []Input) {
	b.Helper()
	dir, out := b.TempDir(), b.TempDir()
	m := open(b, dir)
	defer closed(b, m)
	for _, in := range archives {
		if _, err := newReader(b, Patient{m, true}, pipeline.LearnAll).Learn(b.Context(), m, dir, in.File); err != nil {
			b.Fatal(err)
		}
	}
	for _, in := range archives {
		if _, _, err := newReader(b, Patient{Models: m}, pipeline.LearnOff).Clean(b.Context(), in.File, filepath.Join(out, in.Name), FormJSONL); err != nil {
			b.Fatal(err)
		}
	}
}

// plainLoop does the same with no more than it takes. It returns the size of the records.
func plainLoop(b *testing.B, archives []Input) (bytes int64) {
	b.Helper()
	detector, err := detectors.ByName(detectors.Default, detectors.Options{})
	if err != nil {
		b.Fatal(err)
	}
	detector = taught.Wrap(detector)
	hosts := map[string]model.Host{}
	out, err := os.Create(filepath.Join(b.TempDir(), "out"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = out.Close() }() // a file of the benchmark's own
	for _, clean := range []bool{false, true} {
		for _, in := range archives {
			bytes += eachRecord(b, in.File, func(rec *warc.Record) {
				resp := response(b.Context(), rec)
				src, err := io.ReadAll(resp.Body)
				if err != nil {
					b.Fatal(err)
				}
				p, err := page.Parse(src, resp.Header.Get("Content-Type"))
				if err != nil {
					return
				}
				u, err := url.Parse(rec.URI())
				if err != nil {
					b.Fatal(err)
				}
				if hosts[u.Host] == nil {
					hosts[u.Host] = detector.New(model.Key{})
				}
				v := model.Visit{URL: rec.URI(), At: time.Now()}
				if !clean {
					hosts[u.Host].Observe(p, v)
					return
				}
				written, err := write.Page(p, hosts[u.Host].Mark(p, v), page.ModeText)
				if err != nil {
					return
				}
				if err := (Item{Record: rec, MediaType: "text/plain", Body: written.Body}).WriteLine(out); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
	return bytes / 2
}

func eachRecord(b *testing.B, file string, do func(*warc.Record)) (bytes int64) {
	b.Helper()
	f, err := os.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	in, err := warc.NewReader(f, warc.Position{}, 64<<20)
	if err != nil {
		b.Fatal(err)
	}
	for {
		rec, err := in.Next()
		if errors.Is(err, io.EOF) {
			return bytes
		}
		if err != nil {
			b.Fatal(err)
		}
		bytes += rec.Length
		do(rec)
	}
}
