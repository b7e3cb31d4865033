package access

import "sync"

// Shares divides a resource of fixed size among clients whose number nobody knows. A client may hold as much as is free
// once it holds it: one alone gets up to half, and N greedy ones get 1/(N+1) each and leave as much for whoever comes
// next to have half of (dynamic thresholds: Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory
// packet switches", IEEE/ACM Transactions on Networking 6(2), 1998, with α = 1). It is safe for concurrent use, and
// remembers clients that hold something only.
type Shares[K comparable] struct {
	size, each int64
	alone      bool

	mu   sync.Mutex
	used int64
	held map[K]int64
}

// NewShares returns shares of size units, of which a client gets at most each; an each below 1 leaves it to size. With
// alone, nothing is left for others, as where only this machine can connect and all clients are one.
func NewShares[K comparable](size, each int64, alone bool) *Shares[K] {
	if each < 1 {
		each = size
	}
	return &Shares[K]{size: size, each: each, alone: alone, held: map[K]int64{}}
}

// Take gives the client n units and returns true, or nothing and false. What was taken must be given back.
func (s *Shares[K]) Take(client K, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	free, has := s.size-s.used-n, s.held[client]+n
	if free < 0 || has > s.each || !s.alone && has > free {
		return false
	}
	s.used += n
	s.held[client] = has
	return true
}

// Charge gives the client n units whether there are any or not: for what is there already, and is counted so that no
// more comes beside it.
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

// Used returns how many units are held by all clients together.
func (s *Shares[K]) Used() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}
