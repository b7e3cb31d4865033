package blend

import "github.com/winnow-proxy/winnow/model/page"

// memory is what a host's pages have taught: only counts by keyed hash. Everything in it is a sum over pages, so two
// memories of one host add up.
type memory struct {
	// pages is the number of pages learned.
	pages uint32
	// seen counts the pages that showed a text, a masked text, a link, a subtree, or a text at a place.
	seen hashTable[sighting]
	// places sums up the contents of places. A place is the path of an element, or an id or class anywhere.
	places hashTable[placeStat]
	// budget is the most bytes that the memory may take.
	budget int
}

// newMemory returns an empty memory that takes at most the given number of bytes.
func newMemory(bytes int) *memory {
	return &memory{budget: bytes}
}

// sighting says how often something occurred.
type sighting struct {
	// count is the number of pages that showed it.
	count uint32
	age
}

// age is the number of pages learned since the first that showed something, including that one.
type age struct {
	// span is that number at the time when at pages were learned.
	span, at uint32
}

// on returns the number when the given number of pages has been learned.
func (a age) on(pages uint32) uint32 { return a.span + pages - a.at }

// show updates the age for the newest of the pages. known says that an earlier page showed the thing too.
func (a *age) show(pages uint32, known bool) {
	if known {
		a.span = a.on(pages)
	} else {
		a.span = 1
	}
	a.at = pages
}

// placeStat sums up one place.
type placeStat struct {
	// visits is the number of pages that have the place, finds the number of its occurrences on them, novel the number
	// of occurrences whose text or subtree was new at this place.
	visits, finds, novel uint32
	// score, links and words are sums over finds: the page score and the link density in 1/255, the logarithm of the
	// number of words in 1/16. fresh is the sum of the shares of the pages' new words found here, in 1/255.
	score, links, words, fresh uint32
	age
}

// sum adds the sums of o. It leaves the age as it is.
func (p *placeStat) sum(o *placeStat) {
	p.visits, p.finds, p.novel, p.fresh = p.visits+o.visits, p.finds+o.finds, p.novel+o.novel, p.fresh+o.fresh
	p.score, p.links, p.words = p.score+o.score, p.links+o.links, p.words+o.words
}

// A salt keeps the hashes of different things apart.
const (
	saltText uint64 = iota + 1
	saltMasked
	saltLink
	saltSubtree
	saltAtPlace
	saltMaskedAtPlace
	saltBlockPlace
	saltElemPlace
	saltSpot
	saltLabel
	saltVisited
	saltTitle
	saltTeaser
)

// increment returns what a page adds to the memory, as a memory of that page alone. scores are the page scores of its
// blocks, in [0,1]. What is novel and fresh on the page follows from the pages before.
func (m *memory) increment(v *view, scores []float32) *memory {
	// Most blocks and elements bring a few things each that are new to the page.
	page := &memory{budget: m.budget, seen: newHashTable[sighting](4 * len(v.blocks)), places: newHashTable[placeStat](len(v.blocks))}
	(&learner{host: m, into: page}).learn(v, scores)
	return page
}

// learn adds a page, like the increment that it brings.
func (m *memory) learn(v *view, scores []float32) {
	(&learner{host: m, into: m}).learn(v, scores)
	m.settle()
}

// learn adds the things of one page.
func (l *learner) learn(v *view, scores []float32) {
	ev, mean := recall{m: l.host}.read(v), v.meanScores(scores)
	m := v.reader.measurer(v.hash, 0) // for its counters
	defer m.release()
	l.seen, l.places = m.counter(0, 4*len(v.blocks)), m.counter(1, len(v.blocks)+len(v.elems))
	l.into.pages++
	for i := range v.blocks {
		b := &v.blocks[i]
		l.sight(mix(b.text, saltText))
		l.sight(mix(b.masked, saltMasked))
		if b.link != 0 {
			l.sight(mix(b.link, saltLink))
		}
		l.sight(mix(mix(b.place, b.masked), saltMaskedAtPlace))
		novel := l.sight(mix(mix(b.place, b.text), saltAtPlace))
		fresh := float32(0)
		if ev.isNew(i) {
			fresh = float32(b.words)
		}
		l.find(mix(b.place, saltBlockPlace), finding{novel, scores[i], fresh / max(ev.fresh[0], 1), b.size})
		if b.label.kind != 0 {
			novel := l.sight(mix(mix(b.label.label, b.label.text), saltLabel))
			l.find(mix(b.label.label, saltLabel), finding{novel, scores[i], 0, b.size})
		}
	}
	l.learnAddress(v)
	for e := range v.elems {
		el := &v.elems[e]
		if el.blocks == 0 || page.ElementID(e) <= v.p.Body {
			continue
		}
		f := finding{l.sight(mix(el.subtree, saltSubtree)), mean[e], ev.fresh[e] / max(ev.fresh[0], 1), el.size}
		l.find(mix(el.place, saltElemPlace), f)
		if el.spot != 0 {
			l.find(mix(el.spot, saltSpot), f)
		}
	}
}

// add adds an increment. Its page counts as the newest, so everything known before is a page older.
func (m *memory) add(page *memory) {
	m.pages += page.pages
	for k, s := range page.seen.all() {
		mine, known := m.seen.at(k)
		mine.count += s.count
		mine.show(m.pages, known)
	}
	for k, p := range page.places.all() {
		mine, known := m.places.at(k)
		mine.sum(p)
		mine.show(m.pages, known)
	}
	m.settle()
}

// meanScores returns the mean of the scores of the blocks below each element, weighted by their words.
func (v *view) meanScores(scores []float32) []float32 {
	sum, weight := make([]float32, len(v.elems)), make([]float32, len(v.elems))
	for i := range v.blocks {
		e, w := v.p.Blocks[i].Element, float32(v.blocks[i].words)+1
		sum[e] += w * scores[i]
		weight[e] += w
	}
	for e := len(v.elems) - 1; e > 0; e-- {
		up := v.p.Elements[e].Parent
		sum[up] += sum[e]
		weight[up] += weight[e]
	}
	for e := range sum {
		if weight[e] > 0 {
			sum[e] /= weight[e]
		}
	}
	return sum
}

// learner adds the things of one page to a memory, and compares them with what the host has shown before. into is the
// memory of the host itself, or an increment.
type learner struct {
	host, into *memory
	// seen and places are the keys on the page so far.
	seen, places *openTable[int32]
}

// sight counts the key, once on a page, and reports whether it is new.
func (l *learner) sight(key uint64) (novel bool) {
	again := l.seen.of(key)
	if *again > 0 {
		return false
	}
	*again = 1
	s, known := l.into.seen.at(key)
	s.count++
	s.show(l.into.pages, known)
	if l.into != l.host {
		_, known = l.host.seen.get(key)
	}
	return !known
}

// finding is one occurrence of a place.
type finding struct {
	novel        bool
	score, fresh float32
	size
}

// find adds an occurrence of a place.
func (l *learner) find(key uint64, f finding) {
	p, known := l.into.places.at(key)
	if again := l.places.of(key); *again == 0 {
		*again = 1
		p.visits++
		p.show(l.into.pages, known)
	}
	p.finds++
	if f.novel {
		p.novel++
	}
	p.score += uint32(f.score*255 + .5)
	p.links += uint32(f.linkDensity()*255 + .5)
	p.words += uint32(log1(f.words)*16 + .5)
	p.fresh += uint32(f.fresh*255 + .5)
}

// rate is how regularly something occurs, in shares of pages.
type rate struct {
	// all is the share of all pages, since that of the pages since the first sighting.
	all, since float32
	count      float32
}

// recall is a memory from the point of view of one page. When a learned page is fetched again, its own occurrence must
// not count as repetition. So recall subtracts one page from everything.
type recall struct {
	m   *memory
	own uint32
}

// pages is the number of other pages.
func (r recall) pages() uint32 { return r.m.pages - min(r.own, r.m.pages) }

func (r recall) rateOf(count uint32, a age) rate {
	if count <= r.own {
		return rate{}
	}
	count -= r.own
	span := a.on(r.m.pages) - r.own
	return rate{float32(count) / float32(r.pages()), float32(count) / float32(max(span, count)), float32(count)}
}

func (r recall) rate(key uint64) rate {
	s, _ := r.m.seen.get(key)
	return r.rateOf(s.count, s.age)
}

// place returns what is known about a place. It returns nothing if only the page itself has it.
func (r recall) place(key uint64) placeStat {
	p, _ := r.m.places.get(key)
	if p.visits <= r.own {
		return placeStat{}
	}
	return p
}
