// Package cache keeps the models of many hosts in memory, bounded by bytes, on top of a [Store] that outlives the
// process. It also learns: pages are queued off the request path, and a few learners feed them to the models in order.
//
// The package gives two guarantees. Memory is bounded, whatever the traffic. A learned page is never lost to an
// eviction or to a load at the wrong moment: a changed model leaves memory only after the store has saved it.
package cache

import (
	"context"
	"errors"
)

// Errors that Models and stores return, wrapped with the host and the operation.
var (
	// ErrNotFound says that there is no model of the host.
	ErrNotFound = errors.New("no model of this host")
	// ErrClosed says that the Models or the Store was closed.
	ErrClosed = errors.New("closed")
	// ErrReset says that a store lost all its values: its file was damaged and was set aside, and the store continues
	// with an empty file. Models then saves again everything that it has in memory.
	ErrReset = errors.New("the store was damaged and starts afresh")
	// ErrPanic says that a detector panicked. The stack is in the log.
	ErrPanic = errors.New("detector panicked")
)

// Store keeps encoded models by host. It is safe for concurrent use. A store does not interpret the values, except
// through [Describe]. Models seals each value in an envelope with the detector's name and a checksum, so a store need
// not detect damaged values itself. A value that is passed in or returned belongs to the receiver. Package storetest
// has the tests that every Store should pass.
type Store interface {
	// Load returns the value of host, or ErrNotFound (wrapped).
	Load(ctx context.Context, host string) ([]byte, error)
	// Save stores the values in one batch: all of them or, when it returns an error, none. A full store may leave out
	// the least useful ones.
	Save(ctx context.Context, models map[string][]byte) error
	// SetAside moves the value of host out of the way, so that a person can look at it. Load then returns ErrNotFound.
	// The store keeps only the newest such value per host. A host without a value is no error.
	SetAside(ctx context.Context, host string) error
	// Delete removes everything that the store has of host, including values that were set aside and values of other
	// detectors. Nothing can be recovered from the store afterwards. A host without a value is no error.
	Delete(ctx context.Context, host string) error
	// Stat describes the value of host without reading all of it, or returns ErrNotFound (wrapped).
	Stat(ctx context.Context, host string) (Info, error)
	// List describes the values that Load would find, ordered by host name, without reading all of them.
	List(ctx context.Context) ([]Info, error)
	// Close releases the store. Calls after it return ErrClosed; another Close does nothing.
	Close() error
}

// Bounded is a Store whose size has a bound. It is safe for concurrent use.
type Bounded interface {
	Store
	// Size returns the size of the store and its bound in bytes. The bound is 0 where there is none.
	Size() (bytes, limit int64)
	// Evicted returns how many models were removed, or not stored, to stay within the bound.
	Evicted() uint64
}

// Info describes one stored value.
type Info struct {
	Host string
	// Size is the length of the value in bytes.
	Size int
	Summary
}
