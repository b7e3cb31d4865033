package cache

import (
	"sync"
	"time"
)

// Health says whether writes to the store succeed. While they fail, Models keep serving and learning in memory, and
// what they learn is lost when the process ends.
type Health struct {
	// Err is why the last write failed. It is nil when the last write succeeded and before the first write.
	Err error
	// Since is when the writes began to fail. It is zero while they succeed.
	Since time.Time
	// LastWrite is the time of the last successful write. It is zero before the first.
	LastWrite time.Time
}

// OK reports that the last write did not fail.
func (h Health) OK() bool { return h.Err == nil }

// healthState is the outcome of the writes to a store. It is safe for concurrent use.
type healthState struct {
	mu sync.Mutex
	Health
}

// note records the outcome of one write.
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
