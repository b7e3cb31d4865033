package fragments

import "slices"

// pair is two pages, the earlier first, and the length of their common chains.
type pair struct {
	a, b  int32
	bytes int64
}

// seeker finds the first pairs of successive clusters: the two free pages with the greatest length in common that are
// no duplicates. Of equal pairs it takes the one whose later page comes first, and of these the one whose earlier page
// comes first.
//
// Two rules keep it from trying all pairs. First, it remembers each page's nearest earlier page from one cluster to the
// next: that page stays the nearest as long as it is free. A page that cannot beat the best pair is skipped. Second, it
// compares a page only with the pages that share one of its rarer classes. The most frequent classes can be left out as
// long as they are too short together to make a better pair: any better pair must then share one of the rest (the
// prefix filter of Chaudhuri, Ganti and Kaushik, ICDE 2006, and Bayardo, Ma and Srikant, WWW 2007). The site's
// template, which all pairs share, is among the classes left out.
type seeker struct {
	x         *index
	free      []bool
	duplicate float64
	// nearest has, for each page b, the nearest page a before it and the length in common. It is only a bound where a
	// is unknown (-1) or no longer free.
	nearest []pair
	// shared is, during the search for one page, the length that other pages have in common with it in its rarer
	// classes. met lists those pages.
	shared []int64
	met    []int32
}

func newSeeker(x *index, free []bool, duplicate float64) *seeker {
	s := &seeker{x: x, free: free, duplicate: duplicate, nearest: make([]pair, len(free)), shared: make([]int64, len(free))}
	for b, classes := range x.of {
		s.nearest[b] = pair{a: -1, b: int32(b), bytes: x.bytesOf(classes)}
	}
	return s
}

// next returns the first pair of the next cluster, or false when there is none.
func (s *seeker) next() (best pair, ok bool) {
	floor := int64(1)
	for b, free := range s.free {
		if free && s.known(b) {
			floor = max(floor, s.nearest[b].bytes)
		}
	}
	for b, free := range s.free {
		if !free || s.nearest[b].bytes < floor {
			continue
		}
		if !s.known(b) {
			s.look(int32(b), floor/2) // lower than necessary, so that the result serves the next cluster too
		}
		if s.known(b) && s.nearest[b].bytes > best.bytes {
			best, ok = s.nearest[b], true
			floor = max(floor, best.bytes)
		}
	}
	return best, ok
}

// known reports whether the nearest page of b is known and free.
func (s *seeker) known(b int) bool { return s.nearest[b].a >= 0 && s.free[s.nearest[b].a] }

// look finds the nearest page before b if they have more than least in common. Otherwise least is the new bound.
func (s *seeker) look(b int32, least int64) {
	x, classes := s.x, s.x.of[b]
	best := pair{a: -1, b: b, bytes: least}
	rare, rest := x.split(classes, least)
	for _, c := range classes[:rare] {
		for _, a := range x.classes[c].pages {
			if a >= b {
				break
			}
			if !s.free[a] {
				continue
			}
			if s.shared[a] == 0 {
				s.met = append(s.met, a)
			}
			s.shared[a] += x.classes[c].bytes
		}
	}
	for _, a := range s.met {
		if s.shared[a]+rest >= best.bytes {
			if p := (pair{a, b, s.shared[a] + x.common(classes[rare:], x.of[a])}); p.nearer(best) && !s.duplicates(p) {
				best = p
			}
		}
		s.shared[a] = 0
	}
	s.met, s.nearest[b] = s.met[:0], best
}

// nearer reports whether p comes before q, a pair with the same later page.
func (p pair) nearer(q pair) bool { return p.bytes > q.bytes || p.bytes == q.bytes && p.a < q.a }

// duplicates reports whether the pages are too similar to begin a cluster.
func (s *seeker) duplicates(p pair) bool {
	return float64(p.bytes) > s.duplicate*float64(max(s.x.bytes[p.a], s.x.bytes[p.b]))
}

// bytesOf is the total length of the classes.
func (x *index) bytesOf(classes []int32) (bytes int64) {
	for _, c := range classes {
		bytes += x.classes[c].bytes
	}
	return bytes
}

// split drops the most frequent of a page's classes, as many as have at most the given length in total. It returns the
// number of classes left and the length of the dropped ones.
func (x *index) split(classes []int32, most int64) (rare int, rest int64) {
	rare = len(classes)
	for rare > 0 && rest+x.classes[classes[rare-1]].bytes <= most {
		rare--
		rest += x.classes[classes[rare]].bytes
	}
	return rare, rest
}

// common is the length of the classes that are in both lists. Both are ascending.
func (x *index) common(first, second []int32) (bytes int64) {
	if len(first) == 0 {
		return 0
	}
	j, _ := slices.BinarySearch(second, first[0])
	for i := 0; i < len(first) && j < len(second); {
		switch {
		case first[i] < second[j]:
			i++
		case first[i] > second[j]:
			j++
		default:
			bytes += x.classes[first[i]].bytes
			i, j = i+1, j+1
		}
	}
	return bytes
}
