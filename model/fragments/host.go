package fragments

import (
	"slices"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/reservoir"
	"github.com/winnow-proxy/winnow/model/page"
)

// Name is the detector's name.
const Name = "fragments"

// Detector makes models of fragment chains.
type Detector = base.Detector[Options]

// Name returns "fragments".
func (Options) Name() string { return Name }

// NewModel implements [base.Options].
func (o Options) NewModel(key model.Key) base.Model {
	o = base.OrDefault(o, DefaultOptions())
	limits := model.Limits{Memory: o.Limits.Memory - o.Limits.Memory/fitShare - hostBytes, Encoded: o.Limits.Encoded}
	return &host{Reservoir: reservoir.New(base.New(key, base.Format(Name, "wfrg"), limits), o.Pages, records{}), opts: o}
}

// fitShare sets the part of the memory that the clusters may take: a quarter.
const fitShare = 4

// host is the model of one host: its newest pages and their clusters.
type host struct {
	*reservoir.Reservoir[*record]
	opts Options

	clusters []cluster
	// member maps the URL hash of each clustered page to its cluster, or to leftover.
	member map[uint64]int
}

// Observe stores the page's fragments. A later visit of the same URL replaces them.
func (h *host) Observe(p *page.Page, v model.Visit) {
	if p.Body == page.None {
		return
	}
	h.Add(v, read(p, h.Hasher()).out.trimmed(h.opts.MaxFragments))
	if h.Due(h.opts.RefitShare) {
		h.refit()
	}
}

// refit clusters the stored pages.
func (h *host) refit() {
	var docs []document
	var urls []uint64
	for p := range h.All() {
		docs = append(docs, newDocument(p.Record.chains(h.Hasher(), h.opts.Chain)))
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
	h.Fitted()
}

// leftover is the cluster number of a page that is in no cluster.
const leftover = -1

// Sizes in memory.
const (
	hostBytes   = 512
	memberBytes = 40
	chainBytes  = 8
)

// Merge adds the pages of other and clusters all pages again.
func (h *host) Merge(other model.Host) error {
	if err := h.Reservoir.Merge(other); err != nil {
		return err
	}
	h.refit()
	return nil
}

// Load reads what Encode wrote and clusters the pages.
func (h *host) Load(b []byte) error {
	if err := h.Reservoir.Load(b); err != nil {
		return err
	}
	h.refit()
	return nil
}

// Stats describes the model.
func (h *host) Stats() model.Stats {
	s := h.Reservoir.Stats()
	s.Bytes += hostBytes + len(h.member)*memberBytes
	for _, c := range h.clusters {
		s.Bytes += len(c.nav) * chainBytes
	}
	return s
}
