package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/cache/boltstore"
)

// stored is the output of winnow models list for one host.
type stored struct {
	Host  string `json:"host"`
	Pages int    `json:"pages"`
}

// kills repeatedly starts winnow, kills it under load, and checks its store.
func kills(ctx context.Context, o options, p *program, r *report) error {
	w, err := newWorld(p.dir, o)
	if err != nil {
		return err
	}
	defer w.close()
	before, err := p.stored(ctx)
	if err != nil {
		return err
	}
	chance := rand.New(rand.NewPCG(o.Seed, 9))
	for i := range o.Kills {
		if err := p.killed(ctx, w, o, time.Second+time.Duration(chance.IntN(2000))*time.Millisecond, uint64(i)); err != nil {
			return err
		}
		r.Kills++
		after, err := p.stored(ctx)
		if err == nil {
			err = lost(before, after)
		}
		if err == nil {
			err = p.setAside()
		}
		if err != nil {
			r.violate("kill %d: %v", i+1, err)
		} else {
			r.Intact++
		}
		before = after
	}
	return ctx.Err()
}

// killed runs winnow under load for d and kills it. winnow saves often, so that the kill happens during a save.
func (p *program) killed(ctx context.Context, w *world, o options, d time.Duration, seed uint64) error {
	proc, err := p.start(ctx, w, "WINNOW_FLUSH_EVERY=100ms")
	if err != nil {
		return err
	}
	defer proc.kill()
	loading, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	lost := newReport(o) // errors of clients of a killed proxy don't matter
	f, err := newFleet(ctx, w, lost, proc.proxy)
	if err != nil {
		return err
	}
	time.AfterFunc(d*9/10, func() { _ = proc.cmd.Process.Kill() })
	f.run(loading, o.Clients, o.Seed+100+seed)
	return nil
}

// stored returns the pages per host in winnow's store.
func (p *program) stored(ctx context.Context) (map[string]int, error) {
	cmd := exec.CommandContext(ctx, p.path, "models", "list", "--json", "--data", p.data())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("winnow models list: %w: %s", err, stderr.String())
	}
	if stderr.Len() > 0 {
		return nil, fmt.Errorf("winnow models list complains: %s", stderr.String())
	}
	var hosts []stored
	if err := json.Unmarshal(out, &hosts); err != nil {
		return nil, fmt.Errorf("winnow models list: %w", err)
	}
	pages := map[string]int{}
	for _, h := range hosts {
		pages[h.Host] = h.Pages
	}
	return pages, nil
}

// lost reports a host with fewer pages than before.
func lost(before, after map[string]int) error {
	for host, n := range before {
		if after[host] < n {
			return fmt.Errorf("the store has lost pages of %s: %d, where there were %d", host, after[host], n)
		}
	}
	return nil
}

// setAside reports a store that winnow found damaged and set aside.
func (p *program) setAside() error {
	if kept := boltstore.KeptFiles(p.data()); len(kept) > 0 {
		return fmt.Errorf("winnow has set %s aside", filepath.Base(kept[0]))
	}
	return nil
}
