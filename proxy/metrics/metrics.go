// Package metrics counts what the proxy does.
package metrics

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
)

// Metrics are the counters of the proxy. Labels have few values and never carry host names, since hosts are chosen by
// clients: a label per host would be a memory leak and a record of what was read.
type Metrics struct {
	// Requests counts requests by scheme ("http", "https", "connect") and status class ("2xx"…; "gone" for clients that
	// left).
	Requests *prom.Vec[*prom.Counter]
	// Responses counts responses by outcome ("cleaned", "scaled", "passed") and reason.
	Responses *prom.Vec[*prom.Counter]
	// ICAP counts ICAP requests by method ("OPTIONS", "RESPMOD", "other") and status ("200", "204" for what stays as it
	// is; "4xx", "5xx"; "gone" for clients that left).
	ICAP *prom.Vec[*prom.Counter]
	// Failures counts requests that got an error page, by reason.
	Failures *prom.Vec[*prom.Counter]
	// Upstream is the time from sending a request upstream to the response's header, in seconds.
	Upstream *prom.Histogram
	// Stages is the time that each stage of cleaning a page took, in seconds.
	Stages *prom.Vec[*prom.Histogram]
	// PageBytes counts bytes of cleaned pages, codings undone: "in" from the origin, "out" to the client.
	PageBytes *prom.Vec[*prom.Counter]
	// PagesAgain counts cleaned pages that came again, byte for byte, and were cleaned as before without being judged.
	PagesAgain *prom.Counter
	// LateWork counts work that went on beyond its deadline, by what it was on ("page", "picture") and its stage.
	LateWork *prom.Vec[*prom.Counter]
	late     atomic.Pointer[late]
	// ScriptsLost counts scripts that were not read to learn what they look for, by why ("dropped", "panic").
	ScriptsLost *prom.Vec[*prom.Counter]
	// Connections is the number of open connections by kind ("client", "intercepted", "tunnel").
	Connections *prom.Vec[*prom.Gauge]
	// Handshakes counts TLS handshakes with clients by result ("full", "resumed"; "untrusted" and "hangup" where they
	// refused our certificate, or seem to have; "failed").
	Handshakes *prom.Vec[*prom.Counter]
	// Passthroughs counts how often a host began to pass through for a client that refuses its certificate.
	Passthroughs *prom.Counter
	// Tunnels counts tunnels opened, by why they are tunnels ("bypass", "unlisted", "passthrough", "not-tls", "upgrade").
	Tunnels *prom.Vec[*prom.Counter]
	// TunnelBytes counts bytes through tunnels by direction ("up", "down").
	TunnelBytes *prom.Vec[*prom.Counter]
	// TurnedAway counts clients and requests that were not let in, by why.
	TurnedAway *prom.Vec[*prom.Counter]
	// Limit shows the limits that are in force, by name.
	Limit *prom.Vec[*prom.Gauge]
	// Panics counts panics contained, by where ("request", "response", "connection").
	Panics *prom.Vec[*prom.Counter]
	// LogLost counts lines of the access log that were lost, since what it is written to failed or did not keep up.
	LogLost *prom.Counter
}

// New makes the metrics and registers them with reg; a nil reg leaves them unregistered, which serves tests.
func New(reg *prom.Registry) *Metrics {
	if reg == nil {
		reg = &prom.Registry{}
	}
	return &Metrics{
		Requests:  reg.Counter("winnow_requests_total", "Requests by scheme and status class.", "scheme", "class"),
		Responses: reg.Counter("winnow_responses_total", "Responses by outcome and reason.", "outcome", "reason"),
		ICAP:      reg.Counter("winnow_icap_requests_total", "ICAP requests by method and status; 204 is what stays as it is.", "method", "status"),
		Failures:  reg.Counter("winnow_failures_total", "Requests answered with an error page, by reason.", "reason"),
		Upstream: reg.Histogram("winnow_upstream_seconds", "Time until an origin's response header.",
			prom.ExponentialBuckets(0.001, 2, 16)).WithLabelValues(),
		Stages: reg.Histogram("winnow_stage_seconds", "Time taken by each stage of cleaning a page.",
			prom.ExponentialBuckets(0.0005, 2, 14), "stage"),
		PageBytes: reg.Counter("winnow_page_bytes_total", "Bytes of cleaned pages, codings undone, by direction.", "direction"),
		PagesAgain: reg.Counter("winnow_pages_again_total",
			"Cleaned pages that came again, byte for byte, and were cleaned as before without being judged.").WithLabelValues(),
		LateWork:    reg.Counter("winnow_late_work_total", "Work that went on beyond its deadline, by what it was on and its stage.", "work", "stage"),
		ScriptsLost: reg.Counter("winnow_scripts_lost_total", "Scripts that were not read to learn what they look for, by why.", "why"),
		Connections: reg.Gauge("winnow_connections", "Open connections by kind.", "kind"),
		Handshakes:  reg.Counter("winnow_handshakes_total", "TLS handshakes with clients by result.", "result"),
		Passthroughs: reg.Counter("winnow_passthrough_total",
			"Hosts that began to pass through for a program of a client that refuses their certificates.").WithLabelValues(),
		Tunnels:     reg.Counter("winnow_tunnels_total", "Tunnels opened, by why they are tunnels.", "why"),
		TunnelBytes: reg.Counter("winnow_tunnel_bytes_total", "Bytes through tunnels by direction.", "direction"),
		TurnedAway:  reg.Counter("winnow_turned_away_total", "Connections and requests of clients that were not let in, by why.", "why"),
		Limit:       reg.Gauge("winnow_limit", "Limits in force, by name; 0 where there is none.", "name"),
		Panics:      reg.Counter("winnow_panics_total", "Panics contained, by where.", "where"),
		LogLost:     reg.Counter("winnow_access_log_lost_lines_total", "Lines of the access log that could not be written.").WithLabelValues(),
	}
}

// late is what went on beyond its deadline: how often, and what did so last.
type late struct {
	times       int
	work, stage string
}

// WorkIsLate counts work that goes on beyond its deadline.
func (m *Metrics) WorkIsLate(work, stage string) {
	m.LateWork.WithLabelValues(work, stage).Inc()
	for {
		before := m.late.Load()
		now := &late{1, work, stage}
		if before != nil {
			now.times += before.times
		}
		if m.late.CompareAndSwap(before, now) {
			return
		}
	}
}

// Late says what work went on beyond its deadline since the start; empty where none did.
func (m *Metrics) Late() string {
	l := m.late.Load()
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%d times work went on beyond its deadline, last on a %s, in %s", l.times, l.work, l.stage)
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

// ICAPRequest counts one ICAP request.
func (m *Metrics) ICAPRequest(method string, status int) {
	if method != "OPTIONS" && method != "RESPMOD" {
		method = "other" // clients choose it
	}
	label := "gone"
	switch {
	case status == http.StatusOK || status == http.StatusNoContent:
		label = strconv.Itoa(status)
	case status >= 400 && status < 600:
		label = string(rune('0'+status/100)) + "xx"
	}
	m.ICAP.WithLabelValues(method, label).Inc()
}

// Publish shows a limit beside the metrics of what it bounds.
func (m *Metrics) Publish(limits map[string]float64) {
	for name, v := range limits {
		m.Limit.WithLabelValues(name).Set(v)
	}
}
