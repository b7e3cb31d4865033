// Command soak runs winnow serve under load and faults, and checks that it holds: no crash, no growth, no wrong byte,
// no error on a sound request, and an intact store after each kill -9.
//
// It builds and starts the real program. Around it, it runs origins for many hosts, each with an address of its own in
// 127.0.0.0/8 (therefore it needs Linux), and clients that use them all at full speed. The traffic is mixed: pages from
// written templates, downloads with known bytes, ranges, event streams and uploads, over HTTP and intercepted HTTPS,
// HTTP/1.1 and HTTP/2. A given share of requests meets an origin that resets, stalls, sends garbage or sends a
// compression bomb. Another share comes from clients that vanish.
//
//	go run ./proxy/internal/soak --duration 20m --json soak.json
//
// It exits with 1 after any violation, and with 2 if it could not run.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// options are the command line.
type options struct {
	Winnow   string        `placeholder:"FILE" help:"The program to test; built from this module unless given."`
	Duration time.Duration `default:"2m" help:"Duration of the traffic, without the kills."`
	Hosts    int           `default:"2000" help:"Number of hosts."`
	Clients  int           `default:"24" help:"Number of concurrent clients at full speed."`
	Kills    int           `default:"20" help:"How often to kill winnow under load and check its store."`
	Pause    time.Duration `default:"12s" help:"Long pause of a stalling origin: winnow buffers a page for at most 10 s."`
	MaxRSS   int64         `name:"max-rss" default:"1280" placeholder:"MIB" help:"Limit of winnow's resident memory without the files that it maps (its store): by default 128 MiB above winnow's own bound, for memory that Go does not count."`
	Seed     uint64        `default:"1" help:"Seed of the requests."`
	JSON     string        `name:"json" placeholder:"FILE" help:"Write the figures to this file too."`
	Serve    []string      `sep:"none" placeholder:"FLAG" help:"A further flag for winnow serve; may be given more than once."`
	Log      string        `placeholder:"FILE" help:"Write winnow's log to this file."`
}

// exit codes.
const (
	exitHeld = iota
	exitViolated
	exitFailed
)

func main() {
	var o options
	kong.Parse(&o, kong.Name("soak"), kong.Description("Run winnow serve under load and faults, and check that it holds."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	os.Exit(code)
}

// run runs both phases and reports.
func run(ctx context.Context, o options) (int, error) {
	dir, err := os.MkdirTemp("", "winnow-soak-")
	if err != nil {
		return exitFailed, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	r, err := soak(ctx, o, dir)
	if err != nil {
		return exitFailed, err
	}
	r.print(os.Stdout)
	if o.JSON != "" {
		if err := r.save(o.JSON); err != nil {
			return exitFailed, err
		}
	}
	if len(r.Violations) > 0 {
		return exitViolated, nil
	}
	return exitHeld, nil
}

// soak runs the load, then the kills on the same data.
func soak(ctx context.Context, o options, dir string) (*report, error) {
	r := newReport(o)
	p := &program{path: o.Winnow, dir: dir, flags: o.Serve, log: o.Log}
	if p.path == "" {
		if err := p.build(ctx); err != nil {
			return nil, err
		}
	}
	if err := load(ctx, o, p, r); err != nil {
		return nil, err
	}
	if err := kills(ctx, o, p, r); err != nil {
		return nil, err
	}
	return r, nil
}

// load runs the traffic for the given time, and then checks whether winnow comes to rest.
func load(ctx context.Context, o options, p *program, r *report) error {
	w, err := newWorld(p.dir, o)
	if err != nil {
		return err
	}
	defer w.close()
	proc, err := p.start(ctx, w)
	if err != nil {
		return err
	}
	defer proc.kill()
	atRest, err := proc.sample(ctx)
	if err != nil {
		return fmt.Errorf("winnow's metrics: %w", err)
	}
	watched := make(chan error, 1)
	running, cancel := context.WithTimeout(ctx, o.Duration)
	defer cancel()
	go func() { watched <- r.watch(running, proc) }()
	started := time.Now()
	r.traffic(running, o, w, proc)
	r.Seconds = time.Since(started).Seconds()
	if err := <-watched; err != nil {
		r.violate("winnow: %v", err)
	}
	r.settle(ctx, w, proc, atRest)
	if err := proc.stop(); err != nil {
		r.violate("winnow did not end well: %v", err)
	}
	r.judge(o)
	r.checkLog(proc)
	return ctx.Err()
}
