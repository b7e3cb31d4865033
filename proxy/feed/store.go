package feed

import (
	"net/url"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Bounds of what is kept in memory.
const (
	storeItems = 4096
	storeBytes = 32 << 20
)

// item is a feed, or the content of a page, as it was at a time. It does not change.
type item struct {
	body        []byte
	contentType string
	// tag and modified are the validators that the origin gave.
	tag, modified string
	// url is where it was found, after redirects.
	url *url.URL
	at  time.Time
	// err is why there is none.
	err error
	// rules are those of a robots.txt, which count until a time.
	rules rules
	until time.Time
}

// size is about what the item takes in memory.
func (it *item) size() int { return 512 + len(it.body) + len(it.tag) + it.rules.size() }

// store has the items that were used last, in memory alone. It is safe for concurrent use.
type store struct {
	mu    sync.Mutex
	items *simplelru.LRU[string, *item]
	bytes int
}

func newStore() *store {
	s := &store{}
	// It fails for a size of 0 alone.
	s.items, _ = simplelru.NewLRU(storeItems, func(key string, it *item) { s.bytes -= it.size() + len(key) })
	return s
}

// get returns an item, or nil.
func (s *store) get(key string) *item {
	s.mu.Lock()
	defer s.mu.Unlock()
	it, _ := s.items.Get(key)
	return it
}

// put keeps an item, and lets go of others.
func (s *store) put(key string, it *item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items.Remove(key)
	s.bytes += it.size() + len(key)
	s.items.Add(key, it)
	for s.bytes > storeBytes {
		s.items.RemoveOldest()
	}
}

// renew keeps an item that its origin says is current.
func (s *store) renew(key string, it *item, now time.Time) *item {
	current := *it
	current.at = now
	s.put(key, &current)
	return &current
}
