package cache

import (
	"math"
	"net"
	"sort"
	"time"

	"golang.org/x/net/publicsuffix"
)

// Candidate is a stored model that may be removed to make room.
type Candidate struct {
	Host string
	// Cost is the room that the model takes, in bytes.
	Cost int64
	Summary
}

// Quotas keep somebody from filling a store with made-up hosts. The hosts of one registrable domain take at most one
// part in domainQuota of a full store. The hosts that one client taught first take at most one part in clientQuota, or
// an equal share where there are fewer clients.
const (
	domainQuota = 4
	clientQuota = 4
)

// Bounds on the terms of utility, so that nobody can keep a model stored forever. After usefulPages pages a model has
// mostly learned its site; a host in daily use has about usefulUses uses.
const (
	usefulPages = 64
	usefulUses  = 1 << 12
	// halfLife is the time without a new page after which a model is half as useful.
	halfLife = 14 * 24 * time.Hour
)

// utility estimates how useful a model is: the logarithm of the pages learned, which is the cost of learning them
// again, times the logarithm of the uses, halved with every half-life since the newest page. It follows greedy-dual
// caching (Cherkasova, "Improving WWW proxies performance with greedy-dual-size-frequency caching policy", 1998).
func (s Summary) utility(now time.Time) float64 {
	pages := math.Log2(1 + float64(min(max(s.Pages, 0), usefulPages)))
	uses := math.Log2(1+float64(min(s.Uses, usefulUses))) / 4 // a use costs a client one request, a page a new URL too
	age := max(0, now.Sub(s.LastSeen))
	if s.LastSeen.IsZero() {
		age = math.MaxInt64
	}
	return pages + uses - float64(age)/float64(halfLife)
}

// LeastUseful selects the models to remove so that the others take at most budget bytes, and returns their indexes. It
// selects the least useful first: of registrable domains over their quota, then of clients over theirs, then of all. It
// selects nothing when all fit.
func LeastUseful(all []Candidate, budget int64, now time.Time) []int {
	r := removal{all: all, domains: map[string]int64{}, clients: map[uint64]int64{}}
	for i, c := range all {
		r.order = append(r.order, ranked{i, c.utility(now), registrable(c.Host)})
		r.domains[r.order[i].domain] += c.Cost
		r.live += c.Cost
		if c.Client != 0 {
			r.clients[c.Client] += c.Cost
		}
	}
	sort.SliceStable(r.order, func(i, j int) bool {
		a, b := r.order[i], r.order[j]
		return a.utility < b.utility || a.utility == b.utility && all[a.index].Host < all[b.index].Host
	})
	byDomain := budget / domainQuota
	byClient := budget / int64(min(clientQuota, max(1, len(r.clients))))
	r.remove(budget, func(c ranked) bool { return r.domains[c.domain] > byDomain })
	r.remove(budget, func(c ranked) bool { return r.clients[all[c.index].Client] > byClient })
	r.remove(budget, func(ranked) bool { return true })
	return r.chosen
}

// ranked is a candidate by its index.
type ranked struct {
	index   int
	utility float64
	domain  string
}

// removal is the state of LeastUseful.
type removal struct {
	all     []Candidate
	order   []ranked // the least useful first
	domains map[string]int64
	clients map[uint64]int64
	live    int64
	chosen  []int
}

// remove selects candidates that pass may, the least useful first, until the others fit.
func (r *removal) remove(budget int64, may func(ranked) bool) {
	kept := r.order[:0]
	for _, c := range r.order {
		if r.live <= budget || !may(c) {
			kept = append(kept, c)
			continue
		}
		m := r.all[c.index]
		r.live -= m.Cost
		r.domains[c.domain] -= m.Cost
		if m.Client != 0 {
			r.clients[m.Client] -= m.Cost
		}
		r.chosen = append(r.chosen, c.index)
	}
	r.order = kept
}

// registrable returns the registrable domain of a host with or without a port (publicsuffix.org), the host itself where
// it has none.
func registrable(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host
}
