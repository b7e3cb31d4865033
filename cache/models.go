package cache

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/semaphore"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/taught"
)

// loadTimeout and saveTimeout bound the calls to the store that no caller's context bounds. A request waits for a load,
// so loadTimeout is short: after it a new model serves, and the stored one is merged in later. Nobody waits for a save.
const (
	loadTimeout = 2 * time.Second
	saveTimeout = time.Minute
)

// Options configure New. Detector and Key must be set; the zero value of every other field stands for its default.
type Options struct {
	Detector model.Detector
	Key      model.Key
	// Store keeps the models between runs. With nil, models live in memory alone and an eviction loses them.
	Store Store
	// MaxBytes bounds the models in memory by the sum of their Stats().Bytes. Default 256 MiB. While the store fails,
	// changed models are kept up to twice this bound; beyond it, the least recently used are lost and counted.
	MaxBytes int64
	// FlushEvery is the time between two saves of all changed models, and so the most that a crash loses. Default 30 s.
	FlushEvery time.Duration
	// Queue is the number of pages that may wait to be learned. Default 1024.
	Queue int
	// QueueBytes bounds the waiting pages by the length of their sources. Default 64 MiB. A parsed page takes a few
	// times the length of its source. An empty queue accepts one page of any length.
	QueueBytes int64
	// Admission is the rule for new hosts. The zero value admits every host.
	Admission Admission
	// Learners is the number of learning goroutines. Pages of one host always go to the same one. Default 1, so that
	// learning leaves the other processors to the requests.
	Learners int
	// Logger logs failures. Default: nothing is logged.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 256 << 20
	}
	if o.FlushEvery <= 0 {
		o.FlushEvery = 30 * time.Second
	}
	if o.Queue <= 0 {
		o.Queue = 1024
	}
	if o.QueueBytes <= 0 {
		o.QueueBytes = 64 << 20
	}
	if o.Learners <= 0 {
		o.Learners = 1
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Models holds the models of all hosts. It is safe for concurrent use.
//
// Locks are acquired in this order: saving, then one entry's mu, then mu.
type Models struct {
	opt   Options
	ctx   context.Context // of calls that no caller waits for; never cancelled
	count counts
	// shared is the store if several replicas share it, otherwise nil.
	shared Shared
	// health is the outcome of the writes to the store.
	health healthState

	// saving is acquired to write or remove models, so that a save can't restore a model that was just forgotten.
	saving *semaphore.Weighted

	seed   maphash.Seed
	queues []chan job // one per learner
	stop   chan struct{}
	// workers are the learners and the flush timer, calls the running calls that need them or the store.
	workers, loads, calls sync.WaitGroup

	mu         sync.Mutex
	closed     bool
	entries    *simplelru.LRU[string, *entry] // bounded by bytes, not by number
	bytes      int64                          // the sum of the entries' sizes
	queueBytes int64
	// epoch counts the models that changed in other ways than by learning a page.
	epoch uint64
	// storeFails says that the last save failed. While it is set, only the timer tries to save.
	storeFails bool
}

// New starts the learners and the flush timer. They run until Close. Cancelling ctx does not stop them, so that a
// shutdown can drain the queue.
func New(ctx context.Context, o Options) (*Models, error) {
	if o.Detector == nil {
		return nil, errors.New("host models: no detector given")
	}
	o = o.withDefaults()
	o.Detector = taught.Wrap(o.Detector)
	entries, err := simplelru.NewLRU[string, *entry](math.MaxInt, nil)
	if err != nil {
		return nil, fmt.Errorf("host models: %w", err)
	}
	m := &Models{
		opt: o, ctx: context.WithoutCancel(ctx),
		saving: semaphore.NewWeighted(1),
		seed:   maphash.MakeSeed(), stop: make(chan struct{}),
		entries: entries,
	}
	if o.Store != nil {
		m.opt.Store = containedStore{o.Store, m}
		m.shared, _ = o.Store.(Shared)
	}
	for range o.Learners {
		q := make(chan job, max(1, o.Queue/o.Learners))
		m.queues = append(m.queues, q)
		m.workers.Go(func() { m.learnFrom(q) })
	}
	m.workers.Go(m.flushOnTimer)
	if m.shared != nil {
		m.workers.Go(m.follow)
	}
	return m, nil
}

// Mark marks the page with the model of host, which it loads from the store on first use. Marks of one host run
// concurrently. It fails only when ctx ends first, after Close, for an invalid host name, and when the detector panics
// (ErrPanic). A failing store leads to a new model, never to an error. A fresh visit asks no model, and leaves no
// trace.
func (m *Models) Mark(ctx context.Context, host string, p *page.Page, v model.Visit) (*page.Marking, error) {
	var marking *page.Marking
	if v.Fresh {
		err := m.contain("mark", host, func() { marking = m.opt.Detector.New(m.opt.Key).Mark(p, v) })
		return marking, err
	}
	err := retryDiscarded(func() error {
		e, err := m.entry(ctx, host)
		if err == nil {
			marking, err = m.mark(e, p, v)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("mark a page of %.60q: %w", host, err)
	}
	return marking, nil
}

func (m *Models) mark(e *entry, p *page.Page, v model.Visit) (marking *page.Marking, err error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.model == nil {
		return nil, errDiscarded
	}
	e.uses.Add(1)
	err = m.contain("mark", e.host, func() { marking = e.model.Mark(p, v) })
	return marking, err
}

// Secret returns a secret of this installation for a purpose. It is the same in every run.
func (m *Models) Secret(purpose string) []byte {
	mac := hmac.New(sha256.New, m.opt.Key[:])
	mac.Write([]byte("winnow secret: " + purpose))
	return mac.Sum(nil)
}

// State returns the number of pages that the model of host has learned, and an epoch, which changes whenever a model is
// imported, merged or forgotten. It returns false for a model that is not in memory, and loads none.
func (m *Models) State(host string) (pages int, epoch uint64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries.Get(host)
	if !ok || e.size == 0 { // it is being loaded
		return 0, 0, false
	}
	return e.known, m.epoch, true
}

// Reuse counts a page of host that was cleaned with an earlier marking, without Mark.
func (m *Models) Reuse(host string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.entries.Peek(host); ok {
		e.uses.Add(1)
	}
}

// begin registers a call that needs the learners or the store. After Close it returns ErrClosed; otherwise the caller
// must call m.calls.Done at the end.
func (m *Models) begin() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	m.calls.Add(1)
	return nil
}

// Close refuses new pages, learns the queued ones, saves every changed model and closes the store. When ctx ends first,
// it drops and counts the pages still queued, and saves what was learned all the same. A second Close does nothing.
func (m *Models) Close(ctx context.Context) error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil
	}
	m.closed = true
	m.mu.Unlock()

	m.calls.Wait()
	drained := m.barrier(ctx)
	close(m.stop)
	m.workers.Wait()
	m.loads.Wait()
	m.dropQueued()

	flushCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	err := errors.Join(drained, m.flush(flushCtx))
	if m.opt.Store != nil {
		err = errors.Join(err, m.opt.Store.Close())
	}
	if err != nil {
		return fmt.Errorf("close the host models: %w", err)
	}
	return nil
}
