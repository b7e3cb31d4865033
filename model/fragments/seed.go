package fragments

import "slices"

// pair is two pages, the earlier first, and the length that they have in common.
type pair struct {
	a, b  int32
	bytes int64
}

// seeker finds the first pair of one cluster after the other: of the free pages the two with the greatest length in
// common that are no duplicates. Of equal pairs it is the one whose later page comes first, and of these the one whose
// earlier page does.
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
	// nearest has, for each page b, the nearest page a before it and what the two have in common. It is a bound alone
	// where a is not known (-1) or no longer free.
	nearest []pair
	// shared is, while one page is looked at, the length that others have in common with it in its rarer classes; met
	// are those others.
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

// next returns the first pair of the next cluster, false where there is none.
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
			s.look(int32(b), floor/2) // lower than necessary, so that it is known for the next cluster too
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

// look finds the nearest page before b, if they have more than least in common; else least is the new bound.
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

// nearer reports whether p is to be taken before q, a pair of the same later page.
func (p pair) nearer(q pair) bool { return p.bytes > q.bytes || p.bytes == q.bytes && p.a < q.a }

// duplicates reports whether the pages are too much alike to begin a cluster.
func (s *seeker) duplicates(p pair) bool {
	return float64(p.bytes) > s.duplicate*float64(max(s.x.bytes[p.a], s.x.bytes[p.b]))
}

// bytesOf is the length of the classes together.
func (x *index) bytesOf(classes []int32) (bytes int64) {
	for _, c := range classes {
		bytes += x.classes[c].bytes
	}
	return bytes
}

// split returns how many of a page's classes are left when the most frequent ones go, as many as come to at most the
// given length together, and what these come to.
func (x *index) split(classes []int32, most int64) (rare int, rest int64) {
	rare = len(classes)
	for rare > 0 && rest+x.classes[classes[rare-1]].bytes <= most {
		rare--
		rest += x.classes[classes[rare]].bytes
	}
	return rare, rest
}

// common is the length of the classes that are among the first and the second, both ascending.
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
