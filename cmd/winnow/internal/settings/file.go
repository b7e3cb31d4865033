package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"github.com/winnow-proxy/winnow/model/override"
)

// setting is one value of the file, in the form of the command line.
type setting struct {
	value string
	line  int
}

// OverridesKey is the key of the file for the override rules, limitsKey the one for the block of limits.
const (
	OverridesKey = "overrides"
	limitsKey    = "limits"
)

// contents are what a file has: settings and limits by name, and the override rules.
type contents struct {
	keys, limits map[string]setting
	sites        map[string]override.Site
}

// readSettings reads a YAML mapping: flat settings, a block of limits, and the override rules. Lists get the
// comma-separated form of the command line.
func readSettings(r io.Reader) (c contents, err error) {
	var doc yaml.Node
	if err := yaml.NewDecoder(r).Decode(&doc); errors.Is(err, io.EOF) {
		return c, nil
	} else if err != nil {
		return c, err
	}
	c.keys = map[string]setting{}
	err = eachKey(doc.Content[0], func(key, node *yaml.Node) (err error) {
		switch key.Value {
		case OverridesKey:
			c.sites, err = readOverrides(node)
		case limitsKey:
			c.limits = map[string]setting{}
			err = eachKey(node, func(key, node *yaml.Node) error { return set(c.limits, key, node) })
		default:
			err = set(c.keys, key, node)
		}
		return err
	})
	if err != nil {
		return contents{}, err
	}
	return c, nil
}

// eachKey calls f for the keys of a mapping and their values.
func eachKey(mapping *yaml.Node, f func(key, value *yaml.Node) error) error {
	if mapping.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: want names and values, such as \"listen: 127.0.0.1:8080\"", mapping.Line)
	}
	seen := map[string]bool{}
	for i := 0; i < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		if seen[key.Value] {
			return fmt.Errorf("line %d: %s is set twice", key.Line, key.Value)
		}
		seen[key.Value] = true
		if err := f(key, value); err != nil {
			return err
		}
	}
	return nil
}

// set adds a value of the file to settings or limits.
func set(to map[string]setting, key, value *yaml.Node) error {
	text, err := flatten(value)
	if err != nil {
		return fmt.Errorf("line %d: %s: %w", value.Line, key.Value, err)
	}
	to[key.Value] = setting{text, key.Line}
	return nil
}

func flatten(n *yaml.Node) (string, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return n.Value, nil
	case yaml.SequenceNode:
		var items []string
		for _, c := range n.Content {
			if c.Kind != yaml.ScalarNode {
				return "", errors.New("lists may contain plain values only")
			}
			items = append(items, c.Value)
		}
		return kong.JoinEscaped(items, ','), nil
	}
	return "", errors.New("want a value or a list of values")
}

// readOverrides reads the override rules strictly: a misspelt key must not be ignored silently.
func readOverrides(n *yaml.Node) (map[string]override.Site, error) {
	b, err := yaml.Marshal(n)
	if err != nil {
		return nil, fmt.Errorf("line %d: %s: %w", n.Line, OverridesKey, err)
	}
	sites := map[string]override.Site{}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&sites); err != nil && !errors.Is(err, io.EOF) {
		// yaml's own line numbers are relative to the section.
		return nil, fmt.Errorf("line %d: %s: %s", n.Line, OverridesKey, strings.Join(strings.Fields(err.Error()), " "))
	}
	return sites, nil
}

// fromFolder makes the test files of the rules relative to the configuration's folder.
func fromFolder(sites map[string]override.Site, dir string) map[string]override.Site {
	for _, s := range sites {
		for i, t := range s.Test {
			if t.File != "" && !filepath.IsAbs(t.File) {
				s.Test[i].File = filepath.Join(dir, t.File)
			}
		}
	}
	return sites
}
