// Command winnow-eval measures the benefit of cleaning with the tasks of the papers: classification, clustering and
// search over pages before and after. It also works out what fleets of winnows need. It is a module of its own, so that
// winnow does not contain its search engine.
// winnow eval measures how close the output of detectors is to the content that people have marked.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow-eval/synthetic"
	"github.com/winnow-proxy/winnow/model/detectors"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// cli is the command line. Field tags are kong's.
type cli struct {
	NoColor   bool         `help:"Print without colour, as NO_COLOR=1 does."`
	Tasks     tasksCmd     `cmd:"" help:"Run the papers' tasks on cleaned pages: classification, clustering and search."`
	Synthetic syntheticCmd `cmd:"" help:"Write a made-up corpus with known content."`
	Archives  archivesCmd  `cmd:"" help:"Write web archives of a corpus's pages, to measure crawls with."`
	Fleet     fleetCmd     `cmd:"" help:"Measure what winnows that share what they learn need and gain."`
}

// run is main without the process around it. It returns the exit code.
func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var c cli
	p := &console.Console{Name: "winnow-eval", Stdin: stdin, Stdout: stdout, Stderr: stderr, Env: console.NewEnvironment(environ)}
	quit := false
	parser, err := kong.New(&c, kong.Name("winnow-eval"), kong.Description("Measures the benefit of cleaning with the papers' tasks."),
		kong.Writers(stdout, stderr), kong.Exit(func(int) { quit = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Vars{"detector": detectors.Default, "protocol": "batch"})
	if err != nil {
		return p.ExitCode(ctx, err)
	}
	parsed, err := parser.Parse(args)
	if quit { // --help has printed its text
		return console.ExitOK
	}
	if err != nil {
		return p.ExitCode(ctx, console.Usagef("%w (see winnow-eval --help)", err))
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	p.NoColor = c.NoColor
	return p.ExitCode(ctx, parsed.Run(p))
}

// syntheticCmd is winnow-eval synthetic.
type syntheticCmd struct {
	Dir  string `arg:"" help:"New folder to write the corpus to."`
	Seed uint64 `placeholder:"N" help:"Seed of the corpus (default: 0)."`
}

// Help gives examples.
func (*syntheticCmd) Help() string {
	return `The same seed gives the same corpus. winnow eval --corpus DIR scores detectors on it.

Examples:

  winnow-eval synthetic made
  winnow-eval synthetic --seed 1 made`
}

// Run writes the corpus.
func (c *syntheticCmd) Run(p *console.Console) error {
	if err := synthetic.Write(c.Dir, synthetic.Options{Seed: c.Seed}); err != nil {
		return console.Usagef("DIR: %w", err)
	}
	_, err := fmt.Fprintf(p.Stdout, "written to %s\n", c.Dir)
	return err
}
