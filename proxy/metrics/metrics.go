// Package metrics counts what the proxy does.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// Metrics are the counters of the proxy. Labels have few values and never carry host names, since hosts are chosen by
// clients: a label per host would be a memory leak and a record of what was read.
type Metrics struct {
	// Requests counts requests by scheme ("http", "https", "connect") and status class ("2xx"…; "gone" for clients that
	// left).
	Requests *prometheus.CounterVec
	// Responses counts responses by outcome ("cleaned", "passed") and reason.
	Responses *prometheus.CounterVec
	// Failures counts requests that got an error page, by reason.
	Failures *prometheus.CounterVec
	// Upstream is the time from sending a request upstream to the response's header, in seconds.
	Upstream prometheus.Histogram
	// Stages is the time that each stage of cleaning a page took, in seconds.
	Stages *prometheus.HistogramVec
	// PageBytes counts bytes of cleaned pages, codings undone: "in" from the origin, "out" to the client.
	PageBytes *prometheus.CounterVec
	// Connections is the number of open connections by kind ("client", "intercepted", "tunnel").
	Connections *prometheus.GaugeVec
	// Handshakes counts TLS handshakes with clients by result ("full", "resumed"; "untrusted" and "hangup" where they
	// refused our certificate, or seem to have; "failed").
	Handshakes *prometheus.CounterVec
	// Passthroughs counts how often a host began to pass through for a client that refuses its certificate.
	Passthroughs prometheus.Counter
	// Tunnels counts tunnels opened, by why they are tunnels ("bypass", "unlisted", "passthrough", "not-tls", "upgrade").
	Tunnels *prometheus.CounterVec
	// TunnelBytes counts bytes through tunnels by direction ("up", "down").
	TunnelBytes *prometheus.CounterVec
	// TurnedAway counts clients and requests that were not let in, by why.
	TurnedAway *prometheus.CounterVec
	// Limit shows the limits that are in force, by name.
	Limit *prometheus.GaugeVec
	// Panics counts panics contained, by where ("request", "response", "connection").
	Panics *prometheus.CounterVec
	// LogLost counts lines of the access log that were lost, since what it is written to failed or did not keep up.
	LogLost prometheus.Counter
}

// New makes the metrics and registers them with reg; a nil reg leaves them unregistered, which serves tests.
// It panics when the names are taken in reg.
func New(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		Requests:    counter("requests_total", "Requests by scheme and status class.", "scheme", "class"),
		Responses:   counter("responses_total", "Responses by outcome and reason.", "outcome", "reason"),
		Failures:    counter("failures_total", "Requests answered with an error page, by reason.", "reason"),
		Upstream:    histogram("upstream_seconds", "Time until an origin's response header.", 0.001, 16),
		Stages:      histograms("stage_seconds", "Time taken by each stage of cleaning a page.", 0.0005, 14, "stage"),
		PageBytes:   counter("page_bytes_total", "Bytes of cleaned pages, codings undone, by direction.", "direction"),
		Connections: gauge("connections", "Open connections by kind.", "kind"),
		Handshakes:  counter("handshakes_total", "TLS handshakes with clients by result.", "result"),
		Passthroughs: prometheus.NewCounter(prometheus.CounterOpts{Namespace: "winnow", Name: "passthrough_total",
			Help: "Hosts that began to pass through for a client that refuses their certificates."}),
		Tunnels:     counter("tunnels_total", "Tunnels opened, by why they are tunnels.", "why"),
		TunnelBytes: counter("tunnel_bytes_total", "Bytes through tunnels by direction.", "direction"),
		TurnedAway:  counter("turned_away_total", "Connections and requests of clients that were not let in, by why.", "why"),
		Limit:       gauge("limit", "Limits in force, by name; 0 where there is none.", "name"),
		Panics:      counter("panics_total", "Panics contained, by where.", "where"),
		LogLost: prometheus.NewCounter(prometheus.CounterOpts{Namespace: "winnow", Name: "access_log_lost_lines_total",
			Help: "Lines of the access log that could not be written."}),
	}
	if reg != nil {
		reg.MustRegister(m.Requests, m.Responses, m.Failures, m.Upstream, m.Stages, m.PageBytes, m.Connections,
			m.Handshakes, m.Passthroughs, m.Tunnels, m.TunnelBytes, m.TurnedAway, m.Limit, m.Panics, m.LogLost)
	}
	return m
}

// Pipeline returns the hooks for the Metrics of [pipeline.Options].
func (m *Metrics) Pipeline() pipeline.Metrics {
	// What has not happened yet shows as 0: a rate that begins with 1 misses the first time.
	m.Responses.WithLabelValues("cleaned", "")
	for _, r := range pipeline.Reasons() {
		m.Responses.WithLabelValues("passed", string(r))
	}
	in, out := m.PageBytes.WithLabelValues("in"), m.PageBytes.WithLabelValues("out")
	return pipeline.Metrics{
		Count: func(outcome string, reason pipeline.Reason) {
			m.Responses.WithLabelValues(outcome, string(reason)).Inc()
		},
		Duration: func(stage string, d time.Duration) { m.Stages.WithLabelValues(stage).Observe(d.Seconds()) },
		Bytes: func(before, after int) {
			in.Add(float64(before))
			out.Add(float64(after))
		},
	}
}

// AccessLogLost counts lines that the access log lost.
func (m *Metrics) AccessLogLost(lines int) { m.LogLost.Add(float64(lines)) }

// Request counts one request.
func (m *Metrics) Request(scheme string, status int) {
	class := "gone"
	if status >= 100 && status < 600 {
		class = string(rune('0'+status/100)) + "xx"
	}
	m.Requests.WithLabelValues(scheme, class).Inc()
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "winnow", Name: name, Help: help}, labels)
}

func gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "winnow", Name: name, Help: help}, labels)
}

// histogram has count buckets, each twice the last, from start seconds on.
func histogram(name, help string, start float64, count int) prometheus.Histogram {
	return prometheus.NewHistogram(histogramOpts(name, help, start, count))
}

func histograms(name, help string, start float64, count int, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(histogramOpts(name, help, start, count), labels)
}

func histogramOpts(name, help string, start float64, count int) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{Namespace: "winnow", Name: name, Help: help,
		Buckets: prometheus.ExponentialBuckets(start, 2, count)}
}

// Publish shows a limit beside the metrics of what it bounds.
func (m *Metrics) Publish(limits map[string]float64) {
	for name, v := range limits {
		m.Limit.WithLabelValues(name).Set(v)
	}
}
