package fleet

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// sizes are the numbers of pages learned at which models are measured.
func sizes() []int { return []int{0, 1, 2, 3, 5, 10, 20, 35} }

// lastSize is the largest of them. The pages after so many are those on which models of all sizes are scored.
func lastSize() int { return sizes()[len(sizes())-1] }

// Measure measures the models of a detector on sites with gold, one site after the other. Each needs more than 35
// pages. Times are processor time of the process, so that other work on the machine changes them little; they include
// the collection of garbage. progress is called after each page.
func Measure(ctx context.Context, d model.Detector, sites []*evaluate.Site, progress func()) (*Figures, error) {
	pages := 0
	for _, s := range sites {
		if len(s.Pages) <= lastSize() {
			return nil, fmt.Errorf("site %s has %d pages: more than %d are needed", s.ID, len(s.Pages), lastSize())
		}
		pages += len(s.Pages)
	}
	m := &meter{Detector: d, sizes: make([]sum, len(sizes()))}
	r := &evaluate.Runner{Detectors: []model.Detector{m}, Workers: 1, Progress: func(_, _ string) { progress() }}
	for _, n := range sizes() {
		r.Detectors = append(r.Detectors, &limited{d, n})
	}
	results, err := r.Sites(ctx, sites)
	if err != nil {
		return nil, err
	}
	f := &Figures{
		Source:    fmt.Sprintf("detector %s, %d sites with %d pages", d.Name(), len(sites), pages),
		Increment: math.Round(float64(m.bytes) / float64(m.learned)), Page: micros(m.page, m.marked), Add: micros(m.add, m.learned),
	}
	for i, n := range sizes() {
		s := &m.sizes[i]
		if s.models == 0 {
			continue // a model leaves out pages that look like those it has learned
		}
		f.Sizes = append(f.Sizes, Size{
			Pages: n, Memory: math.Round(s.memory / float64(s.models)), Encoded: math.Round(s.encoded / float64(s.models)),
			Encode: micros(s.encode, s.models), Decode: micros(s.decode, s.models),
			F1: math.Round(meanF1(results[i+1].Sites, lastSize(), math.MaxInt)*1e4) / 1e4,
		})
	}
	return f, nil
}

// limited is a detector whose models stop learning after a number of pages. They mark those pages only that models of
// all sizes are scored on.
type limited struct {
	model.Detector
	most int
}

// New implements model.Detector.
func (l *limited) New(key model.Key) model.Host {
	return &limitedHost{Host: l.Detector.New(key), most: l.most}
}

type limitedHost struct {
	model.Host
	most, seen int
}

// Observe implements model.Host.
func (h *limitedHost) Observe(p *page.Page, v model.Visit) {
	h.seen++
	if h.Stats().Pages < h.most {
		h.Host.Observe(p, v)
	}
}

// Mark implements model.Host.
func (h *limitedHost) Mark(p *page.Page, v model.Visit) *page.Marking {
	if h.seen < lastSize() {
		return &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Pass: "not scored"}
	}
	return h.Host.Mark(p, v)
}

// meter is a detector that measures another one.
type meter struct {
	model.Detector
	// page is the time of the pages marked, add that of the increments of the pages learned, and bytes their length.
	page, add              time.Duration
	marked, learned, bytes int
	sizes                  []sum
}

// sum adds up the figures of models of one size.
type sum struct {
	memory, encoded float64
	encode, decode  time.Duration
	models          int
}

// New implements model.Detector.
func (m *meter) New(key model.Key) model.Host {
	h := &meteredHost{m: m, key: key, Host: m.Detector.New(key), other: m.Detector.New(key)}
	h.measure()
	return h
}

// meteredHost measures what its model does. other is the model of a replica that gets its increments.
type meteredHost struct {
	m   *meter
	key model.Key
	model.Host
	other model.Host
}

// Mark implements model.Host. Besides, it measures how long the page takes to parse and to write.
func (h *meteredHost) Mark(p *page.Page, v model.Visit) (marking *page.Marking) {
	h.m.page += processorTime(func() {
		_, _ = page.Parse(p.Source, "text/html; charset=utf-8") // it has been parsed before
		marking = h.Host.Mark(p, v)
		if marking.Pass == "" {
			_, _ = write.Page(p, marking, page.ModeRemove) // the runner writes it too, and reports errors
		}
	})
	h.m.marked++
	return marking
}

// Observe implements model.Host. It panics where increments of one detector and key don't fit together; the runner
// names the page then.
func (h *meteredHost) Observe(p *page.Page, v model.Visit) {
	var one model.Host
	var err error
	h.m.page += processorTime(func() { one, err = learn(h.m.Detector, h.key, h.Host, p, v) })
	if err == nil && one != nil {
		err = h.share(one)
	}
	if err != nil {
		panic(err)
	}
}

// share measures what is sent for a page.
func (h *meteredHost) share(one model.Host) error {
	encoded, err := one.Encode()
	if err != nil {
		return err
	}
	h.m.add += processorTime(func() { err = receive(h.m.Detector, h.key, h.other, encoded) })
	h.m.bytes += len(encoded)
	h.m.learned++
	h.measure()
	return err
}

// measure measures the model if it has one of the sizes.
func (h *meteredHost) measure() {
	pages := h.Stats().Pages
	for i, n := range sizes() {
		if n != pages {
			continue
		}
		var encoded []byte
		s := &h.m.sizes[i]
		s.encode += processorTime(func() { encoded, _ = h.Encode() })                    // the length shows a failure
		s.decode += processorTime(func() { _, _ = h.m.Detector.Decode(h.key, encoded) }) // it was written here
		s.memory += float64(h.Stats().Bytes)
		s.encoded += float64(len(encoded))
		s.models++
	}
}

// micros is the mean of n times in microseconds.
func micros(d time.Duration, n int) float64 {
	return math.Round(float64(d.Microseconds()) / float64(n))
}
