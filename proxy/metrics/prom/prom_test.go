package prom

import (
	"maps"
	"math"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// scrape asks for the metrics and reads them with Prometheus' parser.
func scrape(t *testing.T, r *Registry) map[string]*dto.MetricFamily {
	t.Helper()
	w := httptest.NewRecorder()
	r.ServeHTTP(w, nil)
	text := w.Body.String()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if format := expfmt.ResponseFormat(w.Header()); format.FormatType() != expfmt.TypeTextPlain {
		t.Errorf("the format is %q", format)
	}
	return families
}

func TestCountersAndGauges(t *testing.T) {
	var r Registry
	pages := r.Counter("pages_total", "Pages by\nkind, with a \\.", "kind", "size")
	pages.WithLabelValues("b", "1").Add(2.5)
	pages.WithLabelValues("a", "1").Inc()
	pages.WithLabelValues("a", "1").Inc()
	open := r.Gauge("open", "Open things.").WithLabelValues()
	open.Inc()
	open.Inc()
	open.Dec()
	r.Gauge("never", "Nothing yet.", "why")
	families := scrape(t, &r)
	if names := slices.Sorted(maps.Keys(families)); !slices.Equal(names, []string{"open", "pages_total"}) {
		t.Errorf("families: %q", names)
	}
	f := families["pages_total"]
	if f.GetType() != dto.MetricType_COUNTER || f.GetHelp() != "Pages by\nkind, with a \\." || len(f.GetMetric()) != 2 {
		t.Errorf("pages: %v", f)
	}
	for i, want := range []float64{2, 2.5} {
		if got := f.GetMetric()[i].GetCounter().GetValue(); got != want {
			t.Errorf("series %d is %v, want %v", i, got, want)
		}
	}
	if g := families["open"]; g.GetType() != dto.MetricType_GAUGE || g.GetMetric()[0].GetGauge().GetValue() != 1 {
		t.Errorf("open: %v", g)
	}
}

// A value counts in its bucket and all above, and bounds belong to their bucket.
func TestHistogram(t *testing.T) {
	var r Registry
	h := r.Histogram("wait_seconds", "Waits.", ExponentialBuckets(0.5, 2, 3), "who").WithLabelValues("me")
	for _, v := range []float64{0.1, 0.5, 0.6, 2, 2.1, 1000} {
		h.Observe(v)
	}
	got := scrape(t, &r)["wait_seconds"].GetMetric()[0].GetHistogram()
	if got.GetSampleCount() != 6 || math.Abs(got.GetSampleSum()-1005.3) > 1e-9 || len(got.GetBucket()) != 4 {
		t.Fatalf("%v", got)
	}
	for i, want := range []struct {
		bound float64
		count uint64
	}{{0.5, 2}, {1, 3}, {2, 4}, {math.Inf(1), 6}} {
		if b := got.GetBucket()[i]; b.GetUpperBound() != want.bound || b.GetCumulativeCount() != want.count {
			t.Errorf("bucket %d: %v, want %v", i, b, want)
		}
	}
}

// Nothing is lost between goroutines that count while others scrape. (The race detector looks on.)
func TestConcurrentUse(t *testing.T) {
	var r Registry
	c, h := r.Counter("c_total", "Counts.", "label"), r.Histogram("h", "Observed.", []float64{1})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 500 {
				c.WithLabelValues(string(rune('a' + i%3))).Inc()
				h.WithLabelValues().Observe(float64(i % 2 * 2))
				if i%100 == 0 {
					r.Families()
				}
			}
		})
	}
	wg.Wait()
	var sum float64
	for _, v := range []string{"a", "b", "c"} {
		sum += c.WithLabelValues(v).Value()
	}
	got := scrape(t, &r)["h"].GetMetric()[0].GetHistogram()
	if sum != 4000 || got.GetSampleCount() != 4000 || got.GetSampleSum() != 4000 || got.GetBucket()[0].GetCumulativeCount() != 2000 {
		t.Errorf("%v counted; %v", sum, got)
	}
}

func TestWrongNumberOfLabels(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("one value for two labels passed")
		}
	}()
	new(Registry).Counter("c_total", "Counts.", "a", "b").WithLabelValues("1")
}

// The runtime and the process show, with values that can be.
func TestRuntimeAndProcess(t *testing.T) {
	var r Registry
	r.Register(Runtime)
	r.Register(Process)
	families := scrape(t, &r)
	for _, name := range []string{"go_goroutines", "go_threads", "go_memstats_heap_inuse_bytes", "go_memstats_sys_bytes",
		"go_sched_gomaxprocs_threads", "go_gc_gogc_percent", "process_resident_memory_bytes", "process_open_fds", "process_max_fds",
		"process_start_time_seconds", "process_virtual_memory_bytes", "process_virtual_memory_max_bytes"} {
		if f := families[name]; f == nil && !strings.HasPrefix(name, "process_") || f != nil && f.GetMetric()[0].GetGauge().GetValue() <= 0 {
			t.Errorf("%s: %v", name, f)
		}
	}
}

// A program's name can hold whatever else a stat file holds.
func TestParseStat(t *testing.T) {
	rest := " S 1 2 3 4 5 6 7 8 9 10 111 222 13 14 15 16 17 18 333 444 555 22 23"
	for _, name := range []string{"(winnow)", "(a b)", "(a) S 1 (2)", "(\n)"} {
		s, err := parseStat("4711 " + name + rest)
		if err != nil || s != (stat{user: 111, system: 222, start: 333, virtual: 444, resident: 555}) {
			t.Errorf("%q: %v, %v", name, s, err)
		}
	}
	for _, text := range []string{"", "1 (a)", "1 (a) S", "1 (a) S" + strings.Repeat(" x", 30)} {
		if _, err := parseStat(text); err == nil {
			t.Errorf("%q passed", text)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("1 (a) S" + strings.Repeat(" 1", 30))
	f.Fuzz(func(_ *testing.T, text string) { _, _ = parseStat(text) })
}

// Prometheus reads back whatever text a label has, and numbers of any size.
func FuzzLabels(f *testing.F) {
	f.Add("a\nb\"c\\d", 1.5)
	f.Add("", math.Inf(1))
	f.Fuzz(func(t *testing.T, text string, v float64) {
		var r Registry
		r.Gauge("g", "A gauge.", "label").WithLabelValues(text).Set(v)
		m := scrape(t, &r)["g"].GetMetric()[0]
		if got, want := m.GetLabel()[0].GetValue(), strings.ToValidUTF8(text, "\uFFFD"); got != want {
			t.Errorf("%q became %q", want, got)
		}
		if got := m.GetGauge().GetValue(); got != v && !(math.IsNaN(got) && math.IsNaN(v)) {
			t.Errorf("%v became %v", v, got)
		}
	})
}
