package main

import (
	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/reference"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/version"
)

// manCmd is winnow man.
type manCmd struct{}

// Help gives examples.
func (*manCmd) Help() string {
	return `Examples:

  winnow man | man -l -
  winnow man > /usr/local/share/man/man1/winnow.1`
}

// Run prints the page.
func (*manCmd) Run(p *console.Console, k *kong.Context) error {
	return reference.WriteManual(p.Stdout, k.Model, p.Env.DataDir(), version.Number())
}
