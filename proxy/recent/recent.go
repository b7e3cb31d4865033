// Package recent keeps, in memory and for the operator alone, what the proxy did last: the last pages, without who
// asked for them, and the devices that ask for pages, without what they read.
package recent

import (
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/winnow-proxy/winnow/proxy/accesslog"
)

// Bounds on pages and devices. The device that asked for nothing for longest goes first.
const (
	maxPages   = 30
	maxDevices = 100
)

// Page is an answer that people would read as a page.
type Page struct {
	At time.Time
	// Host is the site, Outcome what became of the page: the value of the field Winnow.
	Host, Outcome string
}

// Device is a client of the proxy, by the name that its choices have.
type Device struct {
	Name  string
	Seen  time.Time
	Pages int
}

// Book keeps both. It is safe for concurrent use, and its zero value is empty.
type Book struct {
	mu      sync.Mutex
	pages   []Page
	devices map[string]Device
}

// isPage reports whether an outcome is of a page, and not of what pages load.
func isPage(outcome string) bool {
	name, rest, _ := strings.Cut(outcome, "; reason=")
	reason, _, _ := strings.Cut(rest, ";")
	switch reason {
	case "method", "not-modified", "range", "type", "event-stream", "upgrade", "fragment", "attachment", "status", "canceled":
		return false
	}
	return name != ""
}

// Record takes a request that was answered.
func (b *Book) Record(e accesslog.Entry) {
	if !isPage(e.Outcome) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pages = append([]Page{{e.Time, e.Host, e.Outcome}}, b.pages[:min(len(b.pages), maxPages-1)]...)
	if e.Device == "" {
		return
	}
	if b.devices == nil {
		b.devices = map[string]Device{}
	}
	b.devices[e.Device] = Device{e.Device, e.Time, b.devices[e.Device].Pages + 1}
	if len(b.devices) > maxDevices {
		list := b.list()
		delete(b.devices, list[len(list)-1].Name)
	}
}

// Pages lists the last pages, the newest first.
func (b *Book) Pages() []Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pages // it is replaced as a whole
}

// Devices lists the devices, the one seen last first.
func (b *Book) Devices() []Device {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.list()
}

func (b *Book) list() []Device {
	list := make([]Device, 0, len(b.devices))
	for _, d := range b.devices {
		list = append(list, d)
	}
	sort.Slice(list, func(i, j int) bool {
		x, y := list[i], list[j]
		return x.Seen.After(y.Seen) || x.Seen.Equal(y.Seen) && x.Name < y.Name
	})
	return list
}
