package styletree

import (
	"math"
	"slices"
)

// fixed is an unsigned number in fixed point with 4 binary places: pages and occurrences are whole when they are added
// and lose half at each decay, so one page takes six decays to vanish. Addition stops at the greatest value, which
// keeps it associative and commutative.
type fixed uint32

// one is the weight of one page, or of one occurrence.
const one fixed = 1 << 4

func (f fixed) float() float64 { return float64(f) / float64(one) }

func (f fixed) plus(g fixed) fixed {
	if s := f + g; s >= f {
		return s
	}
	return math.MaxUint32
}

// logUnit is the unit of feature.clogc: 8 binary places.
const logUnit = 1 << 8

// feature holds the sums of one content feature of one leaf: with c_j its occurrences on page j, the total T = Σ c_j
// and Σ c_j·ln c_j. Its entropy over any number of pages m follows from them, see entropy.
type feature struct {
	// hash is the keyed hash cut to 32 bits: it only has to tell the few hundred features of one leaf apart.
	hash  uint32
	total fixed
	// clogc is Σ c·ln c in units of 1/logUnit. Each page's part is rounded before it is added, so the sum is exact.
	clogc uint32
}

// clogc returns c·ln c in units of 1/logUnit.
func clogc(c uint32) uint32 {
	if c < 2 {
		return 0
	}
	v := math.Round(float64(c) * math.Log(float64(c)) * logUnit)
	return uint32(min(v, math.MaxUint32))
}

// occurrences returns the sums of a feature that occurs c times on one page.
func occurrences(hash, c uint32) feature {
	return feature{hash: hash, total: fixed(min(uint64(c)*uint64(one), math.MaxUint32)), clogc: clogc(c)}
}

// plus returns the sums over the pages of both.
func (f feature) plus(g feature) feature {
	f.total = f.total.plus(g.total)
	if f.clogc += g.clogc; f.clogc < g.clogc {
		f.clogc = math.MaxUint32
	}
	return f
}

// entropy returns H_E(a) = −Σ_j p_j·log_m p_j with p_j = c_j/T, which is (ln T − (Σ c_j·ln c_j)/T) / ln m, in [0,1].
// logM is ln m, m > 1.
func (f feature) entropy(logM float64) float64 {
	if f.total <= one {
		return 0 // on one page only: the common case, and it needs no logarithm
	}
	t := f.total.float()
	h := (math.Log(t) - float64(f.clogc)/logUnit/t) / logM
	return min(max(h, 0), 1)
}

// content is what stands in a leaf on the pages of one style: its features, in order of hash.
type content struct {
	features []feature
	// rest is the number of features that were evicted. They were the rarest, so each counts as one without entropy:
	// that errs on the side of content.
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

// mergeNew returns have with those of more whose hashes it lacks, fresh of them, in order.
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

// importance is the composite importance of a leaf with this content that m pages contain:
// 1 − (Σ_i H_E(a_i)) / l over its l features. A leaf without content, nil, is the same on every page, so 0 (ours).
func (c *content) importance(m fixed) float64 {
	if m <= one {
		return 1
	}
	if c == nil || len(c.features) == 0 && c.rest == 0 {
		return 0
	}
	l := float64(len(c.features)) + float64(c.rest)
	logM, sum := math.Log(m.float()), 0.0
	for _, f := range c.features {
		sum += f.entropy(logM)
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
		totals[i] = f.total
	}
	slices.Sort(totals)
	floor := totals[len(totals)-limit]
	spare := limit
	for _, f := range c.features {
		if f.total > floor {
			spare--
		}
	}
	c.evict(func(f feature) bool {
		if f.total != floor {
			return f.total < floor
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

// halve decays the sums and drops what has vanished.
func (c *content) halve() {
	for i := range c.features {
		c.features[i].total /= 2
		c.features[i].clogc /= 2
	}
	c.features = slices.DeleteFunc(c.features, func(f feature) bool { return f.total == 0 })
	c.rest /= 2
}
