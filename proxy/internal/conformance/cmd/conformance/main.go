// Command conformance runs the conformance checks on a running proxy. The first command prints the CA of the origins
// that the second command starts. The proxy must trust this CA:
//
//	conformance ca DIR > origins.pem
//	conformance run --origins DIR --proxy 127.0.0.1:3128 --trust proxy-ca.pem --name Squid
package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/proxy/internal/conformance"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cli struct {
		CA  caCmd  `cmd:"" name:"ca" help:"Print the CA of the origins, which is created on first use."`
		Run runCmd `cmd:"" help:"Check a proxy."`
	}
	k := kong.Parse(&cli, kong.Description("Checks whether a proxy meets the requirements of HTTP."))
	k.BindTo(ctx, (*context.Context)(nil))
	k.FatalIfErrorf(k.Run())
}

type caCmd struct {
	Dir string `arg:"" help:"Folder of the CA."`
}

// Run implements the command.
func (c *caCmd) Run() error {
	a, err := certs.LoadOrCreate(c.Dir, time.Now)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(a.PEM())
	return err
}

type runCmd struct {
	Proxy     string        `required:"" placeholder:"HOST:PORT" help:"Address of the proxy."`
	Origins   string        `placeholder:"DIR" help:"Folder of the origins' CA; without it, or without --trust, https is not checked."`
	Trust     string        `placeholder:"FILE" help:"CA of the proxy's intercepted connections, in PEM."`
	Name      string        `default:"proxy" help:"Name of the proxy, for the report."`
	Release   string        `help:"Its version, for the report."`
	Setup     string        `help:"How it is configured, for the report."`
	Only      string        `placeholder:"PART" help:"Check only requirements whose ID contains this."`
	Timeout   time.Duration `default:"10s" help:"Time limit of one check."`
	Parallel  int           `default:"4" help:"Checks at once."`
	Out       string        `placeholder:"FILE" help:"Write the report to this file, as JSON."`
	MustMeet  bool          `help:"Exit with 1 unless all requirements are met."`
	Explained bool          `default:"true" negatable:"" help:"Print what happened where a requirement is not met."`
}

// Run implements the command.
func (c *runCmd) Run(ctx context.Context) error {
	target := conformance.Target{Addr: c.Proxy, Timeout: c.Timeout, Parallel: c.Parallel}
	if c.Trust != "" && c.Origins != "" {
		if err := c.secure(&target); err != nil {
			return err
		}
	}
	var list []conformance.Requirement
	for _, r := range conformance.Requirements() {
		if strings.Contains(r.ID, c.Only) {
			list = append(list, r)
		}
	}
	outcomes := conformance.Run(ctx, target, list)
	report := conformance.NewReport(outcomes)
	report.Name, report.Version, report.Setup = c.Name, c.Release, c.Setup
	failed := c.explain(os.Stdout, outcomes)
	fmt.Printf("%s %s: %s\n", c.Name, c.Release, report.Totals())
	if c.Out != "" {
		if err := write(c.Out, report); err != nil {
			return err
		}
	}
	if c.MustMeet && failed > 0 {
		return fmt.Errorf("%d checks failed", failed)
	}
	return nil
}

// secure enables checks of https.
func (c *runCmd) secure(t *conformance.Target) error {
	a, err := certs.LoadOrCreate(c.Origins, time.Now)
	if err != nil {
		return err
	}
	pem, err := os.ReadFile(c.Trust)
	if err != nil {
		return fmt.Errorf("--trust: %w", err)
	}
	t.Origins, t.Trust = a, x509.NewCertPool()
	if !t.Trust.AppendCertsFromPEM(pem) {
		return fmt.Errorf("--trust: no certificate in %s", c.Trust)
	}
	return nil
}

// explain prints the failed requirements and returns their number.
func (c *runCmd) explain(w io.Writer, outcomes []conformance.Outcome) int {
	failed := 0
	for _, o := range outcomes {
		if o.Err == nil {
			continue
		}
		failed++
		if c.Explained {
			fmt.Fprintf(w, "%-28s %-9s %.300s\n", o.ID, o.Way, o.Err)
		}
	}
	return failed
}

func write(path string, r conformance.Report) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return errors.Join(r.Write(f), f.Close())
}
