package intercept

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Entry is a host that is tunnelled for one program of a client, because it does not accept the proxy's certificate: an
// app that pins its server's certificate, or one that does not know the CA.
type Entry struct {
	// Client is the client's address, or its /64 network for IPv6, after "user@" if users log in.
	Client string `json:"client"`
	// Program stands for the program: it is a hash of how the program begins TLS.
	Program string `json:"program"`
	// Host is the host without port.
	Host string `json:"host"`
	// Reason is how the client last refused: "alert" or "hangup".
	Reason string `json:"reason"`
	// Since is the beginning, Until the time at which interception is tried again.
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

// refusal is a way in which clients refuse a certificate.
type refusal string

const (
	// refusedByAlert is a TLS alert that names the certificate (RFC 8446 §6.2), which is unambiguous.
	refusedByAlert refusal = "alert"
	// refusedByHangup is a silent disconnect during or right after the handshake. Apps that check pins themselves do that,
	// and so do people who change their mind.
	refusedByHangup refusal = "hangup"
)

// weight is how much a refusal counts.
func (r refusal) weight() int {
	if r == refusedByAlert {
		return 3
	}
	return 2
}

const (
	// refusalsWeigh is the weight at which a host passes through: two alerts, or three hang-ups. A single one may be an
	// accident, and a host that passes by mistake is not cleaned until the entry expires.
	refusalsWeigh = 6
	// refusalBurst is the time within which refusals count as one. Clients open several connections at once and close the
	// spare ones after the handshake, as Go's client does when HTTP/2 needs only one.
	refusalBurst = time.Second
	// refusalWindow is how long a refusal counts. Apps try again soon.
	refusalWindow = 10 * time.Minute
	// hangupWithin is the time after the handshake within which a silent disconnect counts as a refusal. Connections that
	// browsers open in advance and never use live longer.
	hangupWithin = 3 * time.Second
	// passthroughHosts bounds the table of a client, passthroughClients the tables, and passthroughEntries the entries of
	// all, at about 200 bytes an entry. Evicted entries are learned again.
	passthroughHosts   = 1024
	passthroughClients = 4096
	passthroughEntries = 1 << 15
)

// passthroughKey is a client, one of its programs, and a host without port.
type passthroughKey struct{ client, program, host string }

// own returns the key within the table of the client.
func (k passthroughKey) own() ownKey { return ownKey{k.program, k.host} }

type ownKey struct{ program, host string }

type passthroughState struct {
	passthroughKey
	// weight is the weight of consecutive refusals; last is the time of the last one that counted.
	weight int
	last   time.Time
	reason refusal
	// since and until are set while the host passes through.
	since, until time.Time
}

// passthroughs remembers which clients refuse the certificates of which hosts, in memory only. It is safe for
// concurrent use.
type passthroughs struct {
	// lasts is how long a host passes through; 0 or less disables all of this.
	lasts time.Duration
	now   func() time.Time

	mu sync.Mutex
	// clients has the table of each client, so that no client pushes out what is known of another. entries is the number
	// of entries of all.
	clients *simplelru.LRU[string, *clientTable]
	entries int
}

// clientTable is what is known of one client.
type clientTable struct {
	states *simplelru.LRU[ownKey, *passthroughState]
	// taken has the time at which a program last began to use a connection to a host, and trusts says that one did. It is
	// a separate table, so that certificates that are accepted do not evict those that are refused.
	taken  *simplelru.LRU[ownKey, *time.Time]
	trusts bool
}

func (t *clientTable) len() int { return t.states.Len() + t.taken.Len() }

func newPassthroughs(lasts time.Duration, now func() time.Time) (*passthroughs, error) {
	p := &passthroughs{lasts: lasts, now: now}
	var err error
	p.clients, err = simplelru.NewLRU(passthroughClients, func(_ string, t *clientTable) { p.entries -= t.len() })
	return p, err
}

// change calls f with the table of a client, which is made if there is none, and makes room for what f adds.
func (p *passthroughs) change(client string, f func(*clientTable)) {
	t, ok := p.clients.Get(client)
	if !ok {
		t = &clientTable{}
		// They fail for a size of 0 alone.
		t.states, _ = simplelru.NewLRU[ownKey, *passthroughState](passthroughHosts, nil)
		t.taken, _ = simplelru.NewLRU[ownKey, *time.Time](passthroughHosts, nil)
		p.clients.Add(client, t)
	}
	before := t.len()
	f(t)
	p.entries += t.len() - before
	for p.entries > passthroughEntries {
		p.entries -= p.largest().shrink()
	}
}

// largest returns the largest table.
func (p *passthroughs) largest() (largest *clientTable) {
	for _, t := range p.clients.Values() {
		if largest == nil || t.len() > largest.len() {
			largest = t
		}
	}
	return largest
}

// shrink drops an eighth of a table, the oldest entries, and returns how many these were.
func (t *clientTable) shrink() int {
	n := t.len()/8 + 1
	for range n {
		if t.taken.Len() > t.states.Len() {
			t.taken.RemoveOldest()
		} else {
			t.states.RemoveOldest()
		}
	}
	return n
}

// refused notes that a program refused the certificate of a host, and reports whether the host passes through now.
func (p *passthroughs) refused(k passthroughKey, how refusal) bool {
	if p.lasts <= 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	passes := false
	p.change(k.client, func(t *clientTable) { passes = p.note(t, k, how) })
	return passes
}

// note is refused with the client's table.
func (p *passthroughs) note(t *clientTable, k passthroughKey, how refusal) bool {
	now := p.now()
	if how == refusedByHangup && t.takes(k.own(), now) {
		return false
	}
	s, ok := t.states.Get(k.own())
	if !ok {
		s = &passthroughState{passthroughKey: k}
		t.states.Add(k.own(), s)
	}
	switch since := apart(now, s.last); {
	case since > refusalWindow:
		s.weight = 0
	case since < refusalBurst && s.weight > 0:
		return false
	}
	s.weight, s.last, s.reason = s.weight+how.weight(), now, how
	if s.weight < refusalsWeigh || !s.until.IsZero() {
		return false
	}
	s.since, s.until = now, now.Add(p.lasts)
	return true
}

// takes reports whether a program has recently used a connection to a host. If so, hang-ups on its spare connections
// mean nothing; on a busy machine they can be further apart than a burst.
func (t *clientTable) takes(k ownKey, now time.Time) bool {
	at, ok := t.taken.Get(k)
	return ok && apart(now, *at) <= refusalWindow
}

// accepted notes that a program accepted the certificate of a host. This ends a row of refusals. A device refuses all
// sites until its owner installs the CA. So the first certificate that it accepts clears all its entries; later, the
// form of the portal does that.
func (p *passthroughs) accepted(k passthroughKey) {
	if p.lasts <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.change(k.client, func(t *clientTable) {
		if !t.trusts {
			t.states.Purge()
		}
		now := p.now()
		t.trusts = true
		t.taken.Add(k.own(), &now)
		if s, ok := t.states.Peek(k.own()); ok && s.until.IsZero() {
			t.states.Remove(k.own())
		}
	})
}

// passes reports whether a host passes through for a program. When an entry expires, interception is tried again; a
// single alert then renews the entry.
func (p *passthroughs) passes(k passthroughKey) bool {
	if p.lasts <= 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t, ok := p.clients.Get(k.client)
	if !ok {
		return false
	}
	s, ok := t.states.Get(k.own())
	if !ok || s.until.IsZero() {
		return false
	}
	now := p.now()
	if p.runs(s, now) {
		return true
	}
	*s = passthroughState{passthroughKey: k, weight: refusalsWeigh - refusedByAlert.weight(), last: now.Add(-refusalBurst), reason: s.reason}
	return false
}

// runs reports whether the entry s is in force. An entry that begins in the future was made before the clock was set
// back, and is ignored.
func (p *passthroughs) runs(s *passthroughState, now time.Time) bool {
	return now.Before(s.until) && apart(now, s.since) < p.lasts
}

// apart is the time between two moments in either order, since clocks can be set back.
func apart(a, b time.Time) time.Duration { return a.Sub(b).Abs() }

// list returns the entries in force, by client, host and program.
func (p *passthroughs) list() []*Entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	entries := []*Entry{}
	now := p.now()
	for _, t := range p.clients.Values() {
		for _, s := range t.states.Values() {
			if !s.until.IsZero() && p.runs(s, now) {
				entries = append(entries, &Entry{s.client, s.program, s.host, string(s.reason), s.since, s.until})
			}
		}
	}
	slices.SortFunc(entries, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Program, b.Program))
	})
	return entries
}

// forget drops the entries of a client and a host; an empty name means all. It returns how many of them were in force.
func (p *passthroughs) forget(client, host string) (ended int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for _, name := range p.clients.Keys() {
		t, _ := p.clients.Peek(name)
		if client != "" && name != client {
			continue
		}
		for _, s := range t.states.Values() {
			if host != "" && s.host != host {
				continue
			}
			if !s.until.IsZero() && p.runs(s, now) {
				ended++
			}
			t.states.Remove(s.own())
			p.entries--
		}
	}
	return ended
}

// Passthrough lists the hosts that pass through because a client refuses their certificates.
func (i *Interceptor) Passthrough() []*Entry { return i.passthrough.list() }

// PassesUntil returns the time until which a host, without port, passes through for a program of a client; it is zero
// for none.
func (i *Interceptor) PassesUntil(client access.Identity, host string) (until time.Time) {
	for _, e := range i.passthrough.list() {
		if e.Client == client.String() && e.Host == host && e.Until.After(until) {
			until = e.Until
		}
	}
	return until
}

// ForgetPassthrough drops the entries of a client and a host; an empty name means all. It returns how many of them were
// in force.
func (i *Interceptor) ForgetPassthrough(client, host string) int {
	if host != "" {
		var err error
		if host, err = hostname.Canonical(hostname.WithoutPort(host)); err != nil {
			return 0 // an empty name would stand for all
		}
	}
	return i.passthrough.forget(client, host)
}

// refusedBy notes that the client of c refused our certificate.
func (i *Interceptor) refusedBy(c *conn, how refusal) {
	if i.Ready() != nil { // the proxy disconnected the client
		return
	}
	if i.passthrough.refused(c.key(), how) {
		i.Metrics.Passthroughs.Inc()
		i.Logger.Warn("a client refuses the proxy's certificate: the host passes through for it", "host", c.within.Origin.Host,
			"program", c.program, "reason", string(how), "lasts", i.passthrough.lasts)
	}
}
