package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/taught"
)

// entryOverhead is the memory of an entry without its model. It bounds hosts without learned pages too.
const entryOverhead = 512

// maxHost is longer than any host with a port.
const maxHost = 300

// errDiscarded says that the entry was discarded after a panic between its look-up and its use.
var errDiscarded = errors.New("the model was discarded after a panic")

// retryDiscarded calls f again when it met a discarded entry. It gives up on a detector that panics every time.
func retryDiscarded(f func() error) (err error) {
	for range 3 {
		if err = f(); !errors.Is(err, errDiscarded) {
			return err
		}
	}
	return err
}

func checkHost(host string) error {
	if host == "" || len(host) > maxHost {
		return fmt.Errorf("%.60q is not a host", host)
	}
	return nil
}

// entry is the model of one host in memory.
type entry struct {
	host string
	// ready is closed when the model has been loaded.
	ready chan struct{}

	// mu is locked for writing to change the model and for reading to use it.
	mu sync.RWMutex
	// model is nil after a panic, which may have left the model half changed.
	model model.Host

	// uses counts the marked pages, including those of earlier processes.
	uses atomic.Uint64
	// taught is the fingerprint of the lessons.
	taught atomic.Uint64

	// Models.mu guards the rest.

	size int64
	// known is the number of pages that the model has learned.
	known int
	// users counts the loader and the learners at work. An entry with users is not evicted, because their changes would
	// be lost.
	users int
	// changes counts the changes to the model, saved those that the store already has.
	changes, saved uint64
	// unread says that the store failed to load the model. The stored model must be merged in before this one may
	// replace it.
	unread bool
	// stored says that the model was loaded from the store.
	stored bool
	// held are changes that other replicas get once the host is admitted, heldBytes their size.
	held      []Change
	heldBytes int
	admission
}

// noteTaught updates the fingerprint of the lessons. The caller holds e.mu, or e is not in use yet.
func (e *entry) noteTaught() {
	if h, ok := e.model.(*taught.Host); ok {
		e.taught.Store(h.Fingerprint())
	}
}

func (e *entry) dirty() bool { return e.changes != e.saved }

// toSave reports whether the model must still be written to the store. The caller holds m.mu.
func (m *Models) toSave(e *entry) bool { return m.opt.Store != nil && e.dirty() && m.admitted(e) }

// entry returns the entry of host, loaded. Of concurrent callers, one loads and the others wait.
func (m *Models) entry(ctx context.Context, host string) (*entry, error) {
	if err := checkHost(host); err != nil {
		return nil, err
	}
	e, err := m.lookUp(host)
	if err != nil {
		return nil, err
	}
	return e, e.wait(ctx)
}

// acquire is like entry, for a caller that changes the model and then calls release. It works until the learners have
// stopped.
func (m *Models) acquire(ctx context.Context, host string) (*entry, error) {
	m.mu.Lock()
	e := m.lookUpOrLoad(host)
	e.users++
	m.mu.Unlock()
	if err := e.wait(ctx); err != nil {
		m.release(e)
		return nil, err
	}
	return e, nil
}

func (e *entry) wait(ctx context.Context) error {
	select {
	case <-e.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *Models) release(e *entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.users--
}

func (m *Models) lookUp(host string) (*entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	return m.lookUpOrLoad(host), nil
}

// lookUpOrLoad starts a load where there is no entry. The caller holds m.mu.
func (m *Models) lookUpOrLoad(host string) *entry {
	if e, ok := m.entries.Get(host); ok {
		return e
	}
	e := &entry{host: host, ready: make(chan struct{}), users: 1}
	m.entries.Add(host, e)
	m.loads.Go(func() { m.load(e) })
	return e
}

// load fills a new entry. It runs independently of any caller, because the first caller may cancel while others wait.
func (m *Models) load(e *entry) {
	ctx, cancel := context.WithTimeout(m.ctx, loadTimeout)
	defer cancel()
	loaded, summary, err := m.read(ctx, e.host)
	stored := loaded != nil
	var stats model.Stats
	panicked := m.contain("new", e.host, func() {
		if loaded == nil {
			loaded = m.opt.Detector.New(m.opt.Key)
		}
		stats = loaded.Stats()
	})
	m.mu.Lock()
	e.unread = err != nil
	e.users--
	if panicked == nil {
		e.stored = stored
		e.client = summary.Client
		e.uses.Add(summary.Uses)
		e.model = loaded // nobody reads it before ready is closed
		e.noteTaught()
		m.resize(e, stats)
	} else {
		m.remove(e)
	}
	m.mu.Unlock()
	close(e.ready)
	m.makeRoom(m.ctx, false)
}

// read returns the stored model of host and its summary, or nil when there is none that can be read. An error says that
// the store failed, so a stored model may still exist.
func (m *Models) read(ctx context.Context, host string) (model.Host, Summary, error) {
	if m.opt.Store == nil {
		return nil, Summary{}, nil
	}
	b, err := m.opt.Store.Load(ctx, host)
	if errors.Is(err, ErrNotFound) {
		return nil, Summary{}, nil
	}
	if err != nil {
		m.count.loadErrors.Add(1)
		m.opt.Logger.Error("load host model: serving with a new one", "host", host, "error", err)
		m.noteReset(err)
		return nil, Summary{}, err
	}
	loaded, err := m.decode(host, b)
	if err == nil {
		return loaded, Describe(b), nil
	}
	return nil, Summary{}, m.setAside(ctx, host, err)
}

// setAside keeps the new model from overwriting a stored value that can't be used.
func (m *Models) setAside(ctx context.Context, host string, why error) error {
	m.count.setAside.Add(1)
	m.opt.Logger.Error("stored host model can't be used: it is set aside, serving with a new one",
		"host", host, "error", why)
	err := m.opt.Store.SetAside(ctx, host)
	m.health.note(err)
	if err != nil {
		m.opt.Logger.Error("set host model aside", "host", host, "error", err)
		return err
	}
	return nil
}

// resize updates the size of e's model, unless e has left memory. The caller holds m.mu.
func (m *Models) resize(e *entry, stats model.Stats) {
	e.known = stats.Pages
	if in, ok := m.entries.Peek(e.host); !ok || in != e {
		return
	}
	size := int64(max(stats.Bytes, 0)+e.heldBytes) + entryOverhead
	m.bytes += size - e.size
	e.size = size
}

// remove removes e from memory, unless it has left already. The caller holds m.mu.
func (m *Models) remove(e *entry) {
	if in, ok := m.entries.Peek(e.host); ok && in == e {
		m.entries.Remove(e.host)
		m.bytes -= e.size
	}
}

// observe learns one page and tells the other replicas.
func (m *Models) observe(e *entry, j job) error {
	var learned lesson
	err := m.change(e, "observe", func() (changed bool, err error) {
		learned, err = m.teach(e.model, j)
		return !learned.skipped, err
	})
	if err != nil {
		return err
	}
	m.mu.Lock()
	e.note(e.known, j, m.opt.Admission.Gap)
	m.mu.Unlock()
	if learned.skipped {
		m.count.skipped.Add(1)
		return nil
	}
	m.count.learned.Add(1)
	if learned.increment != nil {
		m.share(e, learned.increment)
	}
	return nil
}

// change calls f, which changes the model of e unless it says otherwise. A panic may leave the model half changed, so
// the entry is discarded: the next use loads the stored model, and everything learned since the last save is lost.
func (m *Models) change(e *entry, call string, f func() (changed bool, err error)) (err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.model == nil {
		return errDiscarded
	}
	var stats model.Stats
	var changed bool
	panicked := m.contain(call, e.host, func() {
		changed, err = f()
		stats = e.model.Stats()
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	if panicked != nil {
		e.model = nil
		m.remove(e)
		return panicked
	}
	if err == nil && changed {
		e.changes++
		m.resize(e, stats)
	}
	return err
}
