package fragments

import (
	"fmt"
	"slices"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
	"github.com/winnow-proxy/winnow/model/internal/reservoir"
	"github.com/winnow-proxy/winnow/model/page"
)

// Name is the detector's name.
const Name = "fragments"

// Detector makes models of fragment chains. The zero value has the default options.
type Detector struct {
	Options Options
}

// Interface guards.
var (
	_ model.Detector            = Detector{}
	_ model.Host                = (*Host)(nil)
	_ reservoir.Records[record] = records{}
)

// Name returns "fragments".
func (Detector) Name() string { return Name }

// New returns a model that has seen no page.
func (d Detector) New(key model.Key) model.Host {
	o := d.Options.withDefaults()
	return &Host{opts: o, recent: reservoir.New(key, o.reservoir(), records{})}
}

// Decode reads what Encode wrote. The pages are clustered again, so that the model marks as one does that has just done
// so.
func (d Detector) Decode(key model.Key, b []byte) (model.Host, error) {
	o := d.Options.withDefaults()
	recent, err := reservoir.Decode(key, o.reservoir(), records{}, b)
	if err != nil {
		return nil, err
	}
	h := &Host{opts: o, recent: recent}
	h.refit()
	return h, nil
}

// fitShare is the part of the memory, one in so many, that is for the fit.
const fitShare = 4

// reservoir returns the configuration of the reservoir.
func (o Options) reservoir() reservoir.Config {
	return reservoir.Config{
		Format: codec.Format{What: Name, Magic: "wfrg", Version: 1},
		Pages:  o.Pages,
		Limits: model.Limits{Memory: o.Limits.Memory - o.Limits.Memory/fitShare - hostBytes, Encoded: o.Limits.Encoded},
	}
}

// Host is the model of one host: its newest pages, and how they cluster.
type Host struct {
	opts   Options
	recent *reservoir.Reservoir[record]

	clusters []cluster
	// member is the cluster of each page that was clustered, or leftover, by the hash of its URL.
	member map[uint64]int
}

// Observe keeps the page's fragments. A later visit of the same URL replaces them.
func (h *Host) Observe(p *page.Page, v model.Visit) {
	if p.Body == page.None {
		return
	}
	h.recent.Add(v, read(p, h.recent.Hasher()).out.trimmed(h.opts.MaxFragments))
	if h.recent.Due(h.opts.RefitShare) {
		h.refit()
	}
}

// refit clusters the pages that are kept.
func (h *Host) refit() {
	var docs []document
	var urls []uint64
	for p := range h.recent.All() {
		docs = append(docs, newDocument(p.Record.chains(h.recent.Hasher(), h.opts.Chain)))
		urls = append(urls, p.URL)
	}
	h.clusters, h.member = nil, map[uint64]int{}
	for _, url := range urls {
		h.member[url] = leftover
	}
	room := h.opts.Limits.Memory/fitShare - len(urls)*memberBytes
	for _, c := range find(docs, h.opts) {
		if room -= len(c.nav) * chainBytes; room < 0 {
			break
		}
		for _, p := range c.pages {
			h.member[urls[p]] = len(h.clusters)
		}
		h.clusters = append(h.clusters, cluster{nav: slices.Clip(c.nav), least: c.least})
	}
	h.recent.Fitted()
}

// leftover stands for the cluster of a page that is in none.
const leftover = -1

// Sizes in memory.
const (
	hostBytes   = 512
	memberBytes = 40
	chainBytes  = 8
)

// Merge adds the pages that other, a *Host of the same key, has kept, and clusters them all again.
func (h *Host) Merge(other model.Host) error {
	o, ok := other.(*Host)
	if !ok {
		return fmt.Errorf("merging %T into a %s model: %w", other, Name, model.ErrMismatch)
	}
	if err := h.recent.Merge(o.recent); err != nil {
		return err
	}
	h.refit()
	return nil
}

// Encode returns the versioned encoding, at most Limits.Encoded bytes: the oldest pages are left out where all would be
// more.
func (h *Host) Encode() ([]byte, error) { return h.recent.Encode() }

// Stats describes the model.
func (h *Host) Stats() model.Stats {
	s := h.recent.Stats()
	s.Bytes += hostBytes + len(h.member)*memberBytes
	for _, c := range h.clusters {
		s.Bytes += len(c.nav) * chainBytes
	}
	return s
}
