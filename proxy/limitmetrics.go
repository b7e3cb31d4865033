package proxy

// publish shows a limit beside the metrics of what it bounds.
func (m *Metrics) publish(limits map[string]float64) {
	for name, v := range limits {
		m.Limit.WithLabelValues(name).Set(v)
	}
}

// named returns the limits by the names that they have as a metric label; a limit that is off is 0.
func (l Limits) named() map[string]float64 {
	return map[string]float64{
		"connections":        float64(l.Connections),
		"client_connections": float64(max(0, l.ClientConnections)),
		"client_rate":        max(0, l.ClientRate),
		"header_bytes":       float64(l.HeaderBytes),
		"header_seconds":     l.Header.Seconds(),
		"handshake_seconds":  l.Handshake.Seconds(),
		"idle_seconds":       l.Idle.Seconds(),
		"dial_seconds":       l.Dial.Seconds(),
		"response_seconds":   l.Response.Seconds(),
		"stall_seconds":      l.Stall.Seconds(),
		"tunnel_seconds":     l.TunnelIdle.Seconds(),
		"total_seconds":      l.Total.Seconds(),
	}
}

// limits returns the limits of cleaning, as Limits.named does.
func (rw *Rewriter) limits() map[string]float64 {
	return map[string]float64{
		"body_bytes":    float64(rw.opts.MaxBody),
		"ratio":         float64(rw.opts.MaxRatio),
		"held_bytes":    float64(rw.opts.MaxBuffered),
		"cleaning":      float64(rw.opts.MaxConcurrent),
		"clean_seconds": rw.opts.ParseTimeout.Seconds(),
		"read_seconds":  rw.opts.ReadTimeout.Seconds(),
		"nesting":       maxNesting,
	}
}

// maxNesting is how many elements may be open at once: x/net/html refuses more (golang/go#76279).
const maxNesting = 512
