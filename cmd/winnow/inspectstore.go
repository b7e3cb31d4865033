package main

import (
	"time"

	"github.com/winnow-proxy/winnow/cache/boltstore"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
)

// inspectStoreCmd checks the file of a store. winnow starts it before it opens a store, because a damaged file can end
// the process that reads it.
type inspectStoreCmd struct {
	Dir string `arg:""`
}

// Run returns an error if the file is not sound.
func (c *inspectStoreCmd) Run(p *console.Console) error {
	return boltstore.Inspect(c.Dir, 3*time.Second, p.Stdout)
}
