package evaluate

import (
	"math"
	"math/rand/v2"
)

// Summary is the macro mean over sites, each with its spread.
type Summary struct {
	All Estimate `json:"all"`
	// Buckets are by arrival order, in the order of BucketNames.
	Buckets [Buckets]Estimate `json:"buckets"`
	// Accuracy is the mean over sites, and over the sites of each class where they have classes.
	Accuracy        Accuracy            `json:"accuracy"`
	AccuracyByClass map[string]Accuracy `json:"accuracy_by_class,omitempty"`
	// Optional says how much of the optional parts is kept, by kind.
	Optional map[string]OptionalShare `json:"optional,omitempty"`
}

// Estimate is a mean over sites and how far it would move if other sites had been drawn.
type Estimate struct {
	Mean
	// Spread holds the standard deviations of the figures under bootstrap over sites.
	Spread Mean `json:"spread"`
}

// bootstrapSamples is enough for two digits of a standard deviation.
const bootstrapSamples = 1000

// Summarize takes the macro mean over sites. Sites without a scored page in a bucket are left out of that bucket.
func Summarize(sites []SiteScore) Summary {
	s := Summary{All: estimate(sites, func(s *SiteScore) Mean { return s.Mean })}
	for b := range s.Buckets {
		s.Buckets[b] = estimate(sites, func(s *SiteScore) Mean { return s.Buckets[b] })
	}
	s.Accuracy, s.AccuracyByClass = accuracyOfSites(sites)
	s.Optional = optionalShares(sites)
	return s
}

func estimate(sites []SiteScore, get func(*SiteScore) Mean) Estimate {
	var ms []Mean
	for i := range sites {
		if m := get(&sites[i]); m.N > 0 {
			ms = append(ms, m)
		}
	}
	if len(ms) == 0 {
		return Estimate{}
	}
	e := Estimate{Mean: meanOfMeans(ms, len(ms), func(i int) int { return i })}
	e.N = len(ms)
	e.Spread = bootstrap(ms)
	return e
}

// meanOfMeans is the mean of n members of ms. The i-th is ms[pick(i)].
func meanOfMeans(ms []Mean, n int, pick func(int) int) (sum Mean) {
	for i := range n {
		m := ms[pick(i)]
		sum = apply(sum, m, func(a, b float64) float64 { return a + b/float64(n) })
	}
	return sum
}

// bootstrap draws as many sites as there are, with replacement, many times, and returns the standard deviation of the
// means. The generator is seeded, so that a figure is the same every time.
func bootstrap(ms []Mean) Mean {
	if len(ms) < 2 {
		return Mean{}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	means := make([]Mean, bootstrapSamples)
	for i := range means {
		means[i] = meanOfMeans(ms, len(ms), func(int) int { return rng.IntN(len(ms)) })
	}
	centre := meanOfMeans(means, len(means), func(i int) int { return i })
	var variance Mean
	for _, m := range means {
		off := apply(m, centre, func(a, b float64) float64 { return (a - b) * (a - b) / bootstrapSamples })
		variance = apply(variance, off, func(a, b float64) float64 { return a + b })
	}
	return apply(variance, Mean{}, func(a, _ float64) float64 { return math.Sqrt(a) })
}

// apply combines two means, figure by figure.
func apply(a, b Mean, f func(a, b float64) float64) Mean {
	return Mean{
		P: f(a.P, b.P), R: f(a.R, b.R), F1: f(a.F1, b.F1), Kept: f(a.Kept, b.Kept), Removed: f(a.Removed, b.Removed),
		P1: f(a.P1, b.P1), P2: f(a.P2, b.P2),
	}
}
