package fleet

import (
	"container/heap"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// models are the models of all hosts on all replicas. Playing through a fleet acts on them: on [counts], or in tests on
// real ones.
type models interface {
	// learn lets a replica learn the next page of a host, and returns what the others get.
	learn(replica, host int) (increment any)
	// add adds what another replica has learned.
	add(replica, host int, increment any)
	// pages is the number of pages of a host that a replica knows.
	pages(replica, host int) int
}

// counts only counts the pages that each replica knows of each host.
type counts [][]int32

func newCounts(s *Scenario) counts {
	c := make(counts, s.Replicas)
	for i := range c {
		c[i] = make([]int32, s.Hosts)
	}
	return c
}

func (c counts) learn(replica, host int) any  { c[replica][host]++; return nil }
func (c counts) add(replica, host int, _ any) { c[replica][host]++ }
func (c counts) pages(replica, host int) int  { return int(c[replica][host]) }

// played is what playing through a fleet has shown.
type played struct {
	everywhere  []float64 // seconds, of the pages that are known everywhere
	pages       int
	cold        int
	sent, added int
}

// event is an increment that reaches a replica, or that the replica has added.
type event struct {
	at      float64
	number  int // of the page, to break ties as they came
	replica int
	added   bool
	page    *pageOnWay
}

// pageOnWay is a page that one replica has learned and others have not yet.
type pageOnWay struct {
	host      int
	learned   float64
	missing   int
	increment any
}

// play plays the scenario through, event by event, until all increments have arrived. Its random numbers depend on the
// seed. Those of the n-th delivery of a page don't depend on the number of replicas, so that fleets of different sizes
// can be compared. add is the time in seconds that a replica needs to add an increment.
func play(ctx context.Context, s *Scenario, add float64, on models, step func()) (*played, error) {
	g := &game{s: s, add: add, on: on, out: &played{}, busy: make([]float64, s.Replicas), hosts: cumulative(s)}
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	for now, n := 0.0, 0; n < int(s.Pages); n++ {
		now += rng.ExpFloat64() / s.Rate
		g.until(now)
		host, replica := g.pick(rng.Float64()), rng.Uint64()
		if s.Sticky {
			replica = uint64(host)
		}
		g.learn(now, n, int(replica%uint64(s.Replicas)), host)
		step()
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	g.until(math.Inf(1))
	slices.Sort(g.out.everywhere)
	return g.out, nil
}

// game is the state of play.
type game struct {
	s     *Scenario
	add   float64
	on    models
	out   *played
	queue events
	busy  []float64 // when each replica has added what it has got so far
	hosts []float64
}

// cumulative are the sums of the hosts' shares.
func cumulative(s *Scenario) []float64 {
	sums, sum := make([]float64, s.Hosts), 0.0
	for i := range sums {
		sum += math.Pow(float64(i+1), -s.Skew)
		sums[i] = sum
	}
	for i := range sums {
		sums[i] /= sum
	}
	return sums
}

func (g *game) pick(x float64) int {
	return min(sort.SearchFloat64s(g.hosts, x), len(g.hosts)-1)
}

// learn lets a replica learn a page, and sends it to the others.
func (g *game) learn(now float64, n, replica, host int) {
	g.out.pages++
	if g.on.pages(replica, host) < g.s.Page-1 {
		g.out.cold++
	}
	p := &pageOnWay{host: host, learned: now, missing: g.s.Replicas - 1, increment: g.on.learn(replica, host)}
	sent := now
	if every := g.s.Every.Seconds(); every > 0 {
		phase := every * float64(replica) / float64(g.s.Replicas)
		sent = phase + every*math.Ceil((now-phase)/every)
	}
	for i := range g.s.Replicas - 1 {
		if at, ok := g.deliver(sent, n, i); ok {
			heap.Push(&g.queue, event{at: at, number: n, replica: (replica + 1 + i) % g.s.Replicas, page: p})
		}
	}
}

// deliver returns when the i-th delivery of a page arrives that is sent at a time, and false if it never does.
func (g *game) deliver(sent float64, n, i int) (at float64, ok bool) {
	rng := rand.New(rand.NewPCG(g.s.Seed^uint64(n)<<20, uint64(i)+2))
	g.out.sent++
	for rng.Float64() < g.s.Loss {
		if g.s.Retry == 0 {
			return 0, false
		}
		sent += g.s.Retry.Seconds()
		g.out.sent++
	}
	return sent + g.s.Delay.Seconds() + rng.ExpFloat64()*g.s.Jitter.Seconds(), true
}

// until lets happen what happens before a time.
func (g *game) until(now float64) {
	for len(g.queue) > 0 && g.queue[0].at <= now {
		e := heap.Pop(&g.queue).(event)
		if !e.added {
			g.busy[e.replica] = max(g.busy[e.replica], e.at) + g.add
			e.at, e.added = g.busy[e.replica], true
			heap.Push(&g.queue, e)
			continue
		}
		g.on.add(e.replica, e.page.host, e.page.increment)
		g.out.added++
		if e.page.missing--; e.page.missing == 0 {
			g.out.everywhere = append(g.out.everywhere, e.at-e.page.learned)
		}
	}
}

// events is a heap, the next first.
type events []event

func (h events) Len() int { return len(h) }
func (h events) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].number < h[j].number
}
func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *events) Push(e any) { *h = append(*h, e.(event)) }

// Pop implements heap.Interface.
func (h *events) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// quantile is the time within which a share of all pages is known everywhere.
func (p *played) quantile(share float64) Seconds {
	i := int(math.Ceil(share*float64(p.pages))) - 1
	if i >= len(p.everywhere) {
		return Seconds(math.Inf(1))
	}
	return Seconds(p.everywhere[max(i, 0)])
}
