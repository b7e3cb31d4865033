package prom

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// Counter is a number that only grows. It is safe for concurrent use.
type Counter struct{ number atomicFloat }

// Inc adds 1.
func (c *Counter) Inc() { c.Add(1) }

// Add adds v, which must not be negative.
func (c *Counter) Add(v float64) { c.number.add(v) }

// Value returns the number.
func (c *Counter) Value() float64 { return c.number.load() }

func (c *Counter) sample() Sample { return Sample{Value: c.Value()} }

// Gauge is a number that goes up and down. It is safe for concurrent use.
type Gauge struct{ number atomicFloat }

// Inc adds 1.
func (g *Gauge) Inc() { g.number.add(1) }

// Dec subtracts 1.
func (g *Gauge) Dec() { g.number.add(-1) }

// Set replaces the number.
func (g *Gauge) Set(v float64) { g.number.bits.Store(math.Float64bits(v)) }

// Value returns the number.
func (g *Gauge) Value() float64 { return g.number.load() }

func (g *Gauge) sample() Sample { return Sample{Value: g.Value()} }

// Histogram counts values by size. It is safe for concurrent use.
type Histogram struct {
	bounds []float64 // ascending
	counts []atomic.Uint64
	sum    atomicFloat
}

// Observe counts v in the first bucket whose upper bound is not below it.
func (h *Histogram) Observe(v float64) {
	h.counts[sort.SearchFloat64s(h.bounds, v)].Add(1)
	h.sum.add(v)
}

func (h *Histogram) sample() Sample {
	s := Sample{Value: h.sum.load()}
	for i := range h.counts {
		s.Count += h.counts[i].Load()
		if i < len(h.bounds) {
			s.Points = append(s.Points, Point{h.bounds[i], float64(s.Count)})
		}
	}
	return s
}

// ExponentialBuckets returns count upper bounds, the first of which is start and each of the others factor times the
// last.
func ExponentialBuckets(start, factor float64, count int) (bounds []float64) {
	for range count {
		bounds = append(bounds, start)
		start *= factor
	}
	return bounds
}

// Vec is a family with one series for each combination of its labels' values. It is safe for concurrent use.
type Vec[M metric] struct {
	family Family // without samples
	create func() M
	mu     sync.RWMutex
	series map[string]series[M]
}

// metric is one series.
type metric interface{ sample() Sample }

type series[M metric] struct {
	values []string
	metric M
}

// Counter registers a family of counters.
func (r *Registry) Counter(name, help string, labels ...string) *Vec[*Counter] {
	return register(r, Family{Name: name, Help: help, Type: TypeCounter, Labels: labels}, func() *Counter { return &Counter{} })
}

// Gauge registers a family of gauges.
func (r *Registry) Gauge(name, help string, labels ...string) *Vec[*Gauge] {
	return register(r, Family{Name: name, Help: help, Type: TypeGauge, Labels: labels}, func() *Gauge { return &Gauge{} })
}

// Histogram registers a family of histograms with the same ascending upper bounds; one of infinity is added.
func (r *Registry) Histogram(name, help string, bounds []float64, labels ...string) *Vec[*Histogram] {
	return register(r, Family{Name: name, Help: help, Type: TypeHistogram, Labels: labels}, func() *Histogram {
		return &Histogram{bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1)}
	})
}

func register[M metric](r *Registry, f Family, create func() M) *Vec[M] {
	v := &Vec[M]{family: f, create: create, series: map[string]series[M]{}}
	r.Register(func() []Family { return []Family{v.gather()} })
	return v
}

// WithLabelValues returns the series with these values of the labels, in their order. From then on it shows, at first
// with 0. It panics if there are more or fewer values than labels.
func (v *Vec[M]) WithLabelValues(values ...string) M {
	if len(values) != len(v.family.Labels) {
		panic(fmt.Sprintf("metric %s has labels %q but got values %q", v.family.Name, v.family.Labels, values))
	}
	key := strings.Join(values, "\xff") // which is in no UTF-8
	v.mu.RLock()
	s, ok := v.series[key]
	v.mu.RUnlock()
	if ok {
		return s.metric
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if s, ok = v.series[key]; !ok {
		s = series[M]{values: slices.Clone(values), metric: v.create()}
		v.series[key] = s
	}
	return s.metric
}

// gather returns the family with its series, by the values of their labels.
func (v *Vec[M]) gather() Family {
	v.mu.RLock()
	defer v.mu.RUnlock()
	f := v.family
	for _, key := range slices.Sorted(maps.Keys(v.series)) {
		s := v.series[key].metric.sample()
		s.Values = v.series[key].values
		f.Samples = append(f.Samples, s)
	}
	return f
}

// atomicFloat is a number that several goroutines add to.
type atomicFloat struct{ bits atomic.Uint64 }

func (f *atomicFloat) load() float64 { return math.Float64frombits(f.bits.Load()) }

func (f *atomicFloat) add(v float64) {
	for {
		old := f.bits.Load()
		if f.bits.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+v)) {
			return
		}
	}
}
