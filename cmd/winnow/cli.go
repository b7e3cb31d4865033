package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/proxy/overrides"
)

// Exit codes. They are a contract: scripts tell a bad command line from work that failed.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// cli is the command line. Field tags are kong's.
type cli struct {
	Config    string      `placeholder:"FILE" help:"Settings in YAML: one flag name and value a line, and overrides for single hosts (see winnow check). Flags and environment come before it."`
	LogLevel  slog.Level  `placeholder:"LEVEL" default:"info" help:"Log from this level on: debug, info, warn or error."`
	LogFormat string      `reload:"restart" enum:"text,json" default:"text" help:"Log as text or as JSON."`
	NoColor   bool        `reload:"restart" help:"Print without colour, as NO_COLOR=1 does."`
	Version   versionFlag `help:"Print the version and quit."`

	// overrides are the configuration file's rules for single hosts, sites the same as written.
	overrides *overrides.Set
	sites     map[string]override.Site

	Serve         serveCmd      `cmd:"" help:"Run the proxy."`
	Clean         cleanCmd      `cmd:"" help:"Clean saved pages."`
	Demo          demoCmd       `cmd:"" help:"Show a bundled site before and after, without a network."`
	Inspect       inspectCmd    `cmd:"" help:"Show what was learned of a host, or a page with its marks."`
	Models        modelsCmd     `cmd:"" help:"List, export, import, merge and forget models."`
	Passwd        passwdCmd     `cmd:"" help:"Add users to a password file for winnow serve, and remove them."`
	CA            caCmd         `cmd:"" name:"ca" help:"Show, export, install and uninstall the CA."`
	Eval          evalCmd       `cmd:"" help:"Measure detectors on a corpus of pages whose content is known."`
	Check         checkCmd      `cmd:"" help:"Test the rules for single sites that the configuration has."`
	Doctor        doctorCmd     `cmd:"" help:"Check ports, CA, store, clock and the way to origins, and say what to do."`
	VersionCmd    versionCmd    `cmd:"" name:"version" help:"Print the version."`
	Completion    completionCmd `cmd:"" help:"Print a script that completes commands and flags in a shell."`
	CompleteWords completeCmd   `cmd:"" hidden:""`
}

// errUsage marks errors of the command line or the configuration, which end with exit code 2.
var errUsage = errors.New("usage")

// errInterrupted says that a signal ended a command before its work was done.
var errInterrupted = errors.New("interrupted before all was done")

// usagef makes an error that ends with exit code 2. Its message should name the flag, field or file.
func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

type usageError struct{ error }

func (e *usageError) Unwrap() []error { return []error{e.error, errUsage} }

// run is the program: main without the process around it. It returns the exit code.
func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var c cli
	env := newEnvironment(environ)
	quit := false
	parser, err := newParser(&c, env, stdout, stderr, func() { quit = true })
	if err != nil {
		fmt.Fprintf(stderr, "winnow: %v\n", err)
		return exitFailed
	}
	kctx, err := parser.Parse(args)
	switch {
	case quit: // --help or --version has printed what was asked for; what kong found after that is no matter
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "winnow: %s (see %s --help)\n", explain(err), commandOf(err))
		return exitUsage
	}
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr, env: env, noColor: c.NoColor, overrides: c.overrides, level: new(slog.LevelVar)}
	p.level.Set(c.LogLevel)
	p.log = newLogger(stderr, c.LogFormat, p.level)
	p.reparse = func() (parsed, error) { return reparse(args, env) }
	p.parsed = parsed{&c, kctx}
	kctx.BindTo(ctx, (*context.Context)(nil))
	err = kctx.Run(p)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	return exitCode(err, stderr)
}

// newParser builds the parser. quit is called where kong would end the process.
func newParser(c *cli, env environment, stdout, stderr io.Writer, quit func()) (*kong.Kong, error) {
	settings := &settings{env: env, overrides: &c.overrides, sites: &c.sites}
	return kong.New(c,
		kong.Name("winnow"),
		kong.Description("A proxy that learns what is template on a site's pages, and takes it out."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { quit() }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
		kong.ExplicitGroups(serveGroups()),
		kong.ValueFormatter(helpWithVariable),
		kong.Vars{"data": env.dataDir(), "detector": detectors.Default, "detectors": strings.Join(detectors.Names(), ", ")},
		kong.WithBeforeResolve(settings.load),
		kong.Resolvers(settings),
	)
}

// explain puts a parse error in words; kong shows its tokens for a flag that ends the line.
func explain(err error) string {
	if flag, _, eol := strings.Cut(err.Error(), `: expected value value but got "EOL"`); eol {
		return flag + ": the value is missing"
	}
	return err.Error()
}

// commandOf is the command that a parse error belongs to, as one would type it.
func commandOf(err error) string {
	var pe *kong.ParseError
	if errors.As(err, &pe) && pe.Context != nil {
		if n := pe.Context.Selected(); n != nil {
			return n.FullPath()
		}
	}
	return "winnow"
}

// exitCode reports err, if any, on stderr: a line for each of the errors that were joined.
func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(stderr, "winnow: %s\n", strings.TrimSpace(line))
	}
	if errors.Is(err, errUsage) {
		return exitUsage
	}
	return exitFailed
}
