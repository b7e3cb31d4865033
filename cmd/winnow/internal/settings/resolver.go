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
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/proxy/overrides"
)

// VariablePrefix begins the environment variables that set flags: WINNOW_LISTEN is --listen.
const VariablePrefix = "WINNOW_"

// Resolver resolves the flags that are not on the command line: from the environment, then from the YAML file. It is a
// kong.Resolver.
type Resolver struct {
	env  console.Environment
	file string
	keys map[string]setting
	// rules are the file's override rules, nil if it has none. sites are the same rules as written.
	rules *overrides.Set
	sites map[string]override.Site
}

// NewResolver returns a resolver. Call Load before flags are resolved.
func NewResolver(env console.Environment) *Resolver { return &Resolver{env: env} }

// Load reads the configuration file that the command line or the environment names. It runs before any flag is
// resolved.
func (s *Resolver) Load(ctx *kong.Context) error {
	s.file = s.env[VariablePrefix+"CONFIG"]
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == "config" {
			s.file, _ = ctx.FlagValue(p.Flag).(string)
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
	if s.keys, s.sites, err = readSettings(f); err != nil {
		return fmt.Errorf("%s: %w", s.file, err)
	}
	if s.rules, err = overrides.Compile(fromFolder(s.sites, filepath.Dir(s.file))); err != nil {
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

// check refuses keys that no command has a flag for, because a misspelt setting must not be ignored silently.
func (s *Resolver) check(app *kong.Application) error {
	known := map[string]bool{}
	err := kong.Visit(app, func(v kong.Visitable, next kong.Next) error {
		if f, ok := v.(*kong.Flag); ok && Settable(f) {
			known[f.Name] = true
		}
		return next(nil)
	})
	if err != nil {
		return err
	}
	for key, set := range s.keys {
		if !known[key] {
			return fmt.Errorf("%s: line %d: unknown key %q: no command has a flag --%s", s.file, set.line, key, key)
		}
	}
	return nil
}

// Settable reports whether environment and file can set a flag. Some flags only make sense on the command line.
func Settable(f *kong.Flag) bool {
	return f.Name != "help" && f.Name != "version" && f.Name != "config"
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
	if v, ok := s.env[Variable(f)]; ok {
		return v, try(f, v, "$"+Variable(f))
	}
	if set, ok := s.keys[f.Name]; ok {
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
