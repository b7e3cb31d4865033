package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// ablate prints what the sites' F1 is with all rules of blend, and without each of them.
func (c *evalCmd) ablate(ctx context.Context, p *console.Console) error {
	table := console.Table{Head: []string{"without", "F1", "change", "pages 21+", "change", "the rule", "found on"}}
	var with evaluate.Summary
	for _, rule := range append([]blend.Rule{{Name: "nothing"}}, blend.Rules()...) {
		without := *c
		if rule.Purpose != "" {
			without.Without = append(append([]string(nil), c.Without...), rule.Name)
		}
		runner, err := without.Runner(evaluate.Online)
		if err != nil {
			return err
		}
		sites, err := c.loadSites()
		if err != nil {
			return err
		}
		if slices.ContainsFunc(sites, (*evaluate.Site).HasText) {
			return console.Usagef("--ablate: the gold of %s is text: name a corpus of sites with selectors", c.Corpus)
		}
		results, err := runner.Sites(ctx, sites)
		if err != nil {
			return err
		}
		s := results[0].Summary
		if rule.Purpose == "" {
			with = s
		}
		last := evaluate.LastBucket
		table.Add(rule.Name, fmt.Sprintf("%.4f", s.All.F1), fmt.Sprintf("%+.4f", s.All.F1-with.All.F1), fmt.Sprintf("%.4f", s.Buckets[last].F1),
			fmt.Sprintf("%+.4f", s.Buckets[last].F1-with.Buckets[last].F1), rule.Purpose, rule.Found)
	}
	return console.WriteMarkdown(p.Stdout, []console.Table{table})
}
