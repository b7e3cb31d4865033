package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"text/tabwriter"
	"time"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/doctor"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
)

// doctorCmd is winnow doctor.
type doctorCmd struct {
	flags.Store
	flags.Fleet
	flags.Upstream
	Listen  string        `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address of the proxy (default: ${default})."`
	Admin   string        `default:"127.0.0.1:8081" placeholder:"ADDR" help:"Address of the admin page; empty for none (default: ${default})."`
	Probe   string        `default:"https://example.com/" placeholder:"URL" help:"Address to fetch, as a test whether origins can be reached; empty for none (default: ${default})."`
	Timeout time.Duration `default:"10s" placeholder:"TIME" help:"Time for each check that uses the network (default: ${default})."`
	JSON    bool          `name:"json" help:"Print as JSON."`
}

// Help gives examples.
func (*doctorCmd) Help() string {
	return `Checks that the ports are free or used by winnow, that the CA exists, is trusted and does not expire soon, that the store is intact, that the clock is right and that origins can be reached. It says what to do about each problem and changes nothing. Give it the flags or the configuration of winnow serve. The exit code is 1 when a check fails.

Examples:

  winnow doctor
  winnow doctor --config /etc/winnow.yaml --json`
}

// errUnsound says that a check failed.
var errUnsound = errors.New("there are problems")

// Run runs the checks.
func (c *doctorCmd) Run(ctx context.Context, p *console.Console) error {
	o := doctor.Options{Data: c.Data, Listen: c.Listen, Admin: c.Admin, Probe: c.Probe, Timeout: c.Timeout,
		Transport: func() (*http.Transport, error) { return c.Transport(p.Env) }, Now: time.Now}
	if err := c.Fleet.Check(); err != nil {
		return err
	}
	if c.Fleet.URL != "" {
		o.Fleet = func(ctx context.Context) (string, error) { return c.Fleet.Look(ctx, c.Data) }
	}
	findings := doctor.Examine(ctx, o)
	failed := 0
	for _, f := range findings {
		if f.Result == doctor.Fail {
			failed++
		}
	}
	if c.JSON {
		if err := p.JSON(findings); err != nil {
			return err
		}
	} else if err := printFindings(p, findings); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%w: %d of %d checks failed", errUnsound, failed, len(findings))
	}
	return nil
}

func printFindings(p *console.Console, findings []doctor.Finding) error {
	paint := p.Paint()
	styles := map[string]string{doctor.OK: "32", doctor.Warn: "33", doctor.Fail: "31;1", doctor.Skipped: "2"}
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', tabwriter.FilterHTML)
	for _, f := range findings {
		fmt.Fprintf(w, "%s\t%s\n", paint(styles[f.Result], fmt.Sprintf("%-7s", f.Result)), f.Check+": "+f.Detail)
		if f.Do != "" {
			fmt.Fprintf(w, "\t  %s\n", f.Do)
		}
	}
	return w.Flush()
}
