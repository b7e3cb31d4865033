package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/proxy/overrides"
)

// envPrefix begins the environment variables that set flags: WINNOW_LISTEN is --listen.
const envPrefix = "WINNOW_"

// settings resolve the flags that are not on the command line: from the environment, then from the YAML file. It is a
// kong.Resolver.
type settings struct {
	env  environment
	file string
	keys map[string]setting
	// overrides is where the file's rules for single hosts go.
	overrides **overrides.Set
	sites     *map[string]override.Site
}

// setting is one value of the file, written as it would be on the command line.
type setting struct {
	value string
	line  int
}

// load reads the configuration file that the command line or the environment names. It runs before any flag is resolved.
func (s *settings) load(ctx *kong.Context) error {
	s.file = s.env[envPrefix+"CONFIG"]
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == "config" {
			s.file, _ = ctx.FlagValue(p.Flag).(string)
		}
	}
	if s.file == "" {
		return nil
	}
	f, err := os.Open(s.file)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	var sites map[string]override.Site
	if s.keys, sites, err = readSettings(f); err != nil {
		return fmt.Errorf("%s: %w", s.file, err)
	}
	*s.sites = sites
	if *s.overrides, err = overrides.Compile(fromFolder(sites, filepath.Dir(s.file))); err != nil {
		return fmt.Errorf("%s: overrides: %w", s.file, err)
	}
	return s.check(ctx.Model)
}

// overridesKey is the key of the file that is no flag: rules for single hosts.
const overridesKey = "overrides"

// readSettings reads a flat YAML mapping and the rules for single hosts in it. Lists become the comma-separated form of
// the command line.
func readSettings(r io.Reader) (keys map[string]setting, sites map[string]override.Site, err error) {
	var doc yaml.Node
	if err := yaml.NewDecoder(r).Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	keys = map[string]setting{}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, nil, fmt.Errorf("line %d: want flag names and values, such as \"listen: 127.0.0.1:8080\"", root.Line)
	}
	for i := 0; i < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		if _, twice := keys[key.Value]; twice || key.Value == overridesKey && sites != nil {
			return nil, nil, fmt.Errorf("line %d: %s is set twice", key.Line, key.Value)
		}
		if key.Value == overridesKey {
			if sites, err = readOverrides(node); err != nil {
				return nil, nil, err
			}
			continue
		}
		value, err := flatten(node)
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %s: %w", node.Line, key.Value, err)
		}
		keys[key.Value] = setting{value, key.Line}
	}
	return keys, sites, nil
}

func flatten(n *yaml.Node) (string, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return n.Value, nil
	case yaml.SequenceNode:
		var items []string
		for _, c := range n.Content {
			if c.Kind != yaml.ScalarNode {
				return "", errors.New("lists hold plain values only")
			}
			items = append(items, c.Value)
		}
		return kong.JoinEscaped(items, ','), nil
	}
	return "", errors.New("want a value or a list of values")
}

// check refuses keys that no command has a flag for: a setting that is misspelt must not be ignored in silence.
func (s *settings) check(app *kong.Application) error {
	known := map[string]bool{}
	err := kong.Visit(app, func(v kong.Visitable, next kong.Next) error {
		if f, ok := v.(*kong.Flag); ok && settable(f) {
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

// settable reports whether a flag can be set by environment and file: not those that only make sense when typed.
func settable(f *kong.Flag) bool {
	return f.Name != "help" && f.Name != "version" && f.Name != "config"
}

// variable is the environment variable of a flag.
func variable(f *kong.Flag) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// helpWithVariable adds the environment variable to a flag's help.
func helpWithVariable(v *kong.Value) string {
	if v.Flag == nil || (!settable(v.Flag) && v.Flag.Name != "config") {
		return v.Help
	}
	return fmt.Sprintf("%s ($%s)", strings.TrimSuffix(v.Help, "."), variable(v.Flag))
}

// Validate implements kong.Resolver. What there is to check is checked in load, before values are used.
func (s *settings) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver.
func (s *settings) Resolve(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
	if !settable(f) {
		return nil, nil
	}
	if v, ok := s.env[variable(f)]; ok {
		return v, try(f, v, "$"+variable(f))
	}
	if set, ok := s.keys[f.Name]; ok {
		return set.value, try(f, set.value, fmt.Sprintf("%s: line %d", s.file, set.line))
	}
	return nil, nil
}

// try parses a value as kong will, so that the error can say where the value came from.
func try(f *kong.Flag, value, source string) error {
	scratch := reflect.New(f.Target.Type()).Elem()
	err := f.Parse(kong.Scan().PushTyped(value, kong.FlagValueToken), scratch)
	if bare := errors.Unwrap(err); bare != nil { // kong puts the flag before it, and will do so again
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

// oneOf checks the values that a flag's tag lists.
func oneOf(f *kong.Flag, value string) error {
	if f.Enum == "" || f.EnumMap()[value] {
		return nil
	}
	return fmt.Errorf("%q is not one of %s", value, f.Enum)
}
