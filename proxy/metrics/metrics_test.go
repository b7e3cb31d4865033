package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"

	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// Every metric is registered, under winnow's name, and passes the checks of Prometheus for names and help.
func TestNames(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	m := New(reg)
	m.Pipeline()
	m.Request("http", 200)
	m.Publish(map[string]float64{"max-body": 1 << 20})
	for _, v := range []*prometheus.CounterVec{m.Failures, m.Handshakes, m.Tunnels, m.TurnedAway, m.Panics} {
		v.WithLabelValues("test")
	}
	m.TunnelBytes.WithLabelValues("up")
	m.Connections.WithLabelValues("client")
	m.Stages.WithLabelValues("parse")
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if len(families) != 15 {
		t.Errorf("%d metrics are registered", len(families))
	}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "winnow_") {
			t.Errorf("a metric is called %s", f.GetName())
		}
	}
	problems, err := testutil.GatherAndLint(reg)
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// Each outcome shows as 0 before it happens, and counts from there.
func TestPipeline(t *testing.T) {
	m := New(nil)
	hooks := m.Pipeline()
	if n, want := testutil.CollectAndCount(m.Responses), len(pipeline.Reasons())+1; n != want {
		t.Errorf("%d outcomes show, want %d", n, want)
	}
	hooks.Count("cleaned", "")
	hooks.Count("passed", pipeline.ReasonMethod)
	hooks.Bytes(100, 40)
	hooks.Bytes(10, 4)
	hooks.Duration("parse", 3*time.Second)
	for name, tc := range map[string]struct {
		c    prometheus.Collector
		want float64
	}{
		"cleaned":     {m.Responses.WithLabelValues("cleaned", ""), 1},
		"passed":      {m.Responses.WithLabelValues("passed", string(pipeline.ReasonMethod)), 1},
		"not passed":  {m.Responses.WithLabelValues("passed", string(pipeline.ReasonPanic)), 0},
		"from origin": {m.PageBytes.WithLabelValues("in"), 110},
		"to client":   {m.PageBytes.WithLabelValues("out"), 44},
	} {
		if got := testutil.ToFloat64(tc.c); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
	const want = `winnow_stage_seconds_sum{stage="parse"} 3`
	text, err := testutil.CollectAndFormat(m.Stages, expfmt.TypeTextPlain, "winnow_stage_seconds")
	if err != nil || !strings.Contains(string(text), want) {
		t.Errorf("stages:\n%s%v", text, err)
	}
}

// Statuses are counted by class; one that no server sends is a client that left.
func TestRequest(t *testing.T) {
	m := New(nil)
	for _, status := range []int{100, 204, 304, 404, 418, 599, 0, 99, 600, -1} {
		m.Request("http", status)
	}
	for class, want := range map[string]float64{"1xx": 1, "2xx": 1, "3xx": 1, "4xx": 2, "5xx": 1, "gone": 4} {
		if got := testutil.ToFloat64(m.Requests.WithLabelValues("http", class)); got != want {
			t.Errorf("%s: %v, want %v", class, got, want)
		}
	}
	if n := testutil.CollectAndCount(m.Requests); n != 6 {
		t.Errorf("%d classes", n)
	}
}

func TestLossesAndLimits(t *testing.T) {
	m := New(nil)
	m.AccessLogLost(3)
	m.AccessLogLost(4)
	m.Publish(map[string]float64{"max-body": 10})
	m.Publish(map[string]float64{"max-body": 20}) // a reload
	if lost := testutil.ToFloat64(m.LogLost); lost != 7 {
		t.Errorf("%v lines lost", lost)
	}
	if limit := testutil.ToFloat64(m.Limit.WithLabelValues("max-body")); limit != 20 {
		t.Errorf("limit %v", limit)
	}
}
