package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/taught"
)

// Shared is a Store that shares what several replicas learn. Every replica keeps models of its own and learns at once;
// the store carries the changes from one to the others. It is safe for concurrent use.
type Shared interface {
	Store
	// Publish queues a change for the other replicas. It never blocks. Where there is no room, the change is dropped
	// and counted.
	Publish(c Change)
	// Follow passes the changes of all replicas, including this one, to r. It does so one at a time, in the same order
	// for all replicas, and at least once. It returns when ctx ends. Only one call may run at a time.
	Follow(ctx context.Context, r Replica)
	// Checkpoint returns a function to call after everything that Follow passed on before Checkpoint was saved. After a
	// restart, Follow continues there.
	Checkpoint() (saved func(context.Context) error)
	// Sharing describes the exchange with the other replicas. It is cheap.
	Sharing() Sharing
}

// Replica receives the changes that a Shared store passes on. Models implement it.
type Replica interface {
	// Apply applies a change. It returns an error that wraps model.ErrFormat or model.ErrMismatch for a value that this
	// replica can't use.
	Apply(ctx context.Context, c Change) error
	// Snapshot returns the model of host, sealed for the store.
	Snapshot(ctx context.Context, host string) ([]byte, error)
}

// Change is what one replica tells the others about the model of a host. Applying a change twice is the same as
// applying it once.
type Change struct {
	Kind ChangeKind
	Host string
	// Value is a sealed model, nil for Forgotten.
	Value []byte
}

// ChangeKind says what to do with the value of a change.
type ChangeKind uint8

// The kinds of changes. Their numbers are part of the form in which stores keep changes.
const (
	// Learned: the value is what one page taught ([model.Incremental]).
	Learned ChangeKind = iota + 1
	// Merged: the value adds to the model. It is an import, or has only lessons.
	Merged
	// Replaced: the value replaces the model.
	Replaced
	// Offered: the value replaces a model that has learned fewer pages.
	Offered
	// Forgotten: the model is removed.
	Forgotten
)

// Sharing describes how a replica exchanges changes with the others.
type Sharing struct {
	// Server is the address of the server, without credentials, and Stream the name of what the fleet shares there.
	Server string `json:"server"`
	Stream string `json:"stream"`
	// Connected says that changes are being exchanged. Error says why not, or why some could not be sent.
	Connected bool   `json:"connected"`
	Error     string `json:"error,omitempty"`
	// Since is when Connected last changed.
	Since time.Time `json:"since"`
	// Behind is the number of changes that the server had for this replica and that are not applied yet, as of the
	// newest message.
	Behind uint64 `json:"behind"`
	// Unsent is the number of own changes that the server has not acknowledged, UnsentBytes their size.
	Unsent      int   `json:"unsent"`
	UnsentBytes int64 `json:"unsent_bytes"`
	// Sent and Applied count changes. Dropped counts own changes that other replicas will not get.
	Sent    uint64 `json:"sent"`
	Applied uint64 `json:"applied"`
	Dropped uint64 `json:"dropped"`
	// Skipped counts messages that could not be used, by reason.
	Skipped map[string]uint64 `json:"skipped"`
}

// Sharing describes the exchange with other replicas. It returns false for models that are not shared. It is cheap.
func (m *Models) Sharing() (Sharing, bool) {
	if m.shared == nil {
		return Sharing{}, false
	}
	return m.shared.Sharing(), true
}

// follow applies the changes of the fleet until the learners stop.
func (m *Models) follow() {
	ctx, cancel := context.WithCancel(m.ctx)
	defer cancel()
	go func() {
		select {
		case <-m.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	for ctx.Err() == nil {
		_ = m.contained(errStorePanicked, "follow", func() error { m.shared.Follow(ctx, m); return nil }) // counted and logged
		select {
		case <-ctx.Done():
		case <-time.After(time.Second): // after a panic
		}
	}
}

// publish queues changes for the other replicas.
func (m *Models) publish(changes ...Change) {
	if m.shared == nil {
		return
	}
	for _, c := range changes {
		m.shared.Publish(c)
	}
}

// lesson is what a model made of a page.
type lesson struct {
	// skipped says that the model has left the page out.
	skipped bool
	// increment is what the page taught, nil if models are not shared or the page was not new.
	increment model.Host
}

// teach has h learn the page of j.
func (m *Models) teach(h model.Host, j job) (l lesson, err error) {
	before := h.Stats()
	shared, ok := h.(model.Incremental)
	if m.shared == nil || !ok {
		h.Observe(j.page, j.visit)
	} else if one := shared.Increment(j.page, j.visit); one != nil {
		if err := shared.Add(one); err != nil {
			return l, err
		}
		l.increment = one
	}
	after := h.Stats()
	if after.Pages == before.Pages {
		l.increment = nil // the page was known after all
	}
	l.skipped = after.Skipped > before.Skipped
	return l, nil
}

// Bounds of the changes that wait until their host is admitted.
const (
	maxHeld      = 32
	maxHeldBytes = 512 << 10
)

// share publishes what a page has taught. Until the store would accept the host, the changes are held back, so that a
// page full of throwaway host names reaches no other replica. The caller has acquired e.
func (m *Models) share(e *entry, one model.Host) {
	value, err := m.sealOf(e.host, one)
	if err != nil {
		m.opt.Logger.Error("other replicas don't learn a page", "host", e.host, "error", err)
		return
	}
	c := Change{Kind: Learned, Host: e.host, Value: value}
	m.mu.Lock()
	admitted := m.admitted(e)
	if !admitted && len(e.held) < maxHeld && e.heldBytes+len(value) <= maxHeldBytes {
		e.held = append(e.held, c)
		e.heldBytes += len(value)
		if in, ok := m.entries.Peek(e.host); ok && in == e { // it may have left memory since
			e.size += int64(len(value))
			m.bytes += int64(len(value))
		}
	}
	m.mu.Unlock()
	if admitted {
		m.publish(append(m.unhold(e), c)...)
	}
}

// unhold returns the changes of an admitted host that were held back.
func (m *Models) unhold(e *entry) []Change {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := e.held
	if in, ok := m.entries.Peek(e.host); ok && in == e {
		m.bytes -= int64(e.heldBytes)
		e.size -= int64(e.heldBytes)
	}
	e.held, e.heldBytes = nil, 0
	return held
}

// sealOf returns a model of host, sealed for other replicas.
func (m *Models) sealOf(host string, h model.Host) (sealed []byte, err error) {
	var encoded []byte
	var stats model.Stats
	panicked := m.contain("encode", host, func() {
		encoded, err = h.Encode()
		stats = h.Stats()
	})
	if err := errors.Join(panicked, err); err != nil {
		return nil, fmt.Errorf("encode a change of %s: %w", host, err)
	}
	return envelope{detector: m.opt.Detector.Name(), keyID: m.opt.Key.ID(), host: host,
		Summary: Summary{Pages: stats.Pages, LastSeen: stats.LastSeen}, model: encoded}.seal(), nil
}

// Apply implements Replica.
func (m *Models) Apply(ctx context.Context, c Change) error {
	err := checkHost(c.Host)
	if err == nil {
		if c.Kind == Forgotten {
			err = m.inTurn(ctx, c.Host, func(ctx context.Context) error { return m.forget(ctx, c.Host) })
		} else {
			err = retryDiscarded(func() error { return m.applyModel(ctx, c) })
			m.makeRoom(ctx, true)
		}
	}
	if err != nil {
		return fmt.Errorf("apply a change of %.60q: %w", c.Host, err)
	}
	return nil
}

func (m *Models) applyModel(ctx context.Context, c Change) error {
	value, err := m.decode(c.Host, c.Value)
	if err != nil {
		return err
	}
	e, err := m.acquire(ctx, c.Host)
	if err != nil {
		return err
	}
	defer m.release(e)
	switch c.Kind {
	case Learned:
		err = m.add(e, value)
	case Merged:
		err = m.merge(e, value)
	case Replaced:
		err = m.replace(e, value)
	case Offered:
		if m.pagesOf(e) >= Describe(c.Value).Pages {
			return nil
		}
		err = m.replace(e, value)
	default:
		err = fmt.Errorf("%w: a change of kind %d", model.ErrFormat, c.Kind)
	}
	if err == nil {
		m.trust(e) // another replica has admitted the host
		m.publish(m.unhold(e)...)
	}
	return err
}

// add adds the increment of another replica. Like learning a page, and unlike a merge, it starts no new epoch.
func (m *Models) add(e *entry, increment model.Host) error {
	return m.change(e, "add", func() (changed bool, err error) {
		if h, ok := e.model.(model.Incremental); ok {
			return true, h.Add(increment)
		}
		return true, e.model.Merge(increment)
	})
}

func (m *Models) pagesOf(e *entry) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return e.known
}

// Snapshot implements Replica.
func (m *Models) Snapshot(ctx context.Context, host string) ([]byte, error) {
	e, err := m.acquire(ctx, host)
	if err != nil {
		return nil, err
	}
	defer m.release(e)
	b, err := m.encode(e)
	if err != nil {
		return nil, err
	}
	sealed, err := openEnvelope(b)
	if err != nil {
		return nil, err
	}
	sealed.Client, sealed.Uses = 0, 0 // they belong to this replica
	return sealed.seal(), nil
}

// publishLessons tells the other replicas what people taught about a host. The caller has acquired e.
func (m *Models) publishLessons(e *entry) error {
	if m.shared == nil {
		return nil
	}
	e.mu.RLock()
	h, ok := e.model.(*taught.Host)
	var lessons *taught.Host
	if ok {
		lessons = h.OnlyLessons()
	}
	e.mu.RUnlock()
	if !ok {
		return nil
	}
	value, err := m.sealOf(e.host, lessons)
	if err == nil {
		m.publish(append(m.unhold(e), Change{Kind: Merged, Host: e.host, Value: value})...)
	}
	return err
}
