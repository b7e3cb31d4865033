package intercept

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Entry is one host whose TLS passes through for one client, because that client does not take the proxy's
// certificate: an app that pins its server's, or a device without the CA.
type Entry struct {
	// Client is the client's address, for IPv6 its /64 network, with "user@" before it where users log in.
	Client string `json:"client"`
	// Host is the host without port.
	Host string `json:"host"`
	// Reason is how the client refused the last time: "alert" or "hangup".
	Reason string `json:"reason"`
	// Since is when it began, Until when interception is tried again.
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

// refusal is a way of a client to say that it does not take a certificate.
type refusal string

const (
	// refusedByAlert: TLS alerts that name the certificate (RFC 8446 §6.2) leave no doubt.
	refusedByAlert refusal = "alert"
	// refusedByHangup: the client hung up during the handshake or right after it, without a word. Apps that check pins
	// themselves do that, and so does anybody who changes his mind.
	refusedByHangup refusal = "hangup"
)

// weight is what a refusal counts for.
func (r refusal) weight() int {
	if r == refusedByAlert {
		return 3
	}
	return 2
}

const (
	// refusalsWeigh is where a client's refusals make a host pass through: two alerts, or three hang-ups. One alone may be
	// a glitch, and a host that is excluded by mistake is not cleaned for as long as the entry lasts.
	refusalsWeigh = 6
	// refusalBurst is how long refusals count as one. Clients open several connections at once, and close those after the
	// handshake that they turn out not to need: Go's do so where HTTP/2 makes one enough.
	refusalBurst = time.Second
	// refusalWindow is how long a refusal counts: what belongs together comes as the app tries again.
	refusalWindow = 10 * time.Minute
	// hangupWithin is how soon after the handshake a client that hangs up without a word does so over the certificate.
	// Connections that browsers open ahead of need and then leave unused live longer.
	hangupWithin = 3 * time.Second
	// passthroughEntries bounds the table, at some 200 bytes an entry. What drops out is learned again.
	passthroughEntries = 4096
)

// passthroughKey is a client and a host without port.
type passthroughKey struct{ client, host string }

type passthroughState struct {
	// weight is that of the refusals in a row, the last of which to count came at last.
	weight int
	last   time.Time
	reason refusal
	// since and until are set while the host passes.
	since, until time.Time
}

// passthroughs remembers which clients refuse the certificates of which hosts. It lives in memory alone and is safe for
// concurrent use.
type passthroughs struct {
	// lasts is how long a host passes; 0 or less switches all of this off.
	lasts time.Duration
	now   func() time.Time

	mu     sync.Mutex
	states *simplelru.LRU[passthroughKey, *passthroughState]
	// taken has the time when a client last began to use a connection to a host; the empty host stands for any. It is a
	// table of its own, so that clients that accept certificates do not crowd out those that refuse them.
	taken *simplelru.LRU[passthroughKey, time.Time]
}

func newPassthroughs(lasts time.Duration, now func() time.Time) (*passthroughs, error) {
	states, err := simplelru.NewLRU[passthroughKey, *passthroughState](passthroughEntries, nil)
	if err != nil {
		return nil, err
	}
	taken, err := simplelru.NewLRU[passthroughKey, time.Time](passthroughEntries, nil)
	return &passthroughs{lasts: lasts, now: now, states: states, taken: taken}, err
}

// refused notes that a client refused the certificate of a host, and reports whether the host passes from now on.
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
	s, ok := p.states.Get(k)
	if !ok {
		s = &passthroughState{}
		p.states.Add(k, s)
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

// takes reports whether a client has used a host's certificate lately. The hang-ups of its spare connections, which a
// busy machine spreads over more than a burst, say nothing then.
func (p *passthroughs) takes(k passthroughKey, now time.Time) bool {
	at, ok := p.taken.Get(k)
	return ok && apart(now, at) <= refusalWindow
}

// accepted notes that a client took the certificate of a host: refusals count in a row only. A device whose owner is
// about to install the CA has refused all sites by then; with the first certificate that it takes it gets another
// chance with all of them, and later by the portal's form.
func (p *passthroughs) accepted(k passthroughKey) {
	if p.lasts <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, trusts := p.taken.Get(passthroughKey{client: k.client}); !trusts {
		p.drop(k.client, "")
	}
	p.taken.Add(passthroughKey{client: k.client}, p.now())
	p.taken.Add(k, p.now())
	if s, ok := p.states.Peek(k); ok && s.until.IsZero() {
		p.states.Remove(k)
	}
}

// passes reports whether a host passes for a client. Once its time is up, interception is tried again; if that is
// refused too, a single alert is enough to renew the entry.
func (p *passthroughs) passes(k passthroughKey) bool {
	if p.lasts <= 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.states.Get(k)
	if !ok || s.until.IsZero() {
		return false
	}
	now := p.now()
	if p.runs(s, now) {
		return true
	}
	*s = passthroughState{weight: refusalsWeigh - refusedByAlert.weight(), last: now.Add(-refusalBurst), reason: s.reason}
	return false
}

// runs reports whether the entry s is in force. One that began in the future was made before the clock was set back,
// and has no more to say than any other.
func (p *passthroughs) runs(s *passthroughState, now time.Time) bool {
	return now.Before(s.until) && apart(now, s.since) < p.lasts
}

// apart is the time between two moments, whichever comes first: clocks are set back too.
func apart(a, b time.Time) time.Duration { return a.Sub(b).Abs() }

// list returns the entries in force, by client and host.
func (p *passthroughs) list() []*Entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	entries := []*Entry{}
	now := p.now()
	for _, k := range p.states.Keys() {
		if s, _ := p.states.Peek(k); !s.until.IsZero() && p.runs(s, now) {
			entries = append(entries, &Entry{k.client, k.host, string(s.reason), s.since, s.until})
		}
	}
	slices.SortFunc(entries, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.Host, b.Host))
	})
	return entries
}

// forget drops what is known of a client and a host, where an empty name stands for all, and returns how many entries
// in force that ended.
func (p *passthroughs) forget(client, host string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.drop(client, host)
}

// drop is forget under p.mu.
func (p *passthroughs) drop(client, host string) (ended int) {
	now := p.now()
	for _, k := range p.states.Keys() {
		if client != "" && k.client != client || host != "" && k.host != host {
			continue
		}
		if s, _ := p.states.Peek(k); !s.until.IsZero() && p.runs(s, now) {
			ended++
		}
		p.states.Remove(k)
	}
	return ended
}

// Passthrough lists the hosts that pass through because a client refuses their certificates.
func (i *Interceptor) Passthrough() []*Entry { return i.passthrough.list() }

// ForgetPassthrough has interception tried again for a client and a host, where an empty name stands for all. It
// returns how many entries that ended.
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
	if i.Ready() != nil { // it was we who hung up
		return
	}
	if i.passthrough.refused(c.key(), how) {
		i.Metrics.Passthroughs.Inc()
		i.Logger.Warn("a client refuses the proxy's certificate: the host passes through for it", "host", c.within.Origin.Host,
			"reason", string(how), "lasts", i.passthrough.lasts)
	}
}
