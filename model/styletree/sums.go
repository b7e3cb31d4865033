package styletree

import (
	"math"
	"slices"

	"github.com/winnow-proxy/winnow/model/internal/entropy"
)

// fixed counts pages and occurrences in fixed point; one is the weight of one page.
type fixed = entropy.Count

const one = entropy.One

// feature holds the sums of one content feature of one leaf.
type feature struct {
	// hash is the keyed hash, truncated to 32 bits: it only has to distinguish the few hundred features of one leaf.
	hash uint32
	entropy.Sums
}

// occurrences returns the sums of a feature that occurs c times on one page.
func occurrences(hash, c uint32) feature { return feature{hash, entropy.Occurrences(c)} }

// plus returns the sums over the pages of both.
func (f feature) plus(g feature) feature { return feature{f.hash, f.Plus(g.Sums)} }

// content is the content of a leaf on the pages of one style: its features, in order of hash.
type content struct {
	features []feature
	// rest is the number of evicted features. They were the rarest, so each counts as a feature without entropy. That
	// errs on the side of content.
	rest uint32
}

// add adds features, sorted by hash, to the content.
func (c *content) add(more []feature) {
	if len(more) == 0 {
		return
	}
	fresh := 0
	for i, j := 0, 0; j < len(more); {
		switch {
		case i == len(c.features) || c.features[i].hash > more[j].hash:
			fresh++
			j++
		case c.features[i].hash < more[j].hash:
			i++
		default:
			c.features[i] = c.features[i].plus(more[j])
			i++
			j++
		}
	}
	if fresh > 0 {
		c.features = mergeNew(c.features, more, fresh)
	}
}

// mergeNew returns have with those of more whose hashes it lacks, in order. There are fresh of them.
func mergeNew(have, more []feature, fresh int) []feature {
	out := make([]feature, 0, len(have)+fresh)
	i := 0
	for _, f := range more {
		for i < len(have) && have[i].hash < f.hash {
			out = append(out, have[i])
			i++
		}
		if i == len(have) || have[i].hash != f.hash {
			out = append(out, f)
		}
	}
	return append(out, have[i:]...)
}

// importance is the composite importance of a leaf with this content that m pages contain: 1 − (Σ_i H_E(a_i)) / l over
// its l features. A leaf without content, nil, is equal on every page, so its importance is 0 (ours).
func (c *content) importance(m fixed) float64 {
	if m <= one {
		return 1
	}
	if c == nil || len(c.features) == 0 && c.rest == 0 {
		return 0
	}
	l := float64(len(c.features)) + float64(c.rest)
	logM, sum := math.Log(m.Float()), 0.0
	for _, f := range c.features {
		sum += f.Entropy(logM)
	}
	return 1 - sum/l
}

// trim evicts the rarest features until at most limit are left.
func (c *content) trim(limit int) {
	if limit < 0 || len(c.features) <= limit {
		return
	}
	totals := make([]fixed, len(c.features))
	for i, f := range c.features {
		totals[i] = f.Total
	}
	slices.Sort(totals)
	floor := totals[len(totals)-limit]
	spare := limit
	for _, f := range c.features {
		if f.Total > floor {
			spare--
		}
	}
	c.evict(func(f feature) bool {
		if f.Total != floor {
			return f.Total < floor
		}
		spare--
		return spare < 0
	})
}

// evict drops the features that match and counts them.
func (c *content) evict(match func(feature) bool) {
	before := len(c.features)
	c.features = slices.Clip(slices.DeleteFunc(c.features, match))
	c.rest += uint32(before - len(c.features))
}

// halve halves the sums and removes features that fall to zero.
func (c *content) halve() {
	for i := range c.features {
		c.features[i].Sums = c.features[i].Half()
	}
	c.features = slices.DeleteFunc(c.features, func(f feature) bool { return f.Total == 0 })
	c.rest /= 2
}
