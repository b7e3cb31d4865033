package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// templateRules measures the rules of winnow template on each site.
func (c *evalCmd) templateRules(ctx context.Context, p *console.Console, r *evaluate.Runner, sites []*evaluate.Site, done func()) error {
	if c.TemplateRules < 1 || len(r.Detectors) != 1 || slices.ContainsFunc(sites, (*evaluate.Site).HasText) {
		done()
		return console.Usagef("--template-rules %d: want a number of pages, one detector and a corpus of sites with selectors", c.TemplateRules)
	}
	results, err := r.TemplateRules(ctx, sites, c.TemplateRules)
	done()
	if err != nil {
		return err
	}
	table := rulesTable(results)
	return c.PrintTable(p, results, table)
}

// rulesTable has a row for each site, and one for all: the means, and the share of the sites where rules are near the
// detector.
func rulesTable(results []evaluate.RuleScore) console.Table {
	t := console.Table{Head: []string{"site", "pages", "F1 of winnow", "hide", "less", "selectors", "hold", "less", "selectors", "strip"}}
	var own, hide, hold float64
	nearHide, nearHold, pages := 0, 0, 0
	for _, s := range results {
		t.Add(s.Site, fmt.Sprint(s.Pages), fmt.Sprintf("%.4f", s.Own),
			fmt.Sprintf("%.4f", s.Hide), fmt.Sprintf("%+.4f", s.Hide-s.Own), fmt.Sprint(len(s.Rules.Hide.Rules)),
			fmt.Sprintf("%.4f", s.Hold), fmt.Sprintf("%+.4f", s.Hold-s.Own), fmt.Sprint(len(s.Rules.Hold.Rules)), fmt.Sprint(len(s.Rules.Strip.Rules)))
		own, hide, hold, pages = own+s.Own, hide+s.Hide, hold+s.Hold, pages+s.Pages
		if s.Hide >= s.Own-evaluate.RulesNear {
			nearHide++
		}
		if s.Hold >= s.Own-evaluate.RulesNear {
			nearHold++
		}
	}
	n := float64(max(1, len(results)))
	t.Add("mean", fmt.Sprint(pages), fmt.Sprintf("%.4f", own/n), fmt.Sprintf("%.4f", hide/n), fmt.Sprintf("%+.4f", (hide-own)/n), "",
		fmt.Sprintf("%.4f", hold/n), fmt.Sprintf("%+.4f", (hold-own)/n), "", "")
	t.Add(fmt.Sprintf("within %.2f of winnow", evaluate.RulesNear), "", "", fmt.Sprintf("%d of %d", nearHide, len(results)), "", "",
		fmt.Sprintf("%d of %d", nearHold, len(results)), "", "", "")
	return t
}
