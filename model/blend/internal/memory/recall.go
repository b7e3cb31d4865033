package memory

// Rate is how regularly something occurs, in shares of pages.
type Rate struct {
	// All is the share of all pages, since that of the pages since the first sighting.
	All, Since float32
	Count      float32
}

// Recall is a memory from the point of view of one page. When a learned page is fetched again, its own occurrence must
// not count as repetition. So recall subtracts one page from everything.
type Recall struct {
	Memory *Memory
	Own    uint32
}

// Pages is the number of other pages.
func (r Recall) Pages() uint32 { return r.Memory.Pages - min(r.Own, r.Memory.Pages) }

// RateOf returns how regularly something occurs that so many pages showed.
func (r Recall) RateOf(count uint32, a Age) Rate {
	if count <= r.Own {
		return Rate{}
	}
	count -= r.Own
	span := a.on(r.Memory.Pages) - r.Own
	return Rate{float32(count) / float32(r.Pages()), float32(count) / float32(max(span, count)), float32(count)}
}

// Rate returns how regularly the thing with a key occurs.
func (r Recall) Rate(key uint64) Rate {
	s, _ := r.Memory.Seen.Get(key)
	return r.RateOf(s.Count, s.Age)
}

// Place returns what is known about a place. It returns nothing if only the page itself has it.
func (r Recall) Place(key uint64) PlaceSums {
	p, _ := r.Memory.Places.Get(key)
	if p.Visits <= r.Own {
		return PlaceSums{}
	}
	return p
}
