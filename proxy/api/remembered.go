package api

import (
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// Bounds of what is remembered of pages that come in parts.
const (
	rememberFor   = 10 * time.Minute
	rememberBytes = 32 << 20
	rememberPages = 256
)

// pageKey is a page in one form, as one client asked for it.
type pageKey struct{ client, url, form string }

func keyOf(who access.Identity, v params) pageKey {
	var form strings.Builder
	if v.Private {
		form.WriteString("private\n")
	}
	_ = v.header().Write(&form) // sorted
	return pageKey{who.Name(), v.URL, form.String()}
}

// remembered has what is kept of pages for the clients that asked for them: the pages that come in parts, so that each
// part after the first is of the same page and costs its site nothing, or the traces of pages that clients watch. It is
// in memory alone, and bounded. It is safe for concurrent use.
type remembered struct {
	mu    sync.Mutex
	pages *simplelru.LRU[pageKey, *rememberedPage]
	// bytes is the size of all pages, at most maxBytes. A page is kept for the time keep.
	bytes, maxBytes int
	keep            time.Duration
}

type rememberedPage struct {
	answer
	until time.Time
}

func newRemembered(pages, maxBytes int, keep time.Duration) *remembered {
	r := &remembered{maxBytes: maxBytes, keep: keep}
	// It fails for a size of 0 alone.
	r.pages, _ = simplelru.NewLRU(pages, func(k pageKey, p *rememberedPage) { r.bytes -= p.size(k) })
	return r
}

// size is how many bytes count for a page: programs and sites choose addresses and tags as long as they like.
func (p *rememberedPage) size(k pageKey) int {
	return len(p.Body) + len(k.client) + len(k.url) + len(k.form)
}

// put remembers a page, in place of an earlier version.
func (r *remembered) put(k pageKey, page answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pages.Remove(k)
	p := &rememberedPage{page, time.Now().Add(r.keep)}
	if p.size(k) > r.maxBytes/4 {
		return
	}
	r.pages.Add(k, p)
	for r.bytes += p.size(k); r.bytes > r.maxBytes; {
		r.pages.RemoveOldest()
	}
}

// get returns a page, unless it is too old.
func (r *remembered) get(k pageKey) (answer, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.pages.Get(k)
	if ok && time.Now().After(p.until) {
		r.pages.Remove(k)
		ok = false
	}
	if !ok {
		return answer{}, false
	}
	return p.answer, true
}

// renew keeps a page, if it is there, for as long as one that comes now.
func (r *remembered) renew(k pageKey) {
	if p, ok := r.get(k); ok {
		r.put(k, p)
	}
}
