// Package model defines the model of one host. The model observes pages, marks a page with what it has learned, merges
// with the models of other replicas, and encodes itself for a store. Each detector makes models of one kind and has its
// own package below this one; package detectors lists them by name.
//
// Vocabulary: a model observes a page to learn it. It marks a page, and the result is a marking ([page.Marking]): a
// verdict for each block (content or noise, with a score) and marks on the elements to remove.
//
// Nothing here imports net/http or reads the clock: callers pass times and URLs in.
package model

import (
	"cmp"
	"errors"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
)

// Visit says where and when a page was fetched.
type Visit struct {
	// URL is the absolute URL of the page. A model keeps at most a keyed hash of it.
	URL string
	// At is the time of the fetch.
	At time.Time
	// Fresh says that the page is judged as the first of its host, whatever the host's model knows. Detectors need not
	// look at it: who keeps models gives them a new one.
	Fresh bool
	// Salt keeps apart what a detector remembers of the texts that it has read, so that nobody finds out by the time of a
	// judgement what others have read.
	Salt uint64
	// Reading is that of the page's marking ([page.Marking]), if the page was marked just now: a model that learns the
	// page then need not read it again. It may be nil.
	Reading page.Reading
}

// Detector makes host models of one kind.
type Detector interface {
	// Name is the name that selects the detector ("blend", "sst").
	Name() string
	// New returns a model that has learned no page. It keys its hashes with key.
	New(key Key) Host
	// Decode reads what Host.Encode wrote. It returns ErrFormat (wrapped) for damaged, foreign or newer input, and
	// never panics on hostile bytes.
	Decode(key Key, b []byte) (Host, error)
}

// Host is the model of one host. Mark, Encode and Stats only read, so they may run concurrently. Observe and Merge need
// exclusive access.
type Host interface {
	// Observe learns the page. The same URL counts once: the sums stay unchanged when it is observed again, and models
	// that keep records of single pages keep the record of the later visit. A model may leave out pages that it has marked
	// and that teach nothing new.
	Observe(p *page.Page, v Visit)
	// Mark marks the page with what other pages taught. It works from the first page on. The visit tells whether the
	// model has learned this very page: when a page is fetched again, its own text is no repetition.
	Mark(p *page.Page, v Visit) *page.Marking
	// Merge adds what other has learned, in a replica or an export. other must belong to the same detector and key and
	// stays unchanged. If one of the two models has learned all pages of the other one, the result is that model.
	// Otherwise a page that both have learned may count twice in their sums. Merging is associative and commutative as
	// long as no page counts twice and nothing decays or is evicted.
	Merge(other Host) error
	// Encode returns the versioned compact encoding, at most Limits.Encoded bytes.
	Encode() ([]byte, error)
	// Stats describes the model for listings and budgets.
	Stats() Stats
}

// Incremental is a Host that tells other replicas page by page what it learns. What a page teaches may depend on the
// pages before it, such as which texts were new.
type Incremental interface {
	Host
	// Increment returns what the page teaches the model, as a model of that page alone: Add(Increment(p, v)) is
	// Observe(p, v). It notes the visit, and returns nil if that is all: the page is known, has no text, or is left out.
	Increment(p *page.Page, v Visit) Host
	// Add adds an increment that this model or another replica's has returned. Its page counts as the newest one. A page
	// that is known adds nothing.
	Add(increment Host) error
}

// Stats describes a host model.
type Stats struct {
	// Pages is the number of distinct pages learned, before any decay.
	Pages int `json:"pages"`
	// Skipped is the number of pages that the model has left out since it was made or decoded, because they taught nothing
	// new.
	Skipped int `json:"skipped,omitempty"`
	// Bytes is the approximate size in memory.
	Bytes int `json:"bytes"`
	// Taught is the number of lessons in force that people gave (package taught).
	Taught int `json:"taught,omitempty"`
	// LastSeen is the time of the newest visit.
	LastSeen time.Time `json:"last_seen"`
}

// Limits are the hard budgets of one host model.
type Limits struct {
	// Memory is the most bytes that the model may take in memory, Encoded the most bytes of its encoding.
	Memory, Encoded int
}

// DefaultLimits are 1 MiB in memory and 256 KiB encoded.
func DefaultLimits() Limits { return Limits{Memory: 1 << 20, Encoded: 256 << 10} }

// OrDefault returns the limits and replaces zeros with the values of [DefaultLimits].
func (l Limits) OrDefault() Limits {
	d := DefaultLimits()
	return Limits{Memory: cmp.Or(l.Memory, d.Memory), Encoded: cmp.Or(l.Encoded, d.Encoded)}
}

// The errors of host models. Functions wrap them with the operation and its subject.
var (
	// ErrFormat says that the bytes are no model of this detector or were written by a newer version.
	ErrFormat = errors.New("not a model that this version can read")
	// ErrMismatch says that two models can't be merged because their detectors or keys differ.
	ErrMismatch = errors.New("models of different detectors or keys")
)
