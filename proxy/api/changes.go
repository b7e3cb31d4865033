package api

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"net/http"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write/markdown"
)

// Bounds of what is kept to tell what has changed: a hash for each block of a page, and no text.
const (
	traceFor   = 7 * 24 * time.Hour
	traceBytes = 8 << 20
	tracePages = 8192
	hashBytes  = 8
)

// changes are the blocks of a page that differ from those of an earlier fetch.
type changes struct {
	URL  string `json:"url"`
	ETag string `json:"etag,omitempty"`
	// Since is the fetch that was named. Known is false if nothing is kept of it: then all blocks are new.
	Since string `json:"since,omitempty"`
	Known bool   `json:"known"`
	// Blocks is how many blocks the page has now.
	Blocks int `json:"blocks"`
	// New are blocks that the page did not have; Changed those that stand in the place of others.
	New     []changedBlock `json:"new"`
	Changed []changedBlock `json:"changed"`
	// Gone are the places of blocks that the page does not have any more: their text is not kept.
	Gone []goneBlock `json:"gone"`
}

// changedBlock is a block as Markdown, with its number from 1.
type changedBlock struct {
	Block int    `json:"block"`
	Text  string `json:"text"`
}

// goneBlock says after which block of the page, from 1, one is gone; 0 is the beginning.
type goneBlock struct {
	After int `json:"after"`
}

// changes serves GET /api/v1/changes.
func (a *api) changes(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	since := q.Get("since")
	q.Del("since")
	v, err := a.fromQuery(q)
	if err == nil && since != "" && !isTag(since) {
		err = wrong("since", fmt.Sprintf("since %q: want the field ETag of an answer in mode markdown, or of this one", since))
	}
	if err != nil {
		problemOf(err).Write(w)
		return
	}
	v.Mode, v.Tokens, v.Part = page.ModeMarkdown, 0, 1
	if since != "" {
		v.has = []string{since}
	}
	found, err := a.clean(r.Context(), v)
	if err != nil {
		problemOf(err).Write(w)
		return
	}
	if found.Unchanged {
		a.traces.renew(traceKey(r.Context(), v, since)) // who watches a page that rarely changes has to find it known
		writeJSON(w, newChanges(v.URL, since, found.ETag, true))
		return
	}
	earlier, known := a.traces.get(traceKey(r.Context(), v, since))
	out, blocks := newChanges(found.URL, since, found.ETag, known), markdown.Blocks(string(found.Body))
	out.compare(blocks, a.hashesOf(blocks), earlier.Body)
	writeJSON(w, out)
}

// isTag reports whether a text is one entity tag (RFC 9110, section 8.8.3).
func isTag(text string) bool {
	opaque, quoted := strings.CutPrefix(strings.TrimPrefix(text, "W/"), `"`)
	return quoted && opaque != "" && strings.IndexByte(opaque, '"') == len(opaque)-1
}

func newChanges(url, since, etag string, known bool) *changes {
	return &changes{URL: url, Since: since, ETag: etag, Known: known, New: []changedBlock{}, Changed: []changedBlock{}, Gone: []goneBlock{}}
}

// traceKey is the key of what one client's fetch of a page has left.
func traceKey(ctx context.Context, v params, tag string) pageKey {
	return pageKey{whoAsks(ctx).Name(), v.URL, tag}
}

// hashesOf returns the hashes of the blocks of a page, one after the other.
func (a *api) hashesOf(blocks []string) (hashes []byte) {
	for _, block := range blocks {
		hashes = binary.LittleEndian.AppendUint64(hashes, maphash.String(a.seed, strings.Join(strings.Fields(block), " ")))
	}
	return hashes
}

// compare fills in what is new, changed and gone. A block that has moved is none of them. Where blocks are gone and
// others are new between the same neighbours, these have changed, in order.
func (c *changes) compare(blocks []string, now, before []byte) {
	c.Blocks = len(blocks)
	places := map[[hashBytes]byte][]int{} // of each hash in the earlier page
	for i := range len(before) / hashBytes {
		h := hashAt(before, i)
		places[h] = append(places[h], i)
	}
	kept := make([]int, len(before)/hashBytes) // the number of the block that a block of the earlier page is now
	var fresh []changedBlock
	behind := map[int][]int{} // for each kept block of the earlier page, the numbers in fresh of those behind it
	last := -1
	for i, text := range blocks {
		h := hashAt(now, i)
		if at := places[h]; len(at) > 0 {
			places[h], last = at[1:], at[0]
			kept[last] = i + 1
			continue
		}
		behind[last] = append(behind[last], len(fresh))
		fresh = append(fresh, changedBlock{i + 1, text})
	}
	replaces := make([]bool, len(fresh))
	last = -1
	for i, block := range kept {
		if block > 0 {
			last = i
			continue
		}
		if free := behind[last]; len(free) > 0 {
			replaces[free[0]], behind[last] = true, free[1:]
			continue
		}
		after := 0
		if last >= 0 {
			after = kept[last]
		}
		c.Gone = append(c.Gone, goneBlock{after})
	}
	for i, block := range fresh {
		if replaces[i] {
			c.Changed = append(c.Changed, block)
		} else {
			c.New = append(c.New, block)
		}
	}
}

func hashAt(hashes []byte, i int) (h [hashBytes]byte) {
	copy(h[:], hashes[i*hashBytes:])
	return h
}
