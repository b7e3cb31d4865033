package natsstore

import (
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/storetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	dir := t.TempDir()
	locals := map[string]*storetest.Memory{}
	storetest.Run(t, func(name string) (cache.Store, error) {
		locals[name] = storetest.NewMemory(locals[name])
		return Open(Options{Local: locals[name], Servers: []string{s.ClientURL()}, Key: fleetKey(), Detector: storetest.Detector,
			State: filepath.Join(dir, filepath.Base(name))})
	})
}
