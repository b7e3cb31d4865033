package pipeline

import (
	"time"

	"github.com/winnow-proxy/winnow/proxy/metrics"
)

// Counting returns the hooks that count in m.
func Counting(m *metrics.Metrics) Metrics {
	// What has not happened yet shows as 0: a rate that begins with 1 misses the first time.
	m.Responses.WithLabelValues("cleaned", "")
	m.Responses.WithLabelValues("scaled", "")
	for _, r := range Reasons() {
		m.Responses.WithLabelValues("passed", string(r))
	}
	m.LateWork.WithLabelValues("page", "write")
	m.ScriptsLost.WithLabelValues("dropped")
	m.ScriptsLost.WithLabelValues("panic")
	in, out := m.PageBytes.WithLabelValues("in"), m.PageBytes.WithLabelValues("out")
	return Metrics{
		Count: func(outcome string, reason Reason) {
			m.Responses.WithLabelValues(outcome, string(reason)).Inc()
		},
		Duration: func(stage string, d time.Duration) { m.Stages.WithLabelValues(stage).Observe(d.Seconds()) },
		Bytes: func(before, after int) {
			in.Add(float64(before))
			out.Add(float64(after))
		},
		Again:      m.PagesAgain.Inc,
		Late:       m.WorkIsLate,
		ScriptLost: func(why string) { m.ScriptsLost.WithLabelValues(why).Inc() },
	}
}
