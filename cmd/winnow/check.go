package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page"
)

// checkCmd is winnow check.
type checkCmd struct {
	Detector string   `default:"${detector}" placeholder:"NAME" help:"Detector that the rules come after (default: ${default})."`
	Host     []string `arg:"" optional:"" placeholder:"HOST" help:"Only the rules of these hosts, as the configuration names them."`
}

// Help gives examples.
func (*checkCmd) Help() string {
	return `The section "overrides" of the configuration says for single hosts what to keep, remove and ignore by CSS selector, and names pages with texts that these have to show or to lack when they are cleaned. Every page is judged as its host's first, so that a test says the same everywhere. Exit code 1 says that a test failed.

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

// checkError says how many tests failed.
type checkError struct{ failed, all int }

func (e checkError) Error() string { return fmt.Sprintf("%d of %d tests failed", e.failed, e.all) }

// Run runs the tests.
func (c *checkCmd) Run(ctx context.Context, p *program) error {
	if len(p.overrides.Hosts()) == 0 {
		return usagef("there is nothing to check: --config names no file with a section %s", overridesKey)
	}
	detector, err := detectorNamed(c.Detector)
	if err != nil {
		return err
	}
	hosts := c.Host
	if len(hosts) == 0 {
		hosts = p.overrides.Hosts()
	}
	var result checkError
	for _, name := range hosts {
		if !slices.Contains(p.overrides.Hosts(), name) {
			return usagef("there are no rules for %s", name)
		}
		site := p.overrides.Site(name)
		rules, err := override.Compile(site)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, t := range site.Test {
			result.all++
			faults := c.faults(ctx, detector, rules, t)
			if len(faults) > 0 {
				result.failed++
			}
			if err := printTest(p, name, t, faults); err != nil {
				return err
			}
		}
	}
	if result.failed > 0 {
		return result
	}
	p.warnf("%d tests passed", result.all)
	return nil
}

// printTest prints what came of a test.
func printTest(p *program, host string, t override.Test, faults []string) error {
	verdict := p.paint()("32", "ok  ")
	if len(faults) > 0 {
		verdict = p.paint()("31", "FAIL")
	}
	_, err := fmt.Fprintf(p.stdout, "%s %s %s%s\n", verdict, host, t.File, t.URL)
	for _, f := range faults {
		if err == nil {
			_, err = fmt.Fprintf(p.stdout, "     %s\n", f)
		}
	}
	return err
}

// faults says what is wrong with a page.
func (c *checkCmd) faults(ctx context.Context, d model.Detector, rules *override.Rules, t override.Test) (faults []string) {
	text, err := c.text(ctx, d, rules, t)
	if err != nil {
		return []string{err.Error()}
	}
	for _, want := range t.Has {
		if !strings.Contains(text, folded(want)) {
			faults = append(faults, fmt.Sprintf("lacks %q", want))
		}
	}
	for _, unwanted := range t.Lacks {
		if strings.Contains(text, folded(unwanted)) {
			faults = append(faults, fmt.Sprintf("has %q", unwanted))
		}
	}
	return faults
}

func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// text is the text of a page, cleaned.
func (c *checkCmd) text(ctx context.Context, d model.Detector, rules *override.Rules, t override.Test) (string, error) {
	src, contentType, err := fetch(ctx, t)
	if err != nil {
		return "", err
	}
	pg, err := page.Parse(src, contentType)
	if err != nil {
		return "", err
	}
	m := judge{d.New(model.NewKey()), rules}.mark(pg, model.Visit{URL: t.URL, At: time.Now()})
	if m.Pass != "" {
		m = &page.Marking{Verdicts: make([]page.Verdict, len(pg.Blocks))}
	}
	out, err := page.Write(pg, m, page.ModeText)
	if err != nil {
		return "", err
	}
	return folded(string(out.Body)), nil
}

// fetchTimeout is how long a page may take to come.
const fetchTimeout = 30 * time.Second

// fetch reads the page of a test.
func fetch(ctx context.Context, t override.Test) (src []byte, contentType string, err error) {
	if t.File != "" {
		f, err := os.Open(t.File)
		if err != nil {
			return nil, "", err
		}
		defer f.Close() //nolint:errcheck // it was only read
		src, err = readAtMost(f, maxInput)
		return src, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.URL, nil)
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("Accept", "text/html")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, res.Body, 1<<16)
		return nil, "", fmt.Errorf("%s: %s", t.URL, res.Status)
	}
	src, err = readAtMost(res.Body, maxInput)
	return src, res.Header.Get("Content-Type"), err
}
