package access

import "sync"

// Shares divides a resource of fixed size among an unknown number of clients. A client may hold at most as much as
// stays free: a single client gets up to half of it, and N greedy clients get 1/(N+1) each, which leaves as much for
// others (dynamic thresholds: Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches",
// IEEE/ACM Transactions on Networking 6(2), 1998, with α = 1). It is safe for concurrent use and remembers only clients
// that hold something.
type Shares[K comparable] struct {
	size, each int64
	alone      bool

	mu   sync.Mutex
	used int64
	held map[K]int64
}

// NewShares returns shares of size units, at most each units for a client; an each below 1 means size. With alone, a
// client may hold everything: only this machine can connect, so all clients are one.
func NewShares[K comparable](size, each int64, alone bool) *Shares[K] {
	if each < 1 {
		each = size
	}
	return &Shares[K]{size: size, each: each, alone: alone, held: map[K]int64{}}
}

// Take gives the client n units and returns true, or gives nothing and returns false. The caller must give them back.
func (s *Shares[K]) Take(client K, n int64) bool { return s.take(client, n, s.alone) }

// TakeAlone is Take for a client that may hold everything, even without alone.
func (s *Shares[K]) TakeAlone(client K, n int64) bool { return s.take(client, n, true) }

func (s *Shares[K]) take(client K, n int64, alone bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	free, has := s.size-s.used-n, s.held[client]+n
	if free < 0 || has > s.each || !alone && has > free {
		return false
	}
	s.used += n
	s.held[client] = has
	return true
}

// Charge gives the client n units even if none are free. It counts what exists already, so that Take allows less beside
// it.
func (s *Shares[K]) Charge(client K, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used += n
	s.held[client] += n
}

// Give takes n units back from the client.
func (s *Shares[K]) Give(client K, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= n
	if s.held[client] -= n; s.held[client] <= 0 {
		delete(s.held, client)
	}
}

// Used returns how many units all clients hold.
func (s *Shares[K]) Used() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}
