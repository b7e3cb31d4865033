package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"
)

// versionFlag is --version.
type versionFlag bool

// BeforeReset runs before anything is required of the command line.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	_, err := fmt.Fprintln(k.Stdout, version())
	k.Exit(exitOK)
	return err
}

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(p *program) error {
	_, err := fmt.Fprintln(p.stdout, version())
	return err
}

// version describes the build: the module's version where there is one, the commit, and the Go version.
func version() string {
	name, commit := "unknown version", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			name = v
		} else {
			name = "development version"
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = ", commit " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fmt.Sprintf("winnow %s%s, %s %s/%s", name, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
