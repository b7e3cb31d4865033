package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/version"
)

// versionFlag is --version.
type versionFlag bool

// BeforeReset runs before anything is required of the command line.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	_, err := fmt.Fprintln(k.Stdout, version.Line())
	k.Exit(console.ExitOK)
	return err
}

// versionCmd is winnow version.
type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(p *console.Console) error {
	_, err := fmt.Fprintln(p.Stdout, version.Line())
	return err
}

// asksForVersion reports whether a command line asks only for the version and no variable sets a flag, which would have
// to be checked.
func asksForVersion(args, environ []string) bool {
	return len(args) == 1 && (args[0] == "version" || args[0] == "--version") &&
		!slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, settings.VariablePrefix) })
}
