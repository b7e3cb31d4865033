package fragments

import (
	"slices"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Mark marks the service part of the page's cluster as noise. A block's score is the share of its characters in chains
// of the service part, and the block is noise from Options.BlockShare on. A picture is noise when all its tags are in
// such chains.
func (h *host) Mark(p *page.Page, v model.Visit) *page.Marking {
	verdicts := make([]page.Verdict, len(p.Blocks))
	pages := h.Len()
	if p.Body == page.None {
		return p.NewMarking(verdicts, pages, nil)
	}
	r := read(p, h.Hasher())
	service := h.service(&r.out, v)
	for b := range p.Blocks {
		share := r.serviceShare(page.BlockID(b), service)
		verdicts[b] = page.Verdict{Noise: share >= h.opts.BlockShare, Score: float32(share)}
	}
	return p.NewMarking(verdicts, pages, func(e page.ElementID) bool { return r.isServicePicture(e, service) })
}

// service reports which fragments of a page belong to the service part.
func (h *host) service(r *record, v model.Visit) []bool {
	service := make([]bool, len(r.hashes))
	if len(h.clusters) == 0 {
		return service
	}
	chains := r.chains(h.Hasher(), h.opts.Chain)
	clusters := h.clusters
	if c, ok := h.clusterOf(chains, v); ok {
		clusters = clusters[c : c+1]
	}
	for i, ch := range chains {
		for _, c := range clusters {
			if c.has(ch.hash) {
				for j := i; j < i+h.opts.Chain; j++ {
					service[j] = true
				}
				break
			}
		}
	}
	return service
}

func (c *cluster) has(chain uint64) bool {
	_, found := slices.BinarySearch(c.nav, chain)
	return found
}

// clusterOf returns the cluster of the page. A page that was not clustered gets the cluster that it would join: the one
// whose service part it matches most, if the match is long enough. A leftover page has none.
func (h *host) clusterOf(chains []chain, v model.Visit) (c int, ok bool) {
	if c, clustered := h.member[h.URL(v)]; clustered {
		return c, c != leftover
	}
	d := newDocument(chains)
	most := int64(0)
	for i := range h.clusters {
		if bytes := h.clusters[i].match(d); bytes > most && float64(bytes) >= h.clusters[i].least {
			c, most, ok = i, bytes, true
		}
	}
	return c, ok
}

// match is the length of the part of the service part that is on a page.
func (c *cluster) match(d document) (bytes int64) {
	for _, ch := range d {
		if c.has(ch.hash) {
			bytes += ch.bytes
		}
	}
	return bytes
}

// serviceShare is the share of the block's characters, without white space, in service fragments.
func (r *reader) serviceShare(b page.BlockID, service []bool) float64 {
	bl := r.p.Blocks[b]
	in, all := 0, 0
	for i := bl.TextStart; i < bl.TextEnd; i++ {
		t := &r.p.Texts[i]
		if t.Block != b {
			continue
		}
		n := page.Ink(t.Data)
		if all += n; n > 0 && service[r.text[i]] {
			in += n
		}
	}
	return float64(in) / float64(max(all, 1))
}

// isServicePicture reports whether e shows something other than text, all of it in the service part.
func (r *reader) isServicePicture(e page.ElementID, service []bool) bool {
	for f := r.start[e]; f < r.end[e]; f++ {
		if !service[f] {
			return false
		}
	}
	for d := e; d < r.p.Elements[e].Sub; d++ {
		if page.IsPicture(r.p.Elements[d].Tag) {
			return true
		}
	}
	return false
}
