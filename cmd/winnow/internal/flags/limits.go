package flags

import (
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/proxy/limits"
)

// Limits are the limits of the table in package limits, and the bound of the store.
type Limits struct {
	limits.Limits
	StoreSize int64 `hidden:"" reload:"restart" default:"1024" placeholder:"MIB" help:"Size of the model store in MiB, of which the models take up to 70 percent; the least useful are removed first (default: ${default})."`
}

// smallestStore has room for a batch of models beside the stored ones.
const smallestStore = 64

// Largest is the greatest size in KiB and MiB. In bytes it must fit into an int64.
const Largest = 1 << 20

// Check refuses invalid limits.
func (f Limits) Check() error {
	if err := f.Limits.Check(); err != nil {
		return console.Usagef("%w", err)
	}
	if f.StoreSize > Largest {
		return console.Usagef("--limit store-size: %d is more than any machine has: the most is %d", f.StoreSize, int64(Largest))
	}
	if f.StoreSize < smallestStore {
		return console.Usagef("--limit store-size: %d MiB is not enough: give %d or more", f.StoreSize, smallestStore)
	}
	return nil
}
