package cache

import (
	"sync"
	"time"
)

// Health says whether the store takes what is written to it. Models keep serving and learning in memory while it does
// not; what they learn then is lost when the process ends.
type Health struct {
	// Err is why the last write failed, nil where it succeeded or where nothing was written yet.
	Err error
	// Since is when the writes began to fail; zero while they succeed.
	Since time.Time
	// LastWrite is the time of the last write that succeeded; zero where there was none.
	LastWrite time.Time
}

// OK reports whether the last write succeeded, or nothing was written yet.
func (h Health) OK() bool { return h.Err == nil }

// healthState is the outcome of the writes to a store. It is safe for concurrent use.
type healthState struct {
	mu sync.Mutex
	Health
}

// note takes the outcome of one write.
func (h *healthState) note(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if h.Err = err; err == nil {
		h.Since, h.LastWrite = time.Time{}, now
	} else if h.Since.IsZero() {
		h.Since = now
	}
}

// Health returns the outcome of the last write to the store. It is cheap.
func (m *Models) Health() Health {
	m.health.mu.Lock()
	defer m.health.mu.Unlock()
	return m.health.Health
}
