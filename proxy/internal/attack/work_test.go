//go:build unix && full && !race

package attack_test

import (
	"errors"
	"maps"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/model/page/write/script"
)

const (
	// shapeSize is the size of a page of the corpus: what grows with the square is far beyond the bound there.
	shapeSize = 64 << 10
	// maxWork is the most processor time for each byte of a page, in each stage. The most that any shape has taken where
	// it should is 2 µs, for JSON, and 0.7 µs elsewhere.
	maxWork = 6 * time.Microsecond
	// maxMemory is the most bytes that a stage allocates for each byte of a page, in sum.
	maxMemory = 2000
	// maxOutput is how many bytes may come out for each that goes in, beside spareOutput.
	maxOutput, spareOutput = 40, 1 << 20
)

// No shape of page takes more work for each byte than another page does a few times, whatever is done with it.
func TestShapesCostTheirLength(t *testing.T) {
	detector, err := blend.New()
	if err != nil {
		t.Fatal(err)
	}
	most := dearest{}
	defer most.print(t)
	for _, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			src := s.page(shapeSize)
			var p *page.Page
			var err error
			most.work(t, "parse", src, func() { p, err = page.ParseContext(t.Context(), src, "text/html; charset=utf-8") })
			if errors.Is(err, page.ErrTooDeep) || errors.Is(err, page.ErrTooMany) {
				return // it passes
			}
			if err != nil {
				t.Fatal(err)
			}
			visit := model.Visit{URL: "http://a.test/d/"}
			var m *page.Marking
			most.work(t, "mark", src, func() { m = detector.New(model.Key{1}).Mark(p, visit) })
			most.work(t, "observe", src, func() { detector.New(model.Key{1}).Observe(p, visit) })
			none := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
			for mode := range page.ModeVintage + 1 {
				most.write(t, write.Form{Mode: mode}, p, m)
				most.write(t, write.Form{Mode: mode, Links: write.LinksFootnote, ChunkTokens: 300}, p, none)
			}
		})
	}
}

// write writes a page in a form, and checks what that takes.
func (d dearest) write(t *testing.T, f write.Form, p *page.Page, m *page.Marking) {
	t.Helper()
	f.URL = "http://a.test/d/"
	f.ScriptNames = func(string) (script.Names, bool) { return script.Names{}, false }
	var out *write.Output
	var err error
	d.work(t, f.Mode.String(), p.Source, func() { out, err = f.Write(p, m) })
	if err == nil && len(out.Body) > maxOutput*len(p.Source)+spareOutput {
		t.Errorf("%s: %d bytes became %d", f.Mode, len(p.Source), len(out.Body))
	}
}

// dearest has by stage what has cost the most for each byte, and on which shape.
type dearest map[string]*costs

// costs are those of a stage on the shapes that take the most.
type costs struct {
	time             time.Duration
	memory           uint64
	slowest, largest string
}

// work checks what processor time and memory f takes for a page. Collecting garbage counts, which may be that of
// others, so that the least of three counts.
func (d dearest) work(t *testing.T, stage string, src []byte, f func()) {
	t.Helper()
	if d[stage] == nil {
		d[stage] = new(costs)
	}
	var least time.Duration
	var memory uint64
	for try := range 3 {
		began, before := processorTime(t), allocated()
		f()
		memory = (allocated() - before) / uint64(len(src))
		if each := (processorTime(t) - began) / time.Duration(len(src)); try == 0 || each < least {
			least = each
		}
		if least <= maxWork {
			break
		}
	}
	if least > maxWork || memory > maxMemory {
		t.Errorf("%s takes %v and %d bytes for each byte, at most %v and %d should be", stage, least, memory, maxWork, maxMemory)
	}
	if most := d[stage]; least > most.time {
		most.time, most.slowest = least, t.Name()
	}
	if most := d[stage]; memory > most.memory {
		most.memory, most.largest = memory, t.Name()
	}
}

// print prints a line for each stage.
func (d dearest) print(t *testing.T) {
	for _, stage := range slices.Sorted(maps.Keys(d)) {
		most := d[stage]
		t.Logf("dearest %-9s %8v (%s)  %5d B (%s) for each byte", stage, most.time, most.slowest, most.memory, most.largest)
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
