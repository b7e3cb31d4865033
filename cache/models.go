package cache

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Options are what New needs to know. Detector and Key must be set; the zero value of every other field stands for
// its default.
type Options struct {
	Detector model.Detector
	Key      model.Key
	// Store keeps the models between runs. With nil they live in memory alone, and an evicted model is forgotten.
	Store Store
	// MaxBytes bounds the models in memory by the sum of their Stats().Bytes. Default 256 MiB. While the store fails,
	// changed models are kept up to twice this; beyond, the least recently used is lost and counted.
	MaxBytes int64
	// FlushEvery is the time between two saves of all changed models: what a crash may lose. Default 30 s.
	FlushEvery time.Duration
	// Queue is the number of pages that may wait to be learned. Default 1024.
	Queue int
	// QueueBytes bounds the waiting pages by the length of their sources. Default 64 MiB.
	QueueBytes int64
	// Learners is the number of goroutines that learn. Pages of one host always go to the same one. Default 1, so that
	// learning leaves the other processors to the requests.
	Learners int
	// Logger gets what goes wrong. Default: nothing is logged.
	Logger *slog.Logger
}

// Models holds the models of all hosts. It is safe for concurrent use.
type Models struct{}

var errTODO = errors.New("not written yet")

// New starts the learners and the flush timer. They run until Close; cancelling ctx does not stop them, so that a
// shutdown can drain what was observed.
func New(ctx context.Context, o Options) (*Models, error) { return nil, errTODO }

// Mark judges the page with the model of host, which is loaded from the store on first use. Many Marks of one host run
// side by side. It fails only when ctx ends first, after Close, or when the detector panics (ErrPanic); a store that
// fails means a fresh model, never an error.
func (m *Models) Mark(ctx context.Context, host string, p *page.Page) (*page.Marking, error) {
	return nil, errTODO
}

// Learn queues the page for the model of host and never blocks. It returns false, and counts the page as dropped,
// when the queue is full or the Models are closed. The caller must not change p afterwards.
func (m *Models) Learn(host string, p *page.Page, v model.Visit) bool { return false }

// Drain returns when every page that Learn took before the call has been learned, or when ctx ends.
func (m *Models) Drain(ctx context.Context) error { return errTODO }

// Flush saves every model that changed since it was last saved.
func (m *Models) Flush(ctx context.Context) error { return errTODO }

// Close stops taking pages, learns those queued, saves what changed and closes the store. When ctx ends first, pages
// still queued are dropped and counted, and what was learned is saved all the same.
func (m *Models) Close(ctx context.Context) error { return errTODO }

// HostInfo describes the model of one host.
type HostInfo struct {
	Host string `json:"host"`
	model.Stats
	// Stored is the size of the saved model in bytes, 0 when it was never saved.
	Stored int `json:"stored"`
	// InMemory says that the model is loaded, Unsaved that it changed since it was saved.
	InMemory bool `json:"in_memory"`
	Unsaved  bool `json:"unsaved"`
}

// Hosts lists the hosts that have learned at least one page, in memory or stored, by name. For models that are not in
// memory, Bytes is 0.
func (m *Models) Hosts(ctx context.Context) ([]HostInfo, error) { return nil, errTODO }

// Export returns the model of host in the form that Import reads and the store keeps: an envelope with the detector's
// name and a checksum. It returns ErrNotFound when nothing was learned of host.
func (m *Models) Export(ctx context.Context, host string) ([]byte, error) { return nil, errTODO }

// Import makes b, which Export wrote for this or another host, the model of host; with merge set, it is added to what
// is there. It returns model.ErrFormat for what is no model and model.ErrMismatch for one of another detector or key.
func (m *Models) Import(ctx context.Context, host string, b []byte, merge bool) error { return errTODO }

// Forget removes the model of host from memory and from the store, together with what was queued for it before.
func (m *Models) Forget(ctx context.Context, host string) error { return errTODO }

// Counters are totals since New, and the state at the moment, for metrics.
type Counters struct {
	// Learned is the number of pages learned, Dropped of those that found the queue full.
	Learned, Dropped uint64
	// Evicted is the number of models that left memory to make room; Lost those of them that could not be saved.
	Evicted, Lost uint64
	// Panics is the number of calls into the detector that panicked.
	Panics uint64
	// FlushErrors and LoadErrors count failed calls to the store; SetAside the stored values that could not be read.
	FlushErrors, LoadErrors, SetAside uint64
	// Queue is the number of pages waiting, QueueBytes the length of their sources.
	Queue      int
	QueueBytes int64
	// Models is the number of models in memory, Bytes their size.
	Models int
	Bytes  int64
}

// Counters returns the counters. It is cheap.
func (m *Models) Counters() Counters { return Counters{} }

// InstallationKey returns the key kept in dir/key, which it creates on first use (readable by the owner alone).
func InstallationKey(dir string) (model.Key, error) { return model.Key{}, errTODO }
