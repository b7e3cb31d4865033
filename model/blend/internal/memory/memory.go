// Package memory has what the pages of one host have taught: counts by keyed hash. Everything in it is a sum over
// pages, so that two memories of one host add up.
package memory

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
)

// Memory is what a host's pages have taught: only counts by keyed hash. Everything in it is a sum over pages, so two
// memories of one host add up.
type Memory struct {
	// Pages is the number of pages learned.
	Pages uint32
	// Seen counts the pages that showed a text, a masked text, a link, a subtree, or a text at a place.
	Seen hashes.Table[sighting]
	// Places sums up the contents of places. A place is the path of an element, or an id or class anywhere.
	Places hashes.Table[PlaceSums]
	// Budget is the most bytes that the memory may take.
	Budget int
}

// NewMemory returns an empty memory that takes at most the given number of bytes.
func NewMemory(bytes int) *Memory {
	return &Memory{Budget: bytes}
}

// sighting says how often something occurred.
type sighting struct {
	// Count is the number of pages that showed it.
	Count uint32
	Age
}

// Age is the number of pages learned since the first that showed something, including that one.
type Age struct {
	// span is that number at the time when at pages were learned.
	span, at uint32
}

// on returns the number when the given number of pages has been learned.
func (a Age) on(pages uint32) uint32 { return a.span + pages - a.at }

// show updates the age for the newest of the pages. known says that an earlier page showed the thing too.
func (a *Age) show(pages uint32, known bool) {
	if known {
		a.span = a.on(pages)
	} else {
		a.span = 1
	}
	a.at = pages
}

// PlaceSums sums up one place.
type PlaceSums struct {
	// Visits is the number of pages that have the place, finds the number of its occurrences on them, novel the number
	// of occurrences whose text or subtree was new at this place.
	Visits, Finds, Novel uint32
	// Score, Links and Words are sums over finds: the page score and the link density in 1/255, the logarithm of the
	// number of words in 1/16. Fresh is the sum of the shares of the pages' new words found here, in 1/255.
	Score, Links, Words, Fresh uint32
	// Mass is the sum of the shares of the pages' content that was found here, by the page scores, in 1/255.
	Mass uint32
	Age
}

// sum adds the sums of o. It leaves the age as it is.
func (p *PlaceSums) sum(o *PlaceSums) {
	p.Visits, p.Finds, p.Novel, p.Fresh = p.Visits+o.Visits, p.Finds+o.Finds, p.Novel+o.Novel, p.Fresh+o.Fresh
	p.Score, p.Links, p.Words, p.Mass = p.Score+o.Score, p.Links+o.Links, p.Words+o.Words, p.Mass+o.Mass
}

// A salt keeps the hashes of different things apart.
const (
	SaltText uint64 = iota + 1
	saltMasked
	SaltLink
	SaltSubtree
	SaltAtPlace
	SaltMaskedAtPlace
	SaltBlockPlace
	SaltElemPlace
	SaltSpot
	SaltLabel
	SaltVisited
	SaltTitle
	SaltTeaser
)
