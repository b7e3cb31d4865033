package sites

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Bounds of a book: of how many sites it has settings, and how many changes of a site can be undone.
const (
	maxSites = 10_000
	maxUndo  = 20
)

// Errors of a Book, wrapped with the site.
var (
	// ErrFull says that there are settings of too many sites.
	ErrFull = fmt.Errorf("there are settings of %d sites, which is the most", maxSites)
	// ErrNoChange says that there is no change to undo.
	ErrNoChange = errors.New("nothing to undo")
)

// Record is the settings of a site with their history.
type Record struct {
	Settings
	// At is when they were set, in whole seconds.
	At time.Time `json:"at"`
	// Before are the settings that were replaced, the newest last. The first of them may be zero.
	Before []Version `json:"before,omitempty"`
}

// Version is settings that were replaced.
type Version struct {
	Settings
	// At is when they had been set; zero where nothing had been set.
	At time.Time `json:"at,omitzero"`
}

// Book has the settings of all sites. Each change is on disk before it is in force. A Book is safe for concurrent use;
// a nil Book has no settings.
type Book struct {
	file string
	now  func() time.Time
	live atomic.Pointer[map[string]*Site]

	mu    sync.Mutex
	sites map[string]Record
}

// OpenBook opens the book in a file, which need not exist. An empty name stands for a book in memory alone. now is the
// clock; nil means time.Now. A file that can't be read is an error: sites that were to be left alone must not be opened
// because of it.
func OpenBook(file string, now func() time.Time) (*Book, error) {
	if now == nil {
		now = time.Now
	}
	b := &Book{file: file, now: now, sites: map[string]Record{}}
	live := map[string]*Site{}
	if file != "" {
		sites, err := readFile(file)
		if err != nil {
			return nil, fmt.Errorf("settings of sites: %w", err)
		}
		for host, record := range sites {
			if live[host], err = record.compile(); err != nil {
				return nil, fmt.Errorf("settings of sites: %s: %s: %w", file, host, err)
			}
		}
		b.sites = sites
	}
	b.live.Store(&live)
	return b, nil
}

// For returns the settings that are in force for a host in the form of [hostname.Site], nil where there are none.
func (b *Book) For(host string) *Site {
	if b == nil {
		return nil
	}
	return (*b.live.Load())[host]
}

// Get returns the settings of a host; zero where there are none.
func (b *Book) Get(host string) Record {
	if b == nil {
		return Record{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sites[host].clone()
}

// All returns the settings of all hosts that have some, or a history.
func (b *Book) All() map[string]Record {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make(map[string]Record, len(b.sites))
	for host, record := range b.sites {
		all[host] = record.clone()
	}
	return all
}

// Set replaces the settings of a host. It returns ErrInvalid (wrapped) for settings that can't be used.
func (b *Book) Set(host string, s Settings) error {
	return b.Import(map[string]Settings{host: s})
}

// Import replaces the settings of several hosts: of all or, when it returns an error, of none.
func (b *Book) Import(all map[string]Settings) error {
	return b.change(func(sites map[string]Record) error { return b.replace(sites, all) })
}

// replace replaces the settings of several hosts in a copy of the book.
func (b *Book) replace(sites map[string]Record, all map[string]Settings) error {
	for _, host := range slices.Sorted(maps.Keys(all)) {
		name, err := hostname.Site(host)
		if err != nil {
			return fmt.Errorf("%w: host %w", ErrInvalid, err)
		}
		s := all[host].tidy()
		if _, err := s.compile(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		was := sites[name]
		if was.equal(s) {
			continue
		}
		if len(sites) >= maxSites && was.At.IsZero() {
			return fmt.Errorf("%s: %w", name, ErrFull)
		}
		before := append(slices.Clone(was.Before), Version{was.Settings, was.At})
		sites[name] = Record{s, b.now().UTC().Truncate(time.Second), before[max(0, len(before)-maxUndo):]}
	}
	return nil
}

// Update changes the settings of a host from what they are.
func (b *Book) Update(host string, change func(*Settings)) error {
	s := b.Get(host).Settings
	change(&s)
	return b.Set(host, s)
}

// AddRule adds the rule that the parts of a host which a selector matches always stay, or always go.
func (b *Book) AddRule(host, selector string, stay bool) error {
	return b.Update(host, func(s *Settings) {
		other := func(list []string) []string {
			return slices.DeleteFunc(list, func(known string) bool { return known == selector })
		}
		s.Keep, s.Remove = other(s.Keep), other(s.Remove)
		if stay {
			s.Keep = append(s.Keep, selector)
		} else {
			s.Remove = append(s.Remove, selector)
		}
	})
}

// Undo brings back the settings that the last change of a host has replaced. It returns ErrNoChange (wrapped) where
// there is none.
func (b *Book) Undo(host string) error {
	return b.change(func(sites map[string]Record) error { return undo(sites, host) })
}

func undo(sites map[string]Record, host string) error {
	r := sites[host]
	if len(r.Before) == 0 {
		return fmt.Errorf("%s: %w", host, ErrNoChange)
	}
	last := r.Before[len(r.Before)-1]
	sites[host] = Record{last.Settings, last.At, r.Before[:len(r.Before)-1]}
	if len(r.Before) == 1 && last.IsZero() {
		delete(sites, host)
	}
	return nil
}

// Remove removes the settings of a host and their history, so that nothing can be undone.
func (b *Book) Remove(host string) error {
	return b.change(func(sites map[string]Record) error {
		delete(sites, host)
		return nil
	})
}

// change changes a copy of the book, writes it, and puts it into force.
func (b *Book) change(do func(map[string]Record) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	sites := maps.Clone(b.sites)
	if err := do(sites); err != nil {
		return err
	}
	live := make(map[string]*Site, len(sites))
	for host, record := range sites {
		if before, same := b.sites[host]; same && before.equal(record.Settings) {
			live[host] = (*b.live.Load())[host]
			continue
		}
		site, err := record.compile()
		if err != nil {
			return fmt.Errorf("%s: %w", host, err)
		}
		live[host] = site
	}
	if b.file != "" {
		if err := writeFile(b.file, sites); err != nil {
			return fmt.Errorf("settings of sites: %w", err)
		}
	}
	b.sites = sites
	b.live.Store(&live)
	return nil
}

// clone returns a copy in memory of its own.
func (r Record) clone() Record {
	r.Settings = r.tidy()
	r.Before = slices.Clone(r.Before)
	return r
}
