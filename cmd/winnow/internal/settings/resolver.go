// Package settings completes the command line from the environment and the configuration file, and reports what changes
// when they are read again.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// VariablePrefix begins the environment variables that set flags: WINNOW_LISTEN is --listen.
const VariablePrefix = "WINNOW_"

// Resolver resolves the flags that are not on the command line: from the environment, then from the YAML file. It is a
// kong.Resolver.
type Resolver struct {
	env  console.Environment
	file string
	contents
	// asked are the limits of the command line.
	asked Limits
	// rules are the file's override rules, nil if it has none.
	rules *sites.Rules
}

// NewResolver returns a resolver. Call Load before flags are resolved.
func NewResolver(env console.Environment) *Resolver { return &Resolver{env: env} }

// Load reads the configuration file that the command line or the environment names. It runs before any flag is
// resolved.
func (s *Resolver) Load(ctx *kong.Context) error {
	s.file = s.env[VariablePrefix+"CONFIG"]
	for _, p := range ctx.Path {
		switch {
		case p.Flag == nil:
		case p.Flag.Name == "config":
			s.file, _ = ctx.FlagValue(p.Flag).(string)
		case p.Flag.Name == limitFlag:
			s.asked, _ = ctx.FlagValue(p.Flag).(Limits)
		}
	}
	for name := range s.asked {
		if names := limitNames(ctx.Model); !slices.Contains(names, name) {
			return fmt.Errorf("--limit: no limit is called %q: there are %s", name, strings.Join(names, ", "))
		}
	}
	if s.file == "" {
		return nil
	}
	f, err := openFile(s.file)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	if s.contents, err = readSettings(f); err != nil {
		return fmt.Errorf("%s: %w", s.file, err)
	}
	if s.rules, err = sites.CompileRules(fromFolder(s.sites, filepath.Dir(s.file))); err != nil {
		return fmt.Errorf("%s: overrides: %w", s.file, err)
	}
	return s.check(ctx.Model)
}

// openFile opens a file that is read again at every reload. It refuses a pipe, which can be read only once: opening a
// pipe waits for a writer, and no signal ends that wait.
func openFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && st.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		err = fmt.Errorf("%s is a pipe: give a file", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// check refuses keys that no command knows, because a misspelt setting must not be ignored silently.
func (s *Resolver) check(app *kong.Application) error {
	known := map[string]*kong.Flag{}
	for f := range allFlags(app) {
		if Settable(f) {
			known[f.Name] = f
		}
	}
	for key, set := range s.keys {
		f, ok := known[key]
		switch {
		case ok && IsLimit(f):
			return fmt.Errorf("%s: line %d: %s is a limit: write it under %s", s.file, set.line, key, limitsKey)
		case !ok && renamed(key) != "":
			return fmt.Errorf("%s: line %d: %s is called %s now", s.file, set.line, key, renamed(key))
		case !ok:
			return fmt.Errorf("%s: line %d: unknown key %q: no command has a setting of that name", s.file, set.line, key)
		}
	}
	for name, set := range s.limits {
		if f, ok := known[name]; !ok || !IsLimit(f) {
			return fmt.Errorf("%s: line %d: no limit is called %q: there are %s", s.file, set.line, name,
				strings.Join(limitNames(app), ", "))
		}
	}
	return nil
}

// Variable is the environment variable of a flag.
func Variable(f *kong.Flag) string {
	return VariablePrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// HelpWithVariable adds the environment variable to a flag's help.
func HelpWithVariable(v *kong.Value) string {
	if v.Flag == nil || (!Settable(v.Flag) && v.Flag.Name != "config") {
		return v.Help
	}
	return fmt.Sprintf("%s ($%s)", strings.TrimSuffix(v.Help, "."), Variable(v.Flag))
}

// Validate implements kong.Resolver. Load checks everything, before values are used.
func (s *Resolver) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver.
func (s *Resolver) Resolve(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
	if !Settable(f) {
		return nil, nil
	}
	if v, ok := s.asked[f.Name]; ok && IsLimit(f) {
		return v, try(f, v, "--limit "+f.Name)
	}
	if v, ok := s.env[Variable(f)]; ok {
		return v, try(f, v, "$"+Variable(f))
	}
	from := s.keys
	if IsLimit(f) {
		from = s.limits
	}
	if set, ok := from[f.Name]; ok {
		return set.value, try(f, set.value, fmt.Sprintf("%s: line %d", s.file, set.line))
	}
	return nil, nil
}

// try parses a value like kong, so that the error can say where the value came from.
func try(f *kong.Flag, value, source string) error {
	scratch := reflect.New(f.Target.Type()).Elem()
	err := f.Parse(kong.Scan().PushTyped(value, kong.FlagValueToken), scratch)
	if bare := errors.Unwrap(err); bare != nil { // kong adds the flag's name, now and again later
		err = bare
	}
	if err == nil {
		err = oneOf(f, value)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return nil
}

// oneOf checks the values in a flag's enum tag.
func oneOf(f *kong.Flag, value string) error {
	if f.Enum == "" || f.EnumMap()[value] {
		return nil
	}
	return fmt.Errorf("%q is not one of %s", value, f.Enum)
}
