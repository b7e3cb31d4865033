//go:build unix && full && !race

package attack_test

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/page"
)

const (
	// shapeSize is the size of a page of the corpus: what grows with the square is far beyond the bound there.
	shapeSize = 64 << 10
	// mostWork is the most processor time for each byte of a page, in each stage. The most that any shape has taken where
	// it should is 2 µs, for JSON, and 0.7 µs elsewhere.
	mostWork = 6 * time.Microsecond
	// mostOutput is how many bytes may come out for each that goes in, beside spareOutput.
	mostOutput, spareOutput = 40, 1 << 20
)

// No shape of page takes more work for each byte than another page does a few times, whatever is done with it.
func TestShapesCostTheirLength(t *testing.T) {
	detector, err := blend.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			src := s.page(shapeSize)
			var p *page.Page
			var err error
			work(t, "parse", src, func() { p, err = page.ParseContext(t.Context(), src, "text/html; charset=utf-8") })
			if errors.Is(err, page.ErrTooDeep) || errors.Is(err, page.ErrTooMany) {
				return // it passes
			}
			if err != nil {
				t.Fatal(err)
			}
			visit := model.Visit{URL: "http://a.test/d/"}
			var m *page.Marking
			work(t, "mark", src, func() { m = detector.New(model.Key{1}).Mark(p, visit) })
			work(t, "observe", src, func() { detector.New(model.Key{1}).Observe(p, visit) })
			none := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
			for mode := range page.ModeVintage + 1 {
				write(t, page.Form{Mode: mode}, p, m)
				write(t, page.Form{Mode: mode, Links: page.LinksFootnote, ChunkTokens: 300}, p, none)
			}
		})
	}
}

// write writes a page in a form, and checks what that takes.
func write(t *testing.T, f page.Form, p *page.Page, m *page.Marking) {
	t.Helper()
	f.URL = "http://a.test/d/"
	f.ScriptNames = func(string) (page.ScriptNames, bool) { return page.ScriptNames{}, false }
	var out *page.Output
	var err error
	work(t, f.Mode.String(), p.Source, func() { out, err = f.Write(p, m) })
	if err == nil && len(out.Body) > mostOutput*len(p.Source)+spareOutput {
		t.Errorf("%s: %d bytes became %d", f.Mode, len(p.Source), len(out.Body))
	}
}

// work checks what processor time f takes for a page. Collecting garbage counts, which may be that of others, so that
// the least of three counts.
func work(t *testing.T, stage string, src []byte, f func()) {
	t.Helper()
	var each time.Duration
	for range 3 {
		before := processorTime(t)
		f()
		if each = (processorTime(t) - before) / time.Duration(len(src)); each <= mostWork {
			return
		}
	}
	t.Errorf("%s takes %v for each byte, at most %v should be", stage, each, mostWork)
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
