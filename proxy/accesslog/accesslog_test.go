package accesslog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sample() Entry {
	return Entry{Time: time.Date(2026, 11, 20, 9, 8, 7, 0, time.UTC), Client: "192.0.2.7", User: "ann", Method: "GET", Scheme: "https",
		Host: "site.example", Path: "/a b", Proto: "HTTP/2.0", Status: 200, Bytes: 1234, Agent: "Lynx \"2\"\n",
		Outcome: "cleaned; mode=remove; pages=12; removed=0.63", Took: 12345 * time.Microsecond, Upstream: 7 * time.Millisecond}
}

// The formats, as tools read them. Nothing that a client sends can end a field or a line.
func TestLines(t *testing.T) {
	private := sample()
	private.Host, private.Path, private.User = "", "", ""
	tunnel := Entry{Time: sample().Time, Client: "::1", Method: "CONNECT", Host: "site.example:22", Proto: "HTTP/1.1", Status: 200, Bytes: 9}
	for _, tc := range []struct {
		format Format
		entry  Entry
		want   string
	}{
		{Common, sample(), `192.0.2.7 - ann [20/Nov/2026:09:08:07 +0000] "GET https://site.example/a\x20b HTTP/2.0" 200 1234 "cleaned; mode=remove; pages=12; removed=0.63" 12.3` + "\n"},
		{Common, private, `192.0.2.7 - - [20/Nov/2026:09:08:07 +0000] "GET - HTTP/2.0" 200 1234 "cleaned; mode=remove; pages=12; removed=0.63" 12.3` + "\n"},
		{Combined, sample(), `192.0.2.7 - ann [20/Nov/2026:09:08:07 +0000] "GET https://site.example/a\x20b HTTP/2.0" 200 1234 "-" "Lynx \x222\x22\x0a" "cleaned; mode=remove; pages=12; removed=0.63" 12.3` + "\n"},
		{Common, tunnel, `::1 - - [20/Nov/2026:09:08:07 +0000] "CONNECT site.example:22 HTTP/1.1" 200 9 "" 0.0` + "\n"},
		{JSON, sample(), `{"time":"2026-11-20T09:08:07Z","client":"192.0.2.7","user":"ann","method":"GET","scheme":"https","host":"site.example","path":"/a b","proto":"HTTP/2.0","status":200,"bytes":1234,"outcome":"cleaned","mode":"remove","pages":12,"removed":0.63,"agent":"Lynx \"2\"\n","took_ms":12.3,"upstream_ms":7}` + "\n"},
	} {
		if got := string(tc.entry.line(tc.format)); got != tc.want {
			t.Errorf("%s:\n got %q\nwant %q", tc.format, got, tc.want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("GET", "site.example", "/a\" 200\n", "passed; reason=type", "x\x1b[31m")
	pattern := regexp.MustCompile(`^\S+ - \S+ \[[^\]]+\] "\S+ \S+ \S+" \d+ \d+ "[^"]*" "[^"]*" "[^"]*" [\d.]+\n$`)
	f.Fuzz(func(t *testing.T, method, host, path, outcome, agent string) {
		e := Entry{Client: host, User: agent, Method: method, Scheme: "http", Host: host, Path: path, Proto: "HTTP/1.1", Outcome: outcome, Agent: agent}
		if line := e.line(Combined); !pattern.Match(line) {
			t.Errorf("combined: %q", line)
		}
		if line := e.line(JSON); !json.Valid(line) || bytes.Count(line, []byte("\n")) != 1 {
			t.Errorf("JSON: %q", line)
		}
	})
}

func open(t *testing.T, o Options) *Sink {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Files may be rotated under load, and no line is lost or written twice, not even at the end.
func TestRotationLosesNothing(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "access.log")
	l := New(open(t, Options{File: name, URLs: true}), slog.New(slog.DiscardHandler), func(int) {})
	const writers, each, rotations = 4, 500, 10
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				l.Record(Entry{Method: "GET", Host: fmt.Sprintf("w%d-%d", w, i)})
			}
		})
	}
	for i := range rotations {
		if err := os.Rename(name, fmt.Sprintf("%s.%d", name, i)); err != nil {
			t.Fatal(err)
		}
		if err := l.Use(open(t, Options{File: name, URLs: true, Format: Combined})); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
	l.Record(Entry{}) // comes too late, and hurts nobody
	files, _ := filepath.Glob(name + "*")
	seen := map[string]int{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			seen[regexp.MustCompile(`w\d+-\d+`).FindString(line)]++
		}
	}
	if len(seen) != writers*each || len(files) != rotations+1 {
		t.Errorf("%d lines in %d files, want %d in %d", len(seen), len(files), writers*each, rotations+1)
	}
	for host, n := range seen {
		if n != 1 {
			t.Errorf("%q is there %d times", host, n)
		}
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
}

// A line is in the file shortly afterwards, even if no other line follows.
func TestLinesDontWait(t *testing.T) {
	var out lockedBuffer
	l := New(open(t, Options{File: "-", Stderr: &out}), slog.New(slog.DiscardHandler), func(int) {})
	defer l.Close() //nolint:errcheck // not what is tested
	l.Record(sample())
	for end := time.Now().Add(time.Minute); out.String() == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing was written")
		}
	}
	if strings.Contains(out.String(), "site.example") {
		t.Errorf("a host is named without URLs: %s", out.String())
	}
}

type lockedBuffer struct {
	mu     sync.Mutex
	b      strings.Builder
	broken bool
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken {
		return 0, errors.New("no space left")
	}
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func (b *lockedBuffer) breaks(broken bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken = broken
}

// await waits until s is in b.
func (b *lockedBuffer) await(t *testing.T, s string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(b.String(), s); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q does not come:\n%s", s, b.String())
		}
	}
}

// A full disk is reported once, and the log continues when there is room again.
func TestFullDisk(t *testing.T) {
	var out, log lockedBuffer
	var lost atomic.Int64
	l := New(open(t, Options{File: "-", Stderr: &out}), slog.New(slog.NewTextHandler(&log, nil)), func(n int) { lost.Add(int64(n)) })
	out.breaks(true)
	for range 3000 {
		l.Record(sample())
	}
	for end := time.Now().Add(20 * time.Second); lost.Load() < 3000; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d of 3000 lines were lost on a full disk", lost.Load())
		}
	}
	out.breaks(false)
	l.Record(sample())
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "can't be written"); n != 1 || strings.Count(out.String(), "192.0.2.7") != 1 {
		t.Errorf("told %d times; written then: %q", n, out.String())
	}
	if !strings.Contains(log.String(), "works again\" lost_lines=3000") {
		t.Errorf("the log does not say how much was lost:\n%s", log.String())
	}
	if _, err := Open(Options{File: filepath.Join(t.TempDir(), "no", "where")}); err == nil {
		t.Error("a file in a folder that is not there was opened")
	}
}

// gate is standard error on a terminal that stands still: each write waits until the gate opens.
type gate struct {
	entered chan struct{}
	open    chan struct{}
}

func (g gate) Write(p []byte) (int, error) {
	g.entered <- struct{}{}
	<-g.open
	return len(p), nil
}

// Where the writer hangs for good, Close counts the lines that it was writing as well as those that wait, once.
func TestCloseCountsWhatHangs(t *testing.T) {
	g := gate{entered: make(chan struct{}, 1), open: make(chan struct{})}
	var lost atomic.Int64
	l := New(open(t, Options{File: "-", Stderr: g}), slog.New(slog.DiscardHandler), func(n int) { lost.Add(int64(n)) })
	l.patience = time.Millisecond
	l.Record(sample())
	<-g.entered // the writer has the first line
	for range 4 {
		l.Record(sample())
	}
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "5 lines were lost at the end") {
		t.Errorf("Close says %v", err)
	}
	close(g.open)
	<-l.done
	if lost.Load() != 5 {
		t.Errorf("%d lines were counted as lost", lost.Load())
	}
}

// halfWriter writes half of the first write.
type halfWriter struct {
	lockedBuffer
	torn bool
}

func (w *halfWriter) Write(p []byte) (int, error) {
	if !w.torn {
		w.torn = true
		n, _ := w.lockedBuffer.Write(p[:len(p)/2])
		return n, errors.New("no space left")
	}
	return w.lockedBuffer.Write(p)
}

// A partly written line does not damage another line.
func TestTornLine(t *testing.T) {
	var w halfWriter
	s := open(t, Options{File: "-", Stderr: &w})
	if lost, err := s.write([]Entry{sample()}); lost != 1 || err == nil {
		t.Errorf("%d lines lost, error %v", lost, err)
	}
	if lost, err := s.write([]Entry{sample()}); lost != 0 || err != nil {
		t.Errorf("%d lines lost, error %v", lost, err)
	}
	whole := sample()
	if lines := strings.Split(w.String(), "\n"); len(lines) != 3 || lines[1]+"\n" != string(whole.line(Common)) {
		t.Errorf("lines %q", lines)
	}
}
