package fleet

import "math"

// hosts are hosts of about one popularity.
type hosts struct {
	// rank is the rank of the first, from 1 on.
	rank float64
	// number is how many there are, and share the share of all pages that one of them has.
	number, share float64
}

// zipf groups hosts whose number of pages falls with the power skew of their rank (Zipf's law). The first thousand are
// by themselves. Groups of the others span ranks that differ by 2 %, so that 100 million hosts are about 1,600 groups.
func zipf(number int, skew float64) []hosts {
	var groups []hosts
	total := 0.0
	for rank := 1; rank <= number; {
		next := rank + 1
		if rank > 1000 {
			next = min(rank+rank/50, number+1)
		}
		weight := powers(float64(rank)-.5, float64(next)-.5, skew)
		if next == rank+1 {
			weight = math.Pow(float64(rank), -skew)
		}
		n := float64(next - rank)
		groups = append(groups, hosts{rank: float64(rank), number: n, share: weight / n})
		total += weight
		rank = next
	}
	for i := range groups {
		groups[i].share /= total
	}
	return groups
}

// powers is the integral of x to the power of -skew.
func powers(from, to, skew float64) float64 {
	if math.Abs(skew-1) < 1e-9 {
		return math.Log(to / from)
	}
	return (math.Pow(to, 1-skew) - math.Pow(from, 1-skew)) / (1 - skew)
}
