package fleet

import (
	"math"
	"sort"
)

// solution is a result with what it rests on.
type solution struct {
	Result
	// add is the time in seconds to add an increment, reload the mean time that models take which are not in memory.
	add, reload float64
}

// solve answers a scenario with formulas. Pages of a host arrive at random (Poisson), so that a host with the share q
// of the pages has m = Pages·q of them on average.
func solve(s *Scenario, f *Figures) *solution {
	groups := zipf(s.Hosts, s.Skew)
	r := &solution{Result: Result{Scenario: *s, Method: MethodFormulas}}
	r.hold(groups, f)
	r.share(groups, f)
	r.learn(groups, f)
	r.store(groups, f)
	return r
}

// hold computes what is in the memory of a replica, which drops the models that were not used for the longest time. By
// Che's approximation, a model is there if its host had a page within a time that is the same for all hosts (Che, Tung,
// Wang, "Hierarchical Web caching systems: modeling, design and experimental results", 2002).
func (r *solution) hold(groups []hosts, f *Figures) {
	s := &r.Scenario
	replicas := float64(s.Replicas)
	// Behind a sticky balancer a replica has its part of the hosts, each with all of its pages. Otherwise it has all
	// hosts, each with its part of the pages.
	part, rate := 1.0, s.Rate/replicas
	if s.Sticky {
		part, rate = 1/replicas, s.Rate
	}
	held := func(within float64) (bytes, models, hit, reload float64) {
		for _, g := range groups {
			in, pages := -math.Expm1(-rate*g.share*within), max(1, s.Pages*g.share)
			models += part * g.number * in
			bytes += part * g.number * in * f.memory(pages)
			hit += g.number * g.share * in
			reload += g.number * g.share * (1 - in) * f.reload(pages) / 1e6
		}
		return bytes, models, hit, reload
	}
	within := s.Pages / s.Rate // nothing is older than the first page
	if bytes, _, _, _ := held(within); bytes > s.Memory {
		const steps = 1 << 16
		longest := within
		i := sort.Search(steps, func(i int) bool {
			bytes, _, _, _ := held(longest * math.Pow(float64(i)/steps, 4))
			return bytes > s.Memory
		})
		within = longest * math.Pow(float64(max(i-1, 0))/steps, 4)
	}
	r.Memory, r.InMemory, r.Hit, r.reload = held(within)
	for _, g := range groups {
		r.All += g.number * f.memory(s.Pages*g.share)
	}
}

// share computes what sharing costs, and how long it takes.
func (r *solution) share(groups []hosts, f *Figures) {
	s := &r.Scenario
	replicas := float64(s.Replicas)
	sent := s.Rate / replicas
	if s.Enough > 0 {
		sent *= r.firstOf(groups, float64(s.Enough))
	} else if s.Settled < 1 {
		early := r.firstOf(groups, f.largest())
		sent *= early + s.Settled*(1-early)
	}
	got := sent * (replicas - 1)
	if s.Held {
		got *= r.Hit // an increment is about a host in memory as often as a page is
	}
	r.add = f.Add / 1e6
	if !s.Held {
		r.add += r.reload
	}
	l := newLag(s, sent, got, r.add)
	r.Cleaning, r.Adding = s.Rate/replicas*(f.Page/1e6+r.reload), got*r.add
	r.In = got * f.Increment
	if s.Replicas > 1 {
		r.Out = sent * f.Increment
	}
	if s.Held { // models of hosts that are not in memory are read from the store
		for _, g := range groups {
			r.In += s.Rate / replicas * (1 - r.Hit) * g.number * g.share * f.encoded(s.Pages*g.share)
		}
	}
	r.Total = r.In * replicas
	r.Everywhere, r.Reached = Quantiles{l.quantile(.5), l.quantile(.99)}, l.reached()
	underWay := s.Rate * groups[0].share * l.mean() * (replicas - 1) / replicas
	if s.Sticky || s.Replicas == 1 {
		underWay = 0
	}
	r.Needed = Seconds(float64(s.Page) + underWay)
	r.NeededAlone = 1 + float64(s.Page-1)*replicas
	if s.Sticky {
		r.NeededAlone = float64(s.Page)
	}
}

// firstOf is the share of all pages that are among the first n of their hosts.
func (r *solution) firstOf(groups []hosts, n float64) (share float64) {
	for _, g := range groups {
		early := firstPages(r.Scenario.Pages * g.share)
		share += g.number * early.first(n) / r.Scenario.Pages
	}
	return share
}

// learn computes how much pages find learned.
func (r *solution) learn(groups []hosts, f *Figures) {
	s := &r.Scenario
	replicas, enough := float64(s.Replicas), float64(s.Page-1)
	alone := replicas
	if s.Sticky {
		alone = 1
	}
	perPage := float64(r.Needed) - float64(s.Page) // of the busiest host, the number of pages that are under way
	for _, g := range groups {
		m := s.Pages * g.share
		underWay := perPage * g.share / groups[0].share
		known := firstPages(m)
		r.Cold.One += g.number * known.first(enough)
		r.Cold.Shared += g.number * known.first(enough+underWay)
		r.F1One += g.number * known.f1(f, 0)
		r.F1Shared += g.number * known.f1(f, underWay)
		one := firstPages(m / alone)
		r.Cold.Alone += g.number * alone * one.first(enough)
		r.F1Alone += g.number * alone * one.f1(f, 0)
	}
	if math.IsInf(perPage, 1) { // what others send comes too late for ever
		r.Cold.Shared, r.F1Shared = r.Cold.Alone, r.F1Alone
	}
	for _, sum := range []*float64{&r.Cold.One, &r.Cold.Shared, &r.Cold.Alone, &r.F1One, &r.F1Shared, &r.F1Alone} {
		*sum /= s.Pages
	}
}

// early are the first pages of a host with a mean number of pages: the probabilities that it has a first, a second …
type early struct {
	mean float64
	has  [50]float64
}

func firstPages(mean float64) (e early) {
	e.mean = mean
	p := math.Exp(-mean) // of exactly k pages
	atMost := 0.0
	for k := range e.has {
		atMost += p
		e.has[k] = max(0, 1-atMost)
		p *= mean / float64(k+1)
	}
	if mean < 1e-3 { // where 1-atMost has lost its digits
		e.has = [50]float64{-math.Expm1(-mean), mean * mean / 2}
	}
	return e
}

// first is the expected number of the host's pages among the first n.
func (e *early) first(n float64) (sum float64) {
	if n >= float64(len(e.has)) {
		return min(e.mean, n)
	}
	for k := 0; float64(k) < n; k++ {
		sum += e.has[k] * min(1, n-float64(k))
	}
	return sum
}

// f1 is the expected sum of the scores of the host's pages, if a page finds all earlier ones but underWay learned.
func (e *early) f1(f *Figures, underWay float64) (sum float64) {
	rest := e.mean
	for k, has := range e.has {
		sum += has * f.f1(max(0, float64(k)-underWay))
		rest -= has
	}
	last := float64(len(e.has))
	rest = max(rest, 0)
	behind := min(rest, underWay) // pages that still don't find enough, of hosts with very many under way
	return sum + behind*f.f1(max(0, last-underWay)) + (rest-behind)*f.f1(last)
}

// store computes what the store has at the end.
func (r *solution) store(groups []hosts, f *Figures) {
	s := &r.Scenario
	for _, g := range groups {
		m := s.Pages * g.share
		spread := 8 * math.Sqrt(m)
		if m > 1e4 || m-spread > float64(s.StoreAfter) {
			r.Stored += g.number
			r.Store += g.number * f.encoded(m)
			continue
		}
		for k := s.StoreAfter; float64(k) <= m+spread+20; k++ {
			p := poisson(k, m)
			r.Stored += g.number * p
			r.Store += g.number * p * f.encoded(float64(k))
		}
	}
}

// poisson is the probability of k where the mean is m.
func poisson(k int, m float64) float64 {
	factorial, _ := math.Lgamma(float64(k) + 1)
	return math.Exp(float64(k)*math.Log(m) - m - factorial)
}
