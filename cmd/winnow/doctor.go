package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// doctorCmd is winnow doctor.
type doctorCmd struct {
	storeFlags
	upstreamFlags
	Listen     string        `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address of the proxy (default: ${default})."`
	Admin      string        `default:"127.0.0.1:8081" placeholder:"ADDR" help:"Address of the admin page; empty for none (default: ${default})."`
	UpstreamCA string        `name:"upstream-ca" placeholder:"FILE" help:"Certificates in PEM to trust for origins, beside the system's."`
	Probe      string        `default:"https://example.com/" placeholder:"URL" help:"Address to fetch, to see whether origins can be reached; empty for none (default: ${default})."`
	Timeout    time.Duration `default:"10s" placeholder:"TIME" help:"Time for each check that asks somebody (default: ${default})."`
	JSON       bool          `name:"json" help:"Print as JSON."`
}

// Help gives examples.
func (*doctorCmd) Help() string {
	return `Checks that ports are free or winnow's, that the CA is there, trusted and not about to expire, that the store is intact, that the clock is right and that origins can be reached; and says what to do. It changes nothing. Give it the flags or the configuration that winnow serve has. The exit code is 1 when something fails.

Examples:

  winnow doctor
  winnow doctor --config /etc/winnow.yaml --json`
}

// How a check came out. A warning is for something that may be as intended.
const (
	findingOK   = "ok"
	findingWarn = "warn"
	findingFail = "fail"
	findingSkip = "skipped"
)

// finding is the result of one check.
type finding struct {
	Check  string `json:"check"`
	Result string `json:"result"`
	// Detail says what was found, Do what to do about it.
	Detail string `json:"detail"`
	Do     string `json:"do,omitempty"`
}

func found(result, detail, do string) finding { return finding{Result: result, Detail: detail, Do: do} }

// broken is the finding of an error, whose text often says what to do itself.
func broken(err error, do string) finding {
	return found(findingFail, strings.Join(strings.Fields(err.Error()), " "), do)
}

// errUnsound says that a check failed.
var errUnsound = errors.New("not all is well")

// Run examines.
func (c *doctorCmd) Run(ctx context.Context, p *program) error {
	d := &doctor{cmd: c, program: p, now: time.Now}
	findings := d.examine(ctx)
	failed := 0
	for _, f := range findings {
		if f.Result == findingFail {
			failed++
		}
	}
	if c.JSON {
		if err := printJSON(p.stdout, findings); err != nil {
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

func printFindings(p *program, findings []finding) error {
	paint := p.paint()
	styles := map[string]string{findingOK: "32", findingWarn: "33", findingFail: "31;1", findingSkip: "2"}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', tabwriter.FilterHTML)
	for _, f := range findings {
		fmt.Fprintf(w, "%s\t%s\n", paint(styles[f.Result], fmt.Sprintf("%-7s", f.Result)), f.Check+": "+f.Detail)
		if f.Do != "" {
			fmt.Fprintf(w, "\t  %s\n", f.Do)
		}
	}
	return w.Flush()
}

// doctor runs the checks.
type doctor struct {
	cmd     *doctorCmd
	program *program
	now     func() time.Time
	// running is set when a winnow answers at the admin address.
	running bool
}

// examine runs the checks one after the other: later ones rest on what earlier ones saw.
func (d *doctor) examine(ctx context.Context) []finding {
	var findings []finding
	for _, check := range []struct {
		name string
		run  func(context.Context) finding
	}{
		{"admin address", d.adminAddress}, {"proxy address", d.proxyAddress}, {"data folder", d.dataFolder}, {"CA", d.ca},
		{"store", d.store}, {"origins and clock", d.origins},
	} {
		ctx, cancel := context.WithTimeout(ctx, d.cmd.Timeout)
		f := check.run(ctx)
		cancel()
		f.Check = check.name
		findings = append(findings, f)
	}
	return findings
}
