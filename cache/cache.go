// Package cache keeps the models of many hosts: in memory, bounded by bytes, over a [Store] that outlives the process.
// It also learns: pages are queued, off the request path, and a few learners feed them to the models in order.
//
// Two things are promised. Memory is bounded, whatever the traffic. And a page that was learned is never lost to
// eviction or to a load at the wrong moment: a changed model leaves memory only after the store has taken it.
package cache

import (
	"context"
	"errors"
)

// Errors that Models and stores return, wrapped with what happened to what.
var (
	// ErrNotFound says that there is no model of the host.
	ErrNotFound = errors.New("no model of this host")
	// ErrClosed says that the Models or the Store was closed.
	ErrClosed = errors.New("closed")
	// ErrReset says that a store lost everything that it had: its file was damaged, was set aside, and a fresh one
	// takes its place. Models then saves all that it has in memory again.
	ErrReset = errors.New("the store was damaged and starts afresh")
	// ErrPanic says that a detector panicked. The stack is in the log.
	ErrPanic = errors.New("detector panicked")
)

// Store keeps encoded models by host. It is safe for concurrent use. The values are opaque to it, but for [Describe]:
// Models seals each in an envelope that names its detector and ends in a checksum, so a store need not detect damaged
// values itself. A value that is handed in or out belongs to whoever receives it. Package storetest has the tests that
// every Store should pass.
type Store interface {
	// Load returns the value of host, or ErrNotFound (wrapped).
	Load(ctx context.Context, host string) ([]byte, error)
	// Save stores the values in one batch: all of them or, when it returns an error, none. A store that is full may leave
	// out the least useful ones.
	Save(ctx context.Context, models map[string][]byte) error
	// SetAside moves the value of host out of the way, for a person to look at; Load then returns ErrNotFound. One
	// value is kept aside per host, the newest. A host without a value is no error.
	SetAside(ctx context.Context, host string) error
	// Delete removes all that the store has of host, values set aside and those of other detectors included, so that
	// nothing can be recovered from the store. A host without a value is no error.
	Delete(ctx context.Context, host string) error
	// Stat describes the value of host without reading all of it, or returns ErrNotFound (wrapped).
	Stat(ctx context.Context, host string) (Info, error)
	// List describes the values that Load would find, in the order of their hosts' names, without reading all of them.
	List(ctx context.Context) ([]Info, error)
	// Close releases the store. Calls after it return ErrClosed; another Close does nothing.
	Close() error
}

// Bounded is a Store whose size has a bound. It is safe for concurrent use.
type Bounded interface {
	Store
	// Size returns the size of the store and its bound in bytes, 0 where there is none.
	Size() (bytes, limit int64)
	// Evicted returns how many models were removed, or not stored, to keep to the bound.
	Evicted() uint64
}

// Info describes one stored value.
type Info struct {
	Host string
	// Size is the length of the value in bytes.
	Size int
	Summary
}
