package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/ruletest"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
	"github.com/winnow-proxy/winnow/model/override"
)

// checkCmd is winnow check.
type checkCmd struct {
	Detector string   `default:"${detector}" placeholder:"NAME" help:"Detector that marks the pages before the rules apply (default: ${default})."`
	Host     []string `arg:"" optional:"" placeholder:"HOST" help:"Only the rules of these hosts, as the configuration names them."`
}

// Help gives examples.
func (*checkCmd) Help() string {
	return `The section "overrides" of the configuration has rules for single hosts: CSS selectors of parts to keep, parts to remove and pages to leave unchanged. Its tests name pages, and texts that these must have or must lack after cleaning. Every page is marked as the first of its host, so that a test has the same result everywhere. A page of which the rules leave nothing stays as it is (no-content), and so does one that they ignore; the result says so. The exit code is 1 when a test fails.

  overrides:
    example.org:
      keep: ["#correction"]
      remove: [".promo, .paywall-teaser"]
      ignore: ["body.webmail"]
      test:
        - file: pages/example.html
          has: ["Corrected on Tuesday"]
          lacks: ["Subscribe now"]
        - url: https://example.org/2024/a-story
          has: ["A story"]

Examples:

  winnow check --config winnow.yaml
  winnow check --config winnow.yaml example.org`
}

// checkError has the number of failed tests.
type checkError struct{ failed, all int }

func (e checkError) Error() string { return fmt.Sprintf("%d of %d tests failed", e.failed, e.all) }

// Run runs the tests.
func (c *checkCmd) Run(ctx context.Context, p *console.Console, conf *settings.Parsed) error {
	if len(conf.Rules.Hosts()) == 0 {
		return console.Usagef("there is nothing to check: --config names no file with a section %s", settings.OverridesKey)
	}
	detector, err := flags.Detector(c.Detector)
	if err != nil {
		return err
	}
	hosts := c.Host
	if len(hosts) == 0 {
		hosts = conf.Rules.Hosts()
	}
	var result checkError
	for _, name := range hosts {
		if !slices.Contains(conf.Rules.Hosts(), name) {
			return console.Usagef("there are no rules for %s", name)
		}
		site := conf.Rules.Site(name)
		rules, err := override.Compile(site)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, t := range site.Test {
			result.all++
			faults, passed := ruletest.Faults(ctx, detector, rules, t)
			if len(faults) > 0 {
				result.failed++
			}
			if err := printTest(p, name, t, faults, passed); err != nil {
				return err
			}
		}
	}
	if result.failed > 0 {
		return result
	}
	p.Warnf("%d tests passed", result.all)
	return nil
}

// printTest prints the result of a test. passed says why the page is not cleaned at all.
func printTest(p *console.Console, host string, t override.Test, faults []string, passed string) error {
	verdict := p.Paint()("32", "ok  ")
	if len(faults) > 0 {
		verdict = p.Paint()("31", "FAIL")
	}
	note := ""
	if passed != "" {
		note = " (the page stays as it is: " + passed + ")"
	}
	_, err := fmt.Fprintf(p.Stdout, "%s %s %s%s%s\n", verdict, host, t.File, t.URL, note)
	for _, f := range faults {
		if err == nil {
			_, err = fmt.Fprintf(p.Stdout, "     %s\n", f)
		}
	}
	return err
}
