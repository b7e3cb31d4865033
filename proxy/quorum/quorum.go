// Package quorum lets a page teach only what several clients have seen of it. What a model knows then reveals nothing
// about a single client (k-anonymity: Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002).
package quorum

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// Most is the largest quorum.
const Most = 8

// Bounds of the memory: the most entries, about 10 MiB, and the time after which entries expire. An entry counts for at
// least one and less than two such periods. A client may bring perClient entries in a period, so that it takes sixteen
// to have those of others forgotten before their time.
const (
	remembered = 1 << 17
	span       = 6 * time.Hour
	perClient  = remembered / 8
)

// Quorum counts how many clients have seen pages, blocks and links. It keeps their keyed hashes, and 16 bits of a keyed
// hash of each client, in memory only, under a key of this process. Two clients with the same bits count as one, which
// is the safe error. It is safe for concurrent use.
type Quorum struct {
	clients int
	now     func() time.Time
	seed    maphash.Seed

	mu sync.Mutex
	// young has the entries since began, old those of the period before.
	young, old map[uint64]seenBy
	began      time.Time
	// brought counts the entries that each client has brought since counted.
	brought map[uint16]int
	counted time.Time
}

// seenBy are the clients that have seen an entry: the first n of ids.
type seenBy struct {
	ids [Most]uint16
	n   uint8
}

// New returns a quorum of 2 to Most clients; now is its clock.
func New(clients int, now func() time.Time) *Quorum {
	return &Quorum{clients: min(max(clients, 2), Most), now: now, seed: maphash.MakeSeed(), began: now(),
		young: map[uint64]seenBy{}, counted: now(), brought: map[uint16]int{}}
}

// Seen notes that a client has seen the page at url. It returns the page without the blocks and links that too few
// clients, this one included, have seen. It returns nil if too few have been at url or nothing is left.
func (q *Quorum) Seen(client, url string, p *page.Page) *page.Page {
	c := &census{q: q, p: p, id: uint16(maphash.String(q.seed, client)), host: hostOf(url)}
	q.mu.Lock()
	q.age()
	known := c.enough('u', url)
	c.blocks()
	c.addresses()
	root := page.ElementID(0)
	if p.Body != page.None {
		root = p.Body
	}
	c.walk(root)
	q.mu.Unlock()
	if !known || len(p.Blocks) == 0 || !slices.Contains(c.good, true) {
		return nil
	}
	return c.rest()
}

// age drops entries that are too old or too many.
func (q *Quorum) age() {
	now := q.now()
	if now.Sub(q.began) >= span || len(q.young) >= remembered {
		q.young, q.old, q.began = make(map[uint64]seenBy, len(q.young)/2), q.young, now
	}
	if now.Sub(q.counted) >= span {
		clear(q.brought)
		q.counted = now
	}
}

// note adds a client to those that have seen an entry, and returns how many have, at most the quorum. It notes no new
// entry of a client that has brought its part.
func (q *Quorum) note(thing uint64, id uint16) int {
	s, young := q.young[thing]
	known := young
	if !young {
		s, known = q.old[thing]
	}
	if !known {
		if q.brought[id] >= perClient {
			return 0
		}
		q.brought[id]++
	}
	if int(s.n) < q.clients && !slices.Contains(s.ids[:s.n], id) {
		s.ids[s.n] = id
		s.n++
	}
	if len(q.young) < 2*remembered || young { // one page may bring many things
		q.young[thing] = s
	}
	return int(s.n)
}

// census examines one page for one client.
type census struct {
	q    *Quorum
	p    *page.Page
	id   uint16
	host string
	// good says of each block whether enough clients have seen it.
	good []bool
	// strange are the elements that have an address which too few clients have seen.
	strange map[page.ElementID]bool
	cuts    page.Marking
	text    []byte
}

// enough notes an entry of a kind on the page's host, and reports whether enough clients have seen it.
func (c *census) enough(kind byte, thing string) bool {
	var h maphash.Hash
	h.SetSeed(c.q.seed)
	h.WriteByte(kind)
	h.WriteString(c.host)
	h.WriteByte(0)
	h.WriteString(thing)
	return c.q.note(h.Sum64(), c.id) >= c.q.clients
}

func (c *census) blocks() {
	c.good = make([]bool, len(c.p.Blocks))
	c.cuts.Verdicts = make([]page.Verdict, len(c.p.Blocks))
	for b := range c.p.Blocks {
		c.text = c.p.BlockText(c.text[:0], page.BlockID(b))
		c.good[b] = c.enough('b', string(c.text))
		c.cuts.Verdicts[b] = page.Verdict{Noise: !c.good[b], Score: 1}
	}
}

// walk marks what to remove of the subtree of e: elements with addresses that too few clients have seen, elements of
// which no block stays, and single blocks.
func (c *census) walk(e page.ElementID) {
	el := &c.p.Elements[e]
	none := el.BlockStart < el.BlockEnd && !slices.Contains(c.good[el.BlockStart:el.BlockEnd], true)
	if e != c.p.Body && (none || c.strange[e]) {
		c.cut(page.Mark{Element: e, BlockStart: el.BlockStart, BlockEnd: el.BlockEnd, Kind: page.KindOther, Score: 1})
		return
	}
	next := el.BlockStart
	for child := range c.p.Children(e) {
		ch := &c.p.Elements[child]
		if ch.BlockStart < ch.BlockEnd {
			c.loose(next, ch.BlockStart)
			next = ch.BlockEnd
		}
		c.walk(child)
	}
	c.loose(next, el.BlockEnd)
}

// addresses examines the addresses that elements link to or load.
func (c *census) addresses() {
	c.strange = map[page.ElementID]bool{}
	for e := range c.p.Elements {
		for _, a := range c.p.Attrs(page.ElementID(e)) {
			switch a.Key {
			case "href", "src", "srcset", "action":
				if !c.enough('l', a.Val) {
					c.strange[page.ElementID(e)] = true
				}
			}
		}
	}
}

// loose marks the blocks of a range that share their element with other content.
func (c *census) loose(from, to page.BlockID) {
	for b := from; b < to; b++ {
		if !c.good[b] {
			c.cut(page.Mark{Element: page.None, BlockStart: b, BlockEnd: b + 1, Kind: page.KindOther, Score: 1})
		}
	}
}

func (c *census) cut(m page.Mark) {
	c.cuts.Marks = append(c.cuts.Marks, m)
	for b := m.BlockStart; b < m.BlockEnd; b++ {
		c.cuts.Verdicts[b].Noise = true
	}
}

// rest returns the page without what was marked, or nil if it can't be cut.
func (c *census) rest() *page.Page {
	if len(c.cuts.Marks) == 0 {
		return c.p
	}
	out, err := write.Page(c.p, &c.cuts, page.ModeRemove)
	if err != nil {
		return nil
	}
	rest, err := page.Parse(out.Body, out.ContentType)
	if err != nil || len(rest.Blocks) == 0 {
		return nil
	}
	return rest
}

// hostOf returns the host of a URL, with its port.
func hostOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}
