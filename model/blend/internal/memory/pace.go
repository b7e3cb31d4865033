package memory

// A page of a host that is well known teaches little, and learning it costs as much as writing it. So such a host
// learns only one in every few of the pages that look like those before. It learns each page that looks different.
// Where many do, as after a redesign, it learns every page again until it knows the new ones as well.

const (
	// FamiliarPages is the least number of pages that a host has learned, since it looked different, before it leaves
	// pages out.
	FamiliarPages = 24
	// MaxInterval is the greatest number of familiar pages of which a host learns one.
	MaxInterval = 8
	// RedesignShare is the running share of pages that look different from which on a host starts anew.
	RedesignShare = .4
	// newestWeight is the weight of the newest page in running means.
	newestWeight = 1. / 8
)

// Pace decides which pages a host learns. It is not part of the encoding.
type Pace struct {
	// Learned is the number of pages learned since the host looked different.
	Learned int
	// Interval is the number of familiar pages of which one is learned, 0 for 1. left is the number of those left out
	// since the last page that was learned.
	Interval, left int
	// Skipped is the number of pages left out.
	Skipped int
	// Usual is the running mean of the looks of the host's pages, different the running share of those that look
	// different.
	Usual     Looks
	Different float32
	// Started says that these have values.
	Started bool
}

// Looks says what part of a page earlier pages had.
type Looks struct {
	// Repeated is the number of words in texts that earlier pages had, weighted by how regularly they occur.
	Repeated float32
	// Strange is the share of blocks in places that few earlier pages had.
	Strange float32
	// Changed is the share of blocks with a new text in places where the text is nearly always one of the known ones.
	Changed float32
}

// Skips reports whether a page that looks like this may be left out by a host that has learned so many pages. It notes
// the page.
func (p *Pace) Skips(l Looks, pages uint32) bool {
	if !p.Started {
		p.Started, p.Usual, p.Learned = true, l, int(pages)
	}
	familiar := p.isFamiliar(l)
	p.note(l, familiar)
	if familiar && p.Learned >= FamiliarPages && p.left+1 < p.Interval {
		p.left++
		p.Skipped++
		return true
	}
	p.Learned++
	p.left = 0
	switch {
	case p.Different > RedesignShare:
		p.Learned, p.Interval = 0, 0
	case familiar && p.Learned > FamiliarPages:
		p.Interval = min(max(2*p.Interval, 1), MaxInterval)
	case !familiar:
		p.Interval /= 2
	}
	return false
}

// isFamiliar reports whether a page looks like the usual ones.
func (p *Pace) isFamiliar(l Looks) bool {
	return l.Repeated >= .5*p.Usual.Repeated && l.Strange <= p.Usual.Strange+.3 && l.Changed <= p.Usual.Changed+.05
}

// note adds a page to the running means.
func (p *Pace) note(l Looks, familiar bool) {
	different := float32(1)
	if familiar {
		different = 0
	}
	p.Different += (different - p.Different) * newestWeight
	p.Usual.Repeated += (l.Repeated - p.Usual.Repeated) * newestWeight
	p.Usual.Strange += (l.Strange - p.Usual.Strange) * newestWeight
	p.Usual.Changed += (l.Changed - p.Usual.Changed) * newestWeight
}
