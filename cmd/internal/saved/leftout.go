package saved

import (
	"errors"
	"fmt"
	"sort"
	"sync"
)

// LeftOut is an input that could not be used.
type LeftOut struct {
	Name string
	Err  error
}

// String names the input and says why it was left out.
func (l LeftOut) String() string { return l.Name + ": left out: " + l.Err.Error() }

// LeftOuts collects inputs that were left out. It is safe for concurrent use.
type LeftOuts struct {
	mu   sync.Mutex
	list []LeftOut
}

// NewLeftOuts returns a collection that starts with list.
func NewLeftOuts(list []LeftOut) *LeftOuts { return &LeftOuts{list: list} }

// Add adds a page of a site.
func (l *LeftOuts) Add(site, page string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, LeftOut{site + "/" + page, err})
}

// Report names the left-out inputs with warn. It returns an error if there are any; total is the number of all inputs.
func (l *LeftOuts) Report(warn func(format string, args ...any), total int) error {
	sort.Slice(l.list, func(i, j int) bool { return l.list[i].Name < l.list[j].Name })
	for _, out := range l.list {
		warn("%s", out)
	}
	if len(l.list) > 0 {
		return fmt.Errorf("%d of %d pages left out", len(l.list), total)
	}
	return nil
}

// Join joins an error for each input that was left out.
func Join(list []LeftOut) (err error) {
	for _, out := range list {
		err = errors.Join(err, errors.New(out.String()))
	}
	return err
}
