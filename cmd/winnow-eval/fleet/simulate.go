package fleet

import "context"

// The methods of Simulate.
const (
	// MethodEvents plays every page and every delivery through.
	MethodEvents = "events"
	// MethodFormulas computes expected values.
	MethodFormulas = "formulas"
)

// Bounds of what is played through: deliveries, and counts of pages.
const (
	mostDeliveries = 2e6
	mostCounts     = 2e7
)

// Playable reports whether [Simulate] plays the scenario through. Then every page is learned, and sent to all replicas.
func (s *Scenario) Playable() bool {
	return !s.Held && s.Enough == 0 && s.Settled == 1 && s.Pages*float64(s.Replicas) <= mostDeliveries && float64(s.Hosts)*float64(s.Replicas) <= mostCounts
}

// Simulate says what a scenario comes to, with the figures of one model. It plays small fleets through, event by event;
// the same seed gives the same result. For larger ones it uses formulas alone. step is called for each page that is
// played through.
func Simulate(ctx context.Context, s *Scenario, f *Figures, step func()) (*Result, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	solved := solve(s, f)
	r := &solved.Result
	if !s.Playable() {
		return r, nil
	}
	p, err := play(ctx, s, solved.add, newCounts(s), step)
	if err != nil {
		return nil, err
	}
	r.Method = MethodEvents
	r.Cold.Shared = float64(p.cold) / float64(p.pages)
	if s.Replicas > 1 {
		r.Everywhere = Quantiles{p.quantile(.5), p.quantile(.99)}
		r.Reached = float64(p.added) / float64(p.pages*(s.Replicas-1))
	}
	return r, nil
}
