package pipeline

import "sync/atomic"

// Memory is what a client has, beside its pages, of the memory that is for pages (Limits.Held). The zero value has no
// bound. It is safe for concurrent use.
type Memory struct {
	account account
	taken   atomic.Int64
}

// Memory returns an account of a client, by the name that exchange.Name has. It must be closed.
func (pl *Pipeline) Memory(client string) *Memory {
	if pl == nil {
		return &Memory{}
	}
	return &Memory{account: account{pl.shares, client, !pl.opts.Shared}}
}

// Take charges n bytes and returns true, or nothing and false where the client's share is used up.
func (m *Memory) Take(n int64) bool {
	if m.account.shares == nil {
		return true
	}
	if !m.account.take(n) {
		return false
	}
	m.taken.Add(n)
	return true
}

// Give gives back n bytes of what was taken.
func (m *Memory) Give(n int64) {
	if m.account.shares != nil {
		m.taken.Add(-n)
		m.account.give(n)
	}
}

// Close gives back what was taken.
func (m *Memory) Close() {
	if m.account.shares != nil {
		m.account.give(m.taken.Swap(0))
	}
}
