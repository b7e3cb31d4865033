package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/winnow-proxy/winnow/cmd/internal/crawl"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/taught"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// worker is what the steps have that know models: the settings, which travel, and what Setup makes of them.
type worker struct {
	Key, Mode, Detector string

	key      model.Key
	detector model.Detector
}

// Setup reads the key.
func (w *worker) Setup(ctx context.Context) error {
	text, err := readFile(ctx, w.Key)
	if err != nil {
		return err
	}
	if w.key, err = model.ParseKey(strings.TrimSpace(text)); err != nil {
		return fmt.Errorf("%s: %w", w.Key, err)
	}
	d, err := detectors.ByName(w.Detector, detectors.Options{})
	if err != nil {
		return err
	}
	w.detector = taught.Wrap(d)
	return nil
}

func readFile(ctx context.Context, name string) (text string, err error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, fs.Close()) }()
	b, err := filesystem.Read(ctx, fs, name)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	return string(b), nil
}

// reader makes a reader of records whose pages models mark or learn.
func (w *worker) reader(models pipeline.Models, learn pipeline.LearnPolicy) (*crawl.Reader, error) {
	var mode page.Mode
	if err := mode.UnmarshalText([]byte(w.Mode)); err != nil {
		return nil, fmt.Errorf("--mode: %w", err)
	}
	pl, err := pipeline.New(pipeline.Options{Models: models, Mode: mode, Learn: learn, Logger: slog.Default(),
		Limits: limits.Limits{Clean: time.Minute, Wait: time.Hour, Read: time.Hour}})
	if err != nil {
		return nil, err
	}
	return &crawl.Reader{Pipeline: pl}, nil
}

// learned is a model while pages are added up: an encoding, or a model that was made of it.
type learned struct {
	encoded []byte
	host    model.Host
}

func encodeLearned(l learned) ([]byte, error) {
	if l.host == nil {
		return l.encoded, nil
	}
	return l.host.Encode()
}

func decodeLearned(b []byte) (learned, error) { return learned{encoded: bytes.Clone(b)}, nil }

// model returns the model; where there is none yet, it is new.
func (w *worker) model(l learned) (model.Host, error) {
	switch {
	case l.host != nil:
		return l.host, nil
	case len(l.encoded) == 0:
		return w.detector.New(w.key), nil
	}
	return w.detector.Decode(w.key, l.encoded)
}

// learnFn adds up what the pages of a host teach.
type learnFn struct {
	worker
	models *oneHost
	reader *crawl.Reader
}

// Setup prepares for pages.
func (f *learnFn) Setup(ctx context.Context) (err error) {
	if err := f.worker.Setup(ctx); err != nil {
		return err
	}
	f.models = &oneHost{pupil: true}
	f.reader, err = f.worker.reader(f.models, pipeline.LearnAll)
	return err
}

// CreateAccumulator returns a model of no page.
func (*learnFn) CreateAccumulator() learned { return learned{} }

// AddInput learns a page.
func (f *learnFn) AddInput(l learned, r record) (learned, error) {
	h, err := f.model(l)
	if err != nil {
		return l, err
	}
	done := f.models.use(hostOf(r.warc()), h)
	defer done()
	f.reader.Take(context.Background(), r.warc())
	return learned{host: h}, nil
}

// MergeAccumulators merges models.
func (f *learnFn) MergeAccumulators(a, b learned) (learned, error) {
	to, err := f.model(a)
	if err != nil {
		return a, err
	}
	from, err := f.model(b)
	if err != nil {
		return a, err
	}
	return learned{host: to}, to.Merge(from)
}

// ExtractOutput returns the model's encoding.
func (f *learnFn) ExtractOutput(l learned) ([]byte, error) {
	h, err := f.model(l)
	if err != nil {
		return nil, err
	}
	return h.Encode()
}

// cleanFn cleans pages with the models beside them.
type cleanFn struct {
	worker
	Shards int

	models *oneHost
	reader *crawl.Reader
	known  *simplelru.LRU[string, model.Host]
}

// maxKnown is how many models a worker keeps decoded, of at most a MiB.
const maxKnown = 64

// Setup prepares for pages.
func (f *cleanFn) Setup(ctx context.Context) (err error) {
	if err := f.worker.Setup(ctx); err != nil {
		return err
	}
	f.models = &oneHost{}
	f.reader, err = f.worker.reader(f.models, pipeline.LearnOff)
	return err
}

// StartBundle forgets the models of another run.
func (f *cleanFn) StartBundle(context.Context, func(string) func(*[]byte) bool, func(int, string)) (err error) {
	f.known, err = simplelru.NewLRU[string, model.Host](maxKnown, nil)
	return err
}

// ProcessElement cleans a page, and emits it as a line of JSON by the number of its file.
func (f *cleanFn) ProcessElement(ctx context.Context, host string, r record, models func(string) func(*[]byte) bool, emit func(int, string)) error {
	h, err := f.modelOf(host, models)
	if err != nil {
		return fmt.Errorf("the model of %s: %w", host, err)
	}
	done := f.models.use(host, h)
	defer done()
	page := f.reader.Take(ctx, r.warc())
	if page.Reason != "" {
		beam.NewCounter(namespace, page.Reason).Inc(ctx, 1)
		return nil
	}
	var line bytes.Buffer
	if err := page.WriteLine(&line); err != nil {
		return err
	}
	beam.NewCounter(namespace, "cleaned").Inc(ctx, 1)
	emit(shardOf(r.URI, f.Shards), line.String())
	return nil
}

func (f *cleanFn) modelOf(host string, models func(string) func(*[]byte) bool) (model.Host, error) {
	if h, ok := f.known.Get(host); ok {
		return h, nil
	}
	var encoded []byte
	models(host)(&encoded)
	h, err := f.model(learned{encoded: encoded})
	if err == nil {
		f.known.Add(host, h)
	}
	return h, err
}

// oneHost are the models of a pipeline that has one page at a time.
type oneHost struct {
	// pupil leaves out the judgement, which pages that only teach do not need.
	pupil bool

	mu   sync.Mutex
	name string
	host model.Host
}

// use sets the host until done is called.
func (o *oneHost) use(name string, h model.Host) (done func()) {
	o.set(name, h)
	return func() { o.set("", nil) }
}

func (o *oneHost) set(name string, h model.Host) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.name, o.host = name, h
}

// errOtherHost says that a page took so long that the work has gone on to another host.
var errOtherHost = errors.New("the model of this host is not at work")

// Mark implements pipeline.Models.
func (o *oneHost) Mark(_ context.Context, host string, p *page.Page, v model.Visit) (*page.Marking, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.name != host:
		return nil, errOtherHost
	case o.pupil:
		return &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}, nil
	}
	return o.host.Mark(p, v), nil
}

// LearnFrom implements pipeline.Models.
func (o *oneHost) LearnFrom(_, host string, p *page.Page, v model.Visit) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.name != host {
		return false
	}
	o.host.Observe(p, v)
	return true
}
