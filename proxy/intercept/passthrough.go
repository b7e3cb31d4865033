package intercept

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Entry is a host that is tunnelled for one client, because the client does not accept the proxy's certificate: an app
// that pins its server's certificate, or a device without the CA.
type Entry struct {
	// Client is the client's address, or its /64 network for IPv6, after "user@" if users log in.
	Client string `json:"client"`
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
	// passthroughEntries bounds the table, at about 200 bytes an entry. Evicted entries are learned again.
	passthroughEntries = 4096
)

// passthroughKey is a client and a host without port.
type passthroughKey struct{ client, host string }

// String is the key in tables. Neither name has a line break.
func (k passthroughKey) String() string { return k.client + "\n" + k.host }

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

	mu     sync.Mutex
	states *simplelru.LRU[string, *passthroughState]
	// taken has the time at which a client last began to use a connection to a host, and under the empty host to any host.
	// It is a separate table, so that clients that accept certificates do not evict those that refuse them.
	taken *simplelru.LRU[string, *time.Time]
}

func newPassthroughs(lasts time.Duration, now func() time.Time) (*passthroughs, error) {
	states, err := simplelru.NewLRU[string, *passthroughState](passthroughEntries, nil)
	if err != nil {
		return nil, err
	}
	taken, err := simplelru.NewLRU[string, *time.Time](passthroughEntries, nil)
	return &passthroughs{lasts: lasts, now: now, states: states, taken: taken}, err
}

// refused notes that a client refused the certificate of a host, and reports whether the host passes through now.
func (p *passthroughs) refused(k passthroughKey, how refusal) bool {
	if p.lasts <= 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if how == refusedByHangup && p.takes(k, now) {
		return false
	}
	s, ok := p.states.Get(k.String())
	if !ok {
		s = &passthroughState{passthroughKey: k}
		p.states.Add(k.String(), s)
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

// takes reports whether a client has recently used a connection to a host. If so, hang-ups on its spare connections
// mean nothing; on a busy machine they can be further apart than a burst.
func (p *passthroughs) takes(k passthroughKey, now time.Time) bool {
	at, ok := p.taken.Get(k.String())
	return ok && apart(now, *at) <= refusalWindow
}

// accepted notes that a client accepted the certificate of a host. This ends a row of refusals. A device refuses all
// sites until its owner installs the CA. So the first certificate that it accepts clears all its entries; later, the
// form of the portal does that.
func (p *passthroughs) accepted(k passthroughKey) {
	if p.lasts <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	anyHost := passthroughKey{client: k.client}.String()
	if _, trusts := p.taken.Get(anyHost); !trusts {
		p.drop(k.client, "")
	}
	now := p.now()
	p.taken.Add(anyHost, &now)
	p.taken.Add(k.String(), &now)
	if s, ok := p.states.Peek(k.String()); ok && s.until.IsZero() {
		p.states.Remove(k.String())
	}
}

// passes reports whether a host passes through for a client. When an entry expires, interception is tried again; a
// single alert then renews the entry.
func (p *passthroughs) passes(k passthroughKey) bool {
	if p.lasts <= 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.states.Get(k.String())
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

// list returns the entries in force, by client and host.
func (p *passthroughs) list() []*Entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	entries := []*Entry{}
	now := p.now()
	for _, s := range p.states.Values() {
		if !s.until.IsZero() && p.runs(s, now) {
			entries = append(entries, &Entry{s.client, s.host, string(s.reason), s.since, s.until})
		}
	}
	slices.SortFunc(entries, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.Host, b.Host))
	})
	return entries
}

// forget drops the entries of a client and a host; an empty name means all. It returns how many of them were in force.
func (p *passthroughs) forget(client, host string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.drop(client, host)
}

// drop is forget under p.mu.
func (p *passthroughs) drop(client, host string) (ended int) {
	now := p.now()
	for _, s := range p.states.Values() {
		if client != "" && s.client != client || host != "" && s.host != host {
			continue
		}
		if !s.until.IsZero() && p.runs(s, now) {
			ended++
		}
		p.states.Remove(s.String())
	}
	return ended
}

// Passthrough lists the hosts that pass through because a client refuses their certificates.
func (i *Interceptor) Passthrough() []*Entry { return i.passthrough.list() }

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
			"reason", string(how), "lasts", i.passthrough.lasts)
	}
}
