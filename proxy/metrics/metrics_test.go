package metrics

import (
	"testing"

	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
)

// series returns the series of a family.
func series(reg *prom.Registry, family string) []prom.Sample {
	for _, f := range reg.Families() {
		if f.Name == family {
			return f.Samples
		}
	}
	return nil
}

// Statuses are counted by class; one that no server sends is a client that left.
func TestRequest(t *testing.T) {
	var reg prom.Registry
	m := New(&reg)
	for _, status := range []int{100, 204, 304, 404, 418, 599, 0, 99, 600, -1} {
		m.Request("http", status)
	}
	for class, want := range map[string]float64{"1xx": 1, "2xx": 1, "3xx": 1, "4xx": 2, "5xx": 1, "gone": 4} {
		if got := m.Requests.WithLabelValues("http", class).Value(); got != want {
			t.Errorf("%s: %v, want %v", class, got, want)
		}
	}
	if n := len(series(&reg, "winnow_requests_total")); n != 6 {
		t.Errorf("%d classes", n)
	}
}

func TestLossesAndLimits(t *testing.T) {
	m := New(nil)
	m.AccessLogLost(3)
	m.AccessLogLost(4)
	m.Publish(map[string]float64{"max-body": 10})
	m.Publish(map[string]float64{"max-body": 20}) // a reload
	if lost := m.LogLost.Value(); lost != 7 {
		t.Errorf("%v lines lost", lost)
	}
	if limit := m.Limit.WithLabelValues("max-body").Value(); limit != 20 {
		t.Errorf("limit %v", limit)
	}
}

// Clients choose methods and may send any status: labels stay few.
func TestICAPRequest(t *testing.T) {
	m := New(nil)
	for _, r := range []struct {
		method string
		status int
	}{{"RESPMOD", 204}, {"RESPMOD", 204}, {"RESPMOD", 503}, {"NONESUCH", 501}, {"OPTIONS", 0}} {
		m.ICAPRequest(r.method, r.status)
	}
	for labels, want := range map[[2]string]float64{{"RESPMOD", "204"}: 2, {"RESPMOD", "5xx"}: 1, {"other", "5xx"}: 1, {"OPTIONS", "gone"}: 1} {
		if got := m.ICAP.WithLabelValues(labels[0], labels[1]).Value(); got != want {
			t.Errorf("%v: %v, want %v", labels, got, want)
		}
	}
}
