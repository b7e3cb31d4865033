// Package model says what a host's model is: something that observes pages, marks a page with what it has learned,
// merges with the models of other replicas, and encodes itself for a store. Each detector lives in a package below;
// package detectors lists them by name.
//
// Nothing here knows net/http or the clock: time and URLs are handed in.
package model

import (
	"cmp"
	"errors"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
)

// Visit says where and when a page was seen.
type Visit struct {
	// URL is the absolute URL that the page was fetched by. Models keep a keyed hash of it at most.
	URL string
	// At is the time of the fetch.
	At time.Time
}

// Detector makes host models of one kind.
type Detector interface {
	// Name is the name that selects the detector ("blend", "sst").
	Name() string
	// New returns a model that has seen no page. Its hashes are keyed with key.
	New(key Key) Host
	// Decode reads what Host.Encode wrote. It returns ErrFormat (wrapped) for damaged, foreign or newer input, and
	// never panics on hostile bytes.
	Decode(key Key, b []byte) (Host, error)
}

// Host is the model of one host. Mark, Encode and Stats only read, so they may run side by side; Observe and Merge
// need the model alone.
type Host interface {
	// Observe learns the page. The same URL seen again counts once: sums stay as they are, and models that keep what
	// pages left keep that of the later visit.
	Observe(p *page.Page, v Visit)
	// Mark judges the page with what other pages taught; it answers from the first page on. The visit tells whether the
	// page itself is one of those that were learned: it must not take its own text for a repetition when it is fetched
	// again.
	Mark(p *page.Page, v Visit) *page.Marking
	// Merge adds what other has learned, in a replica or an export. other must be of the same detector and key and is
	// left as it was. Merging is associative and commutative as long as nothing decays or is evicted.
	Merge(other Host) error
	// Encode returns the versioned compact encoding, at most Limits.Encoded bytes.
	Encode() ([]byte, error)
	// Stats describes the model for listings and budgets.
	Stats() Stats
}

// Stats describes a host model.
type Stats struct {
	// Pages is the number of distinct pages learned, decay left out.
	Pages int `json:"pages"`
	// Bytes is the approximate size in memory.
	Bytes int `json:"bytes"`
	// LastSeen is the time of the newest visit.
	LastSeen time.Time `json:"last_seen"`
}

// Limits are the hard budgets of one host model.
type Limits struct {
	// Memory is the most bytes that the model may take in memory, Encoded in its encoding.
	Memory, Encoded int
}

// DefaultLimits are 1 MiB in memory and 256 KiB encoded.
func DefaultLimits() Limits { return Limits{Memory: 1 << 20, Encoded: 256 << 10} }

// OrDefault returns the limits with those of [DefaultLimits] in place of zeros.
func (l Limits) OrDefault() Limits {
	d := DefaultLimits()
	return Limits{Memory: cmp.Or(l.Memory, d.Memory), Encoded: cmp.Or(l.Encoded, d.Encoded)}
}

// Errors that the functions of host models return, wrapped with what happened to what.
var (
	// ErrFormat says that bytes are not a model of this detector, or of a newer version.
	ErrFormat = errors.New("not a model that this version can read")
	// ErrMismatch says that two models can't be merged: another detector or another key.
	ErrMismatch = errors.New("models of different detectors or keys")
)
