package settings

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// limitFlag is the flag that sets limits by name.
const limitFlag = "limit"

// Limits are the limits of a command line by name.
type Limits map[string]string

// Settable reports whether environment and file can set a flag. Some flags only make sense on the command line.
func Settable(f *kong.Flag) bool {
	return f.Name != "help" && f.Name != "version" && f.Name != "config" && f.Name != limitFlag
}

// IsKey reports whether only file and environment can set a setting.
func IsKey(f *kong.Flag) bool { return f.Tag.Has("key") }

// IsLimit reports whether --limit, and the file's block of limits, set a setting.
func IsLimit(f *kong.Flag) bool { return f.Group != nil && f.Group.Key == "limits" }

// renamed is the name that a setting has now, empty for one that was not renamed.
func renamed(name string) string { return map[string]string{"model-memory": "memory"}[name] }

// allFlags are the flags of all commands.
func allFlags(app *kong.Application) iter.Seq[*kong.Flag] {
	return func(yield func(*kong.Flag) bool) {
		for _, n := range append(app.Leaves(false), app.Node) {
			for _, f := range n.Flags {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// limitNames are the names of all limits, sorted.
func limitNames(app *kong.Application) (names []string) {
	for f := range allFlags(app) {
		if IsLimit(f) {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}

// CheckArgs refuses names on the command line that are no flags any more, and says what replaced them.
func CheckArgs(app *kong.Application, args []string) error {
	node, flags := app.Node, slices.Clone(app.Flags)
	for _, arg := range args {
		name, isFlag := strings.CutPrefix(arg, "--")
		if arg == "--" {
			return nil
		}
		if !isFlag {
			if i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == arg }); i >= 0 {
				node = node.Children[i]
				flags = append(flags, node.Flags...)
			}
			continue
		}
		name, _, _ = strings.Cut(name, "=")
		i := slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Name == name })
		switch {
		case i < 0 && renamed(name) != "":
			return fmt.Errorf("--%s is called --%s now", name, renamed(name))
		case i >= 0 && IsLimit(flags[i]):
			return fmt.Errorf("--%s is no flag any more: give --limit %s=%s, or write %s under %s in the configuration file", name, name,
				flags[i].FormatPlaceHolder(), name, limitsKey)
		case i >= 0 && IsKey(flags[i]):
			return fmt.Errorf("--%s is no flag any more: write \"%s: …\" into the configuration file (--config), or set $%s", name, name,
				Variable(flags[i]))
		}
	}
	return nil
}
