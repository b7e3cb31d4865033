package pipeline

import (
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
)

// Each outcome shows as 0 before it happens, and counts from there.
func TestCounting(t *testing.T) {
	var reg prom.Registry
	m := metrics.New(&reg)
	hooks := Counting(m)
	if n, want := len(series(&reg, "winnow_responses_total")), len(Reasons())+2; n != want {
		t.Errorf("%d outcomes show, want %d", n, want)
	}
	hooks.Count("cleaned", "")
	hooks.Count("passed", ReasonMethod)
	hooks.Bytes(100, 40)
	hooks.Bytes(10, 4)
	hooks.Duration("parse", 3*time.Second)
	for name, tc := range map[string]struct {
		c    *prom.Counter
		want float64
	}{
		"cleaned":     {m.Responses.WithLabelValues("cleaned", ""), 1},
		"passed":      {m.Responses.WithLabelValues("passed", string(ReasonMethod)), 1},
		"not passed":  {m.Responses.WithLabelValues("passed", string(ReasonPanic)), 0},
		"from origin": {m.PageBytes.WithLabelValues("in"), 110},
		"to client":   {m.PageBytes.WithLabelValues("out"), 44},
	} {
		if got := tc.c.Value(); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
	if s := series(&reg, "winnow_stage_seconds"); len(s) != 1 || s[0].Values[0] != "parse" || s[0].Value != 3 || s[0].Count != 1 {
		t.Errorf("stages: %v", s)
	}
}

// series returns the series of a family.
func series(reg *prom.Registry, family string) []prom.Sample {
	for _, f := range reg.Families() {
		if f.Name == family {
			return f.Samples
		}
	}
	return nil
}
