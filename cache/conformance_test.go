package cache_test

import (
	"testing"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/storetest"
)

// The store of this package's own tests behaves like any other.
func TestFakeStoreConforms(t *testing.T) {
	stores := map[string]cache.Store{}
	storetest.Run(t, func(name string) (cache.Store, error) {
		stores[name] = cache.NewMemStore(stores[name])
		return stores[name], nil
	})
}
