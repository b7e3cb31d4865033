package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/version"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/page"
)

// cli is the command line. Field tags are kong's.
type cli struct {
	settings.Common
	Version versionFlag `help:"Print the version and quit."`

	Serve         serveCmd        `cmd:"" help:"Run the proxy."`
	Clean         cleanCmd        `cmd:"" help:"Clean saved pages."`
	MCP           mcpCmd          `cmd:"" name:"mcp" help:"Give agents tools to read pages, by the Model Context Protocol."`
	Learn         learnCmd        `cmd:"" help:"Learn the pages of web archives."`
	Demo          demoCmd         `cmd:"" help:"Show a bundled site before and after, without a network."`
	Template      templateCmd     `cmd:"" help:"Write rules for blockers, feed readers and scrapers: selectors of a site's template and content."`
	Inspect       inspectCmd      `cmd:"" help:"Show what was learned about a host, or a page with its marks."`
	Models        modelsCmd       `cmd:"" help:"List, export, import, merge and forget models."`
	Hosts         hostsCmd        `cmd:"" help:"Set how single hosts are treated: mode, bypass, and what stays and goes."`
	Passwd        passwdCmd       `cmd:"" help:"Add and remove users in a password file for winnow serve."`
	CA            caCmd           `cmd:"" name:"ca" help:"Show, export, install and uninstall the CA."`
	Eval          evalCmd         `cmd:"" help:"Measure detectors on a corpus of pages whose content is known."`
	Check         checkCmd        `cmd:"" help:"Test the configuration's rules for single sites."`
	Doctor        doctorCmd       `cmd:"" help:"Check ports, CA, store, clock and connection to origins, and say what to do."`
	VersionCmd    versionCmd      `cmd:"" name:"version" help:"Print the version."`
	Completion    completionCmd   `cmd:"" help:"Print a script that completes commands and flags in a shell."`
	Man           manCmd          `cmd:"" help:"Print the manual page."`
	CompleteWords completeCmd     `cmd:"" hidden:""`
	InspectStore  inspectStoreCmd `cmd:"" name:"inspect-store" hidden:""`
}

// run is main without the process around it. It returns the exit code.
func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if asksForVersion(args, environ) { // first, because building the command line with all its flags takes longer
		fmt.Fprintln(stdout, version.Line())
		return console.ExitOK
	}
	args = asHelp(args)
	var c cli
	p := &console.Console{Name: "winnow", Stdin: stdin, Stdout: stdout, Stderr: stderr, Env: console.NewEnvironment(environ)}
	quit := false
	parser, resolver, err := newParser(&c, p.Env, stdout, stderr, func() { quit = true })
	if err != nil {
		return p.ExitCode(ctx, err)
	}
	if err := settings.CheckArgs(parser.Model, args); err != nil {
		return p.ExitCode(ctx, console.Usagef("%w", err))
	}
	kctx, err := parser.Parse(args)
	switch {
	case quit: // --help or --version has printed its text; errors after that do not matter
		return console.ExitOK
	case err != nil:
		return p.ExitCode(ctx, console.Usagef("%s (see %s --help)", explain(err), commandOf(err)))
	}
	p.NoColor = c.NoColor
	again := func() (*settings.Parsed, error) { return parse(args, p.Env) }
	kctx.BindTo(ctx, (*context.Context)(nil))
	kctx.Bind(logs.New(stderr, c.LogFormat, c.LogLevel), settings.NewParsed(c.Common, resolver, kctx, again))
	return p.ExitCode(ctx, kctx.Run(p))
}

// asHelp returns the command line that asks for help, for one without any word or with the word help before a command.
func asHelp(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// parse parses a command line and prints nothing.
func parse(args []string, env console.Environment) (*settings.Parsed, error) {
	var c cli
	parser, resolver, err := newParser(&c, env, io.Discard, io.Discard, func() {})
	if err != nil {
		return nil, err
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return nil, console.Usagef("%s", explain(err))
	}
	return settings.NewParsed(c.Common, resolver, ctx, func() (*settings.Parsed, error) { return parse(args, env) }), nil
}

// newParser builds the parser. quit is called where kong would end the process.
func newParser(c *cli, env console.Environment, stdout, stderr io.Writer, quit func()) (*kong.Kong, *settings.Resolver, error) {
	resolver := settings.NewResolver(env)
	parser, err := kong.New(c,
		kong.Name("winnow"),
		kong.Description("A proxy that learns the template of each site's pages and removes it."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { quit() }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
		kong.Help(help),
		kong.ValueFormatter(settings.HelpWithVariable),
		kong.Vars{"data": env.DataDir(), "detector": detectors.Default, "detectors": strings.Join(detectors.Names(), ", "),
			"modes": strings.Join(page.ModeNames(), ", "), "protocol": "online"},
		kong.WithBeforeResolve(resolver.Load),
		kong.Resolvers(resolver),
	)
	return parser, resolver, err
}

// explain returns the text of a parse error. For a flag at the end of the line, kong's own text shows its tokens.
func explain(err error) string {
	if flag, _, eol := strings.Cut(err.Error(), `: expected value value but got "EOL"`); eol {
		return flag + ": the value is missing"
	}
	return err.Error()
}

// commandOf is the command that a parse error belongs to, as a user types it.
func commandOf(err error) string {
	var pe *kong.ParseError
	if errors.As(err, &pe) && pe.Context != nil {
		if n := pe.Context.Selected(); n != nil {
			return n.FullPath()
		}
	}
	return "winnow"
}
