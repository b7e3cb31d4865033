package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Bounds on change under constant load: late samples against early ones, and after the load against before. The number
// of connections varies by chance, which the allowances cover.
const (
	growthFactor    = 1.15
	growthAllowance = 100
	restAllowance   = 40
	// warmUp is the share of samples to ignore at the beginning. steadyAfter is the least time after which growth
	// differs from kept connections: winnow keeps idle ones for two minutes.
	warmUp      = 0.3
	steadyAfter = 8 * time.Minute
	// restTimeout bounds the time until winnow comes to rest.
	restTimeout = 45 * time.Second
)

// watch samples winnow every second until ctx ends, and fails if winnow ends first.
func (r *report) watch(ctx context.Context, p *process) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.done:
			return fmt.Errorf("it ended under load:\n%s", p.lastLines())
		case <-tick.C:
		}
		s, err := p.sample(ctx)
		if errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			continue
		}
		if err != nil {
			return fmt.Errorf("its metrics: %w", err)
		}
		r.samples = append(r.samples, s)
	}
}

// traffic runs the clients until ctx ends.
func (r *report) traffic(ctx context.Context, o options, w *world, p *process) {
	f, err := newFleet(ctx, w, r, p.proxy)
	if err != nil {
		r.violate("%v", err)
		return
	}
	f.run(ctx, o.Clients, o.Seed)
}

// settle checks whether winnow releases everything after clients and origins are gone: what is left has leaked.
func (r *report) settle(ctx context.Context, w *world, p *process, atRest sample) {
	r.AtRest = atRest
	w.close()
	for end := time.Now().Add(restTimeout); ; time.Sleep(500 * time.Millisecond) {
		s, err := p.sample(ctx)
		if err != nil {
			r.violate("winnow's metrics after the load: %v", err)
			return
		}
		r.After = s
		if s.Goroutines <= atRest.Goroutines+restAllowance && s.Descriptors <= atRest.Descriptors+restAllowance {
			return
		}
		if time.Now().After(end) {
			r.violate("winnow does not come to rest: %.0f goroutines and %.0f descriptors after the load, %.0f and %.0f before",
				s.Goroutines, s.Descriptors, atRest.Goroutines, atRest.Descriptors)
			p.dump()
			return
		}
	}
}

// judge compares the samples with the bounds.
func (r *report) judge(o options) {
	counted := r.samples[int(float64(len(r.samples))*warmUp):]
	half := len(counted) / 2
	r.First, r.Last = mean(counted[:half]), mean(counted[half:])
	for _, s := range r.samples {
		r.Peak = combine(r.Peak, s, math.Max)
	}
	for _, g := range []struct {
		what        string
		early, late float64
	}{{"goroutines", r.First.Goroutines, r.Last.Goroutines}, {"descriptors", r.First.Descriptors, r.Last.Descriptors}} {
		if o.Duration >= steadyAfter && g.late > g.early*growthFactor+growthAllowance {
			r.violate("%s grow under a steady load: from %.0f to %.0f", g.what, g.early, g.late)
		}
	}
	if mib := r.Peak.Private / (1 << 20); mib > float64(o.MaxRSS) {
		r.violate("%.0f MiB resident, more than the %d MiB that are allowed", mib, o.MaxRSS)
	}
	if r.After.Panics > 0 {
		r.violate("%.0f panics contained", r.After.Panics)
	}
}

// checkLog reports errors in winnow's log.
func (r *report) checkLog(p *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.bad {
		r.violate("winnow's log: %.300s", line)
	}
}

func mean(samples []sample) (m sample) {
	for _, s := range samples {
		m = combine(m, s, func(a, b float64) float64 { return a + b/float64(len(samples)) })
	}
	return m
}

// combine applies f to each field of two samples.
func combine(a, b sample, f func(a, b float64) float64) sample {
	return sample{
		Goroutines: f(a.Goroutines, b.Goroutines), Descriptors: f(a.Descriptors, b.Descriptors), Private: f(a.Private, b.Private), Mapped: f(a.Mapped, b.Mapped),
		Learned: f(a.Learned, b.Learned), Dropped: f(a.Dropped, b.Dropped), Panics: f(a.Panics, b.Panics),
		Models: f(a.Models, b.Models), ModelBytes: f(a.ModelBytes, b.ModelBytes),
	}
}
