package fleet

import (
	"encoding/json"
	"math"
	"sort"
)

// Seconds is a time, or another figure that may be infinite, which is null in JSON.
type Seconds float64

// MarshalJSON implements json.Marshaler.
func (s Seconds) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(s), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(s))
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Seconds) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*s = Seconds(math.Inf(1))
		return nil
	}
	return json.Unmarshal(b, (*float64)(s))
}

// lag is how long an increment takes from the replica that learned the page to others. It waits for the next time that
// its replica sends. Every attempt to deliver it takes the delay, and an exponentially distributed time beyond that. A
// lost one is sent again later. The receiver adds one increment after the other.
type lag struct {
	every, delay, jitter, loss, retry float64
	// queue is the mean time until the receiver has added an increment, infinite if it can't keep up.
	queue float64
	// others is the number of receivers.
	others float64
}

// newLag returns the lag of a scenario in which each replica sends and gets so many increments a second, and needs the
// time add for each that it gets.
func newLag(s *Scenario, sent, got, add float64) lag {
	l := lag{every: s.Every.Seconds(), delay: s.Delay.Seconds(), jitter: s.Jitter.Seconds(), loss: s.Loss, retry: s.Retry.Seconds(),
		others: float64(s.Replicas - 1)}
	// The mean wait in a queue with arrivals of batches and constant service (M^X/D/1), where batches have a random size
	// by Poisson: the work before a batch, and before an increment within its batch.
	batch := sent * l.every
	load := got * add
	l.queue = math.Inf(1)
	if load < 1 {
		l.queue = add + add*(load+batch)/(2*(1-load))
	}
	return l
}

// attempts is how often an increment is tried before all but a share of 1e-12 of them have arrived.
func (l lag) attempts() int {
	if l.loss == 0 || l.retry == 0 {
		return 1
	}
	return 1 + int(math.Log(1e-12)/math.Log(l.loss))
}

// arrived is the share of receivers that have an increment when t has passed since it was sent.
func (l lag) arrived(t float64) (share float64) {
	lost := 1.0
	for range l.attempts() {
		if t -= l.delay; t < 0 {
			return share
		}
		in := 1.0
		if l.jitter > 0 {
			in = 1 - math.Exp(-t/l.jitter)
		}
		share += lost * (1 - l.loss) * in
		lost *= l.loss
		t -= l.retry - l.delay
	}
	return share
}

// everywhere is the probability that all receivers have an increment when t has passed since the page was learned.
func (l lag) everywhere(t float64) float64 {
	if l.others == 0 {
		return 1
	}
	if l.every == 0 {
		return math.Pow(l.arrived(t-l.queue), l.others)
	}
	const steps = 200
	sum := 0.0
	for i := range steps {
		sum += math.Pow(l.arrived(t-l.queue-l.every*(float64(i)+.5)/steps), l.others)
	}
	return sum / steps
}

// quantile is the time after which an increment is everywhere with the probability p.
func (l lag) quantile(p float64) Seconds {
	if l.others == 0 {
		return 0
	}
	most := l.every + l.queue + float64(l.attempts())*max(l.retry, l.delay) + 60*l.jitter + l.delay
	if math.IsInf(most, 1) || l.everywhere(most) < p {
		return Seconds(math.Inf(1))
	}
	const steps = 1 << 20
	i := sort.Search(steps, func(i int) bool { return l.everywhere(most*float64(i)/steps) >= p })
	return Seconds(most * float64(i) / steps)
}

// mean is the mean time until one receiver has added an increment, of those that arrive.
func (l lag) mean() float64 {
	resent := 0.0
	if l.retry > 0 {
		resent = l.retry * l.loss / (1 - l.loss)
	}
	return l.every/2 + resent + l.delay + l.jitter + l.queue
}

// reached is the share of increments that arrive at all.
func (l lag) reached() float64 {
	if l.retry == 0 {
		return 1 - l.loss
	}
	return 1
}
