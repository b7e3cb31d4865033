package main

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// taps measures how much a reader's taps improve each site, the worst site first.
func (c *evalCmd) taps(ctx context.Context, p *console.Console, r *evaluate.Runner, sites []*evaluate.Site, done func()) error {
	if len(r.Detectors) != 1 || r.Protocol != evaluate.Online {
		done()
		return console.Usagef("--taps measures one detector, by the online protocol")
	}
	results, err := r.Teach(ctx, sites, c.Taps)
	done()
	if err != nil {
		return err
	}
	sort.SliceStable(results, func(i, j int) bool { return results[i].All < results[j].All })
	table := tapsTable(results)
	return c.PrintTable(p, results, table)
}

func tapsTable(results []evaluate.TaughtSite) console.Table {
	t := console.Table{Head: []string{"site", "F1 of all pages", "taps on pages", "pages after", "F1 before", "F1 after", "better", "worse"}}
	for _, s := range results {
		t.Add(s.Site, fmt.Sprintf("%.4f", s.All), strings.Trim(fmt.Sprint(s.Taps), "[]"), fmt.Sprint(s.Pages),
			fmt.Sprintf("%.4f", s.Before), fmt.Sprintf("%.4f", s.After), fmt.Sprint(s.Better), fmt.Sprint(s.Worse))
	}
	return t
}
