package service

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/proxy/admin"
	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// update says that the test should write testdata/metrics.txt.
var update = flag.Bool("update", false, "write testdata/metrics.txt anew") //nolint:gochecknoglobals // a flag of go test

// Dashboards and alerts depend on /metrics: names, types, labels, buckets and help texts stay as they were published.
// Prometheus' own parser reads the scrape.
func TestMetricsStayAsPublished(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("process metrics are Linux's") // the other families are the same everywhere
	}
	var registry prom.Registry
	m := RegisterMetrics(&registry, emptyModels{})
	useAll(m)
	w := httptest.NewRecorder()
	admin.New(admin.Options{Models: emptyModels{}, Metrics: &registry}).ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/metrics", nil))
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(w.Body)
	if err != nil {
		t.Fatalf("%d: %v", w.Code, err)
	}
	var got []string
	for _, f := range families {
		got = append(got, describe(f))
	}
	slices.Sort(got)
	if *update {
		if err := os.WriteFile("testdata/metrics.txt", []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/metrics.txt")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(strings.TrimSpace(string(want)), "\n"), got); d != "" {
		t.Errorf("-published +now:\n%s", d)
	}
}

// describe writes what dashboards depend on of a family as one line.
func describe(f *dto.MetricFamily) string {
	var labels, bounds []string
	for _, l := range f.GetMetric()[0].GetLabel() {
		labels = append(labels, l.GetName())
	}
	slices.Sort(labels) // their order means nothing
	for _, b := range f.GetMetric()[0].GetHistogram().GetBucket() {
		bounds = append(bounds, fmt.Sprint(b.GetUpperBound()))
	}
	for _, q := range f.GetMetric()[0].GetSummary().GetQuantile() {
		bounds = append(bounds, fmt.Sprint(q.GetQuantile()))
	}
	return fmt.Sprintf("%s %s {%s} [%s] %s", f.GetName(), strings.ToLower(f.GetType().String()), strings.Join(labels, ","), strings.Join(bounds, " "), f.GetHelp())
}

// useAll gives each metric of the proxy at least one series.
func useAll(m *metrics.Metrics) {
	pipeline.Counting(m).Duration("parse", 1)
	m.Request("http", 200)
	m.ICAPRequest("RESPMOD", 204)
	m.Publish(map[string]float64{"max-body": 1 << 20})
	m.Upstream.Observe(1)
	m.Failures.WithLabelValues("dns").Inc()
	m.Handshakes.WithLabelValues("full").Inc()
	m.Tunnels.WithLabelValues("bypass").Inc()
	m.TurnedAway.WithLabelValues("rate").Inc()
	m.Panics.WithLabelValues("request").Inc()
	m.TunnelBytes.WithLabelValues("up").Add(1)
	m.Connections.WithLabelValues("client").Inc()
}

// emptyModels are models that have seen nothing.
type emptyModels struct{ admin.Models }

// Counters implements admin.Models.
func (emptyModels) Counters() cache.Counters { return cache.Counters{} }

// Health implements admin.Models.
func (emptyModels) Health() cache.Health { return cache.Health{} }

// Sharing implements admin.Models.
func (emptyModels) Sharing() (cache.Sharing, bool) {
	return cache.Sharing{Skipped: map[string]uint64{"key": 1}}, true
}
