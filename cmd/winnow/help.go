package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
)

// help prints the help of a command: that of winnow serve fits a screen, and kong prints all others.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	if n := ctx.Selected(); n != nil && n.Name == "serve" {
		return serveHelp(ctx.Stdout, ctx.Model.Flags, n)
	}
	return kong.DefaultHelpPrinter(options, ctx)
}

// usedFirst are the flags of winnow serve that people look for first.
func usedFirst() []string { return []string{"listen", "data", "mode", "allow-client", "config"} }

// serveHelp prints a line for each flag of winnow serve, from the tag short-help.
func serveHelp(w io.Writer, common []*kong.Flag, serve *kong.Node) error {
	var first, others strings.Builder
	for _, f := range slices.Concat(serve.Flags, common) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			continue
		}
		to, name, value := &others, "--"+f.Name, ""
		if slices.Contains(usedFirst(), f.Name) {
			to = &first
		}
		if !f.IsBool() {
			name += " " + f.FormatPlaceHolder()
		}
		if f.Default != "" && f.Name != "data" {
			value = " (default: " + f.Default + ")"
		}
		fmt.Fprintf(to, "  %-26s %s%s\n", name, strings.TrimSuffix(f.Tag.Get("short-help"), "."), value)
	}
	_, err := fmt.Fprintf(w, `Usage: winnow serve [flags]

Run the proxy. For https, clients must trust its CA: open http://winnow.internal/ through it.

First:
%s
Then:
%s
winnow man has the limits, and the keys of the configuration file. Flags and limits are keys too,
and variables, as in $%s. Examples:

    winnow serve
    winnow serve --listen :8080 --allow-client 192.168.0.0/16,127.0.0.1 --limit max-body=4
`, first.String(), others.String(), settings.VariablePrefix+"LISTEN")
	return err
}
