package cache

import "sync/atomic"

// Counters are totals since New and, for gauges, the current state. They serve the metrics.
type Counters struct {
	// Learned is the number of pages learned. Skipped is the number of pages that models left out because they taught
	// nothing new. Dropped is the number of pages that were not: the queue was full, the
	// detector panicked or the Models were closed.
	Learned, Skipped, Dropped uint64
	// Evicted is the number of models that left memory to make room, Lost the number of those that could not be saved.
	Evicted, Lost uint64
	// Panics is the number of calls into the detector and the store that panicked.
	Panics uint64
	// FlushErrors counts the batches and models that could not be saved, LoadErrors the failed loads, SetAside the
	// stored values that could not be read.
	FlushErrors, LoadErrors, SetAside uint64
	// Queue is the number of pages waiting, QueueBytes the length of their sources.
	Queue      int
	QueueBytes int64
	// Models is the number of models in memory, Bytes their size, MaxBytes its bound.
	Models          int
	Bytes, MaxBytes int64
	// StoreBytes is the size of the store, StoreLimit its bound, and StoreEvicted the number of models removed to keep to
	// it; all 0 where the store has none.
	StoreBytes, StoreLimit int64
	StoreEvicted           uint64
}

type counts struct {
	learned, skipped, dropped, evicted, lost, panics, flushErrors, loadErrors, setAside atomic.Uint64
}

// Counters returns the counters. It is cheap.
func (m *Models) Counters() Counters {
	c := Counters{
		Learned: m.count.learned.Load(), Skipped: m.count.skipped.Load(), Dropped: m.count.dropped.Load(),
		Evicted: m.count.evicted.Load(), Lost: m.count.lost.Load(), Panics: m.count.panics.Load(),
		FlushErrors: m.count.flushErrors.Load(), LoadErrors: m.count.loadErrors.Load(), SetAside: m.count.setAside.Load(),
	}
	if s, ok := m.opt.Store.(containedStore); ok {
		c.StoreBytes, c.StoreLimit, c.StoreEvicted = s.size()
	}
	c.MaxBytes = m.opt.MaxBytes
	for _, q := range m.queues {
		c.Queue += len(q)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c.QueueBytes, c.Models, c.Bytes = m.queueBytes, m.entries.Len(), m.bytes
	return c
}
