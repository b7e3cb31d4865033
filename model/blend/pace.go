package blend

// A page of a host that is well known teaches little, and learning it costs as much as writing it. So such a host
// learns only one in every few of the pages that look like those before. It learns each page that looks different.
// Where many do, as after a redesign, it learns every page again until it knows the new ones as well.

const (
	// settledPages is the least number of pages that a host has learned, since it looked different, before it leaves
	// pages out.
	settledPages = 24
	// rarest is the greatest number of familiar pages of which a host learns one.
	rarest = 8
	// upheaval is the running share of pages that look different from which on a host starts anew.
	upheaval = .4
	// newest is the weight of the newest page in running means.
	newest = 1. / 8
)

// pace decides which pages a host learns. It is not part of the encoding.
type pace struct {
	// learned is the number of pages learned since the host looked different.
	learned int
	// every is the number of familiar pages of which one is learned, 0 for 1. left is the number of those left out
	// since the last page that was learned.
	every, left int
	// skipped is the number of pages left out.
	skipped int
	// usual is the running mean of the looks of the host's pages, different the running share of those that look
	// different.
	usual     looks
	different float32
	// began says that these have values.
	began bool
}

// looks says what part of a page earlier pages had.
type looks struct {
	// repeated is the number of words in texts that earlier pages had, weighted by how regularly they occur.
	repeated float32
	// strange is the share of blocks in places that few earlier pages had.
	strange float32
	// changed is the share of blocks with a new text in places where the text is nearly always one of the known ones.
	changed float32
}

// skips reports whether a page that looks like this may be left out by a host that has learned so many pages. It notes
// the page.
func (p *pace) skips(l looks, pages uint32) bool {
	if !p.began {
		p.began, p.usual, p.learned = true, l, int(pages)
	}
	familiar := p.isFamiliar(l)
	p.note(l, familiar)
	if familiar && p.learned >= settledPages && p.left+1 < p.every {
		p.left++
		p.skipped++
		return true
	}
	p.learned++
	p.left = 0
	switch {
	case p.different > upheaval:
		p.learned, p.every = 0, 0
	case familiar && p.learned > settledPages:
		p.every = min(max(2*p.every, 1), rarest)
	case !familiar:
		p.every /= 2
	}
	return false
}

// isFamiliar reports whether a page looks like the usual ones.
func (p *pace) isFamiliar(l looks) bool {
	return l.repeated >= .5*p.usual.repeated && l.strange <= p.usual.strange+.3 && l.changed <= p.usual.changed+.05
}

// note adds a page to the running means.
func (p *pace) note(l looks, familiar bool) {
	different := float32(1)
	if familiar {
		different = 0
	}
	p.different += (different - p.different) * newest
	p.usual.repeated += (l.repeated - p.usual.repeated) * newest
	p.usual.strange += (l.strange - p.usual.strange) * newest
	p.usual.changed += (l.changed - p.usual.changed) * newest
}

const (
	// fewVisits is the least number of pages that must have had a place before it is no longer strange.
	fewVisits = 12
	// constant is the least number of occurrences of a place whose text counts as constant, and rarelyNew the greatest
	// share of them whose text was new.
	constant  = 8
	rarelyNew = .25
	// few is the number of changed blocks that say nothing.
	few = 2
)

// looks sums up what is new on the page.
func (ev *evidence) looks() looks {
	l := looks{repeated: ev.repeated[0]}
	for i := range ev.v.blocks {
		p := &ev.places[i]
		if p.visits < fewVisits {
			l.strange++
		}
		if ev.isNew(i) && p.finds >= constant && float32(p.novel) <= rarelyNew*float32(p.finds) {
			l.changed++
		}
	}
	l.strange /= float32(len(ev.v.blocks))
	l.changed = max(0, l.changed-few) / float32(len(ev.v.blocks))
	return l
}
