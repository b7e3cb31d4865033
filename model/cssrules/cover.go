package cssrules

import "slices"

// cover chooses selectors: a greedy weighted set cover, whose sets are the texts that selectors reach.
type cover struct {
	// gain and loss are what each text is worth when a chosen selector reaches it, and what it costs.
	gain, loss []float64
	// precise is the share of what a selector newly reaches that must be gain.
	precise float64
	// price is the gain that a selector of cost 1 must bring.
	price float64
	// most bounds the number of selectors.
	most int
	// apart says that selectors must not reach the same texts twice.
	apart bool
}

// choose returns the chosen candidates, the most useful first.
func (c cover) choose(list []*candidate) (chosen []*candidate) {
	reached := make([]bool, len(c.gain))
	for len(chosen) < c.most {
		best := c.best(list, reached)
		if best == nil {
			break
		}
		chosen = append(chosen, best)
		for _, s := range best.spans {
			for i := s.from; i < s.to; i++ {
				reached[i] = true
			}
		}
	}
	return c.prune(chosen)
}

// best returns the candidate that is most useful beside what is reached, or nil if none is of use.
func (c cover) best(list []*candidate, reached []bool) (best *candidate) {
	gain, loss, taken := c.left(reached)
	most := 0.
	for _, one := range list {
		g, l := one.sum(gain), one.sum(loss)
		if c.apart && (one.nested || one.sum(taken) > 0) || g < c.precise*(g+l) {
			continue
		}
		net := g - l - c.price*one.selector.cost()
		if net > most || best != nil && net == most && one.css < best.css {
			best, most = one, net
		}
	}
	return best
}

// left returns the sums of gain and loss of the texts that are not reached, and of the number of those that are.
func (c cover) left(reached []bool) (gain, loss, taken []float64) {
	gain, loss, taken = make([]float64, len(reached)+1), make([]float64, len(reached)+1), make([]float64, len(reached)+1)
	for i, r := range reached {
		gain[i+1], loss[i+1], taken[i+1] = gain[i], loss[i], taken[i]
		if r {
			taken[i+1]++
		} else {
			gain[i+1] += c.gain[i]
			loss[i+1] += c.loss[i]
		}
	}
	return gain, loss, taken
}

// sum is the sum over what a candidate reaches.
func (c *candidate) sum(sums []float64) (total float64) {
	for _, s := range c.spans {
		total += sums[s.to] - sums[s.from]
	}
	return total
}

// prune leaves out selectors, the first chosen first, that later ones have made superfluous.
func (c cover) prune(chosen []*candidate) []*candidate {
	times := make([]int, len(c.gain))
	count := func(one *candidate, by int) {
		for _, s := range one.spans {
			for i := s.from; i < s.to; i++ {
				times[i] += by
			}
		}
	}
	for _, one := range chosen {
		count(one, 1)
	}
	return slices.DeleteFunc(chosen, func(one *candidate) bool {
		net := 0.
		for _, s := range one.spans {
			for i := s.from; i < s.to; i++ {
				if times[i] == 1 {
					net += c.gain[i] - c.loss[i]
				}
			}
		}
		if net >= c.price*one.selector.cost() {
			return false
		}
		count(one, -1)
		return true
	})
}
