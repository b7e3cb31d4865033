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

// OverridesKey is the key of the file that is no flag: the override rules.
const OverridesKey = "overrides"

// readSettings reads a flat YAML mapping and the override rules in it. Lists get the comma-separated form of the
// command line.
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
		if _, twice := keys[key.Value]; twice || key.Value == OverridesKey && sites != nil {
			return nil, nil, fmt.Errorf("line %d: %s is set twice", key.Line, key.Value)
		}
		if key.Value == OverridesKey {
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
