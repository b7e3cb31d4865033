package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// component is a part of the program in a list by CycloneDX 1.6 (ECMA-424).
type component struct {
	Type     string    `json:"type"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	PURL     string    `json:"purl"`
	Licenses []licence `json:"licenses,omitempty"`
}

type licence struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

// dependencies returns, for the archive of a program, the licences of all modules that are in it and of Go itself, and
// the list of them by CycloneDX. A module without a licence is an error.
func (b *build) dependencies(ctx context.Context, program string) ([]file, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	root, err := output(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	type part struct{ name, version, dir string }
	parts := []part{{"std", strings.TrimPrefix(info.GoVersion, "go"), strings.TrimSpace(string(root))}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		dir, err := output(ctx, nil, "go", "list", "-m", "-f", "{{.Dir}}", m.Path+"@"+m.Version)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{m.Path, m.Version, strings.TrimSpace(string(dir))})
	}
	var texts bytes.Buffer
	var components []component
	for _, p := range parts {
		text, err := licencesIn(p.dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Fprintf(&texts, "%s %s\n\n%s\n\n%s\n\n", p.name, p.version, text, strings.Repeat("-", 80))
		c := component{Type: "library", Name: p.name, Version: p.version, PURL: "pkg:golang/" + p.name + "@" + p.version}
		if id := spdx(text); id != "" {
			c.Licenses = make([]licence, 1)
			c.Licenses[0].License.ID = id
		}
		components = append(components, c)
	}
	list, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components,
		"metadata": map[string]any{"timestamp": b.at.Format(time.RFC3339),
			"component": component{Type: "application", Name: "winnow", Version: b.version, PURL: "pkg:golang/github.com/winnow-proxy/winnow@v" + b.version}},
	}, "", " ")
	if err != nil {
		return nil, err
	}
	return []file{{"LICENSES", 0o644, texts.Bytes()}, {"winnow.cdx.json", 0o644, append(list, '\n')}}, nil
}

// licencesIn returns the licences and notices in the folder of a module.
func licencesIn(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	names := regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)`)
	var texts []string
	for _, e := range entries {
		if e.IsDir() || !names.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		texts = append(texts, strings.TrimSpace(string(text)))
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("there is no licence in %s", dir)
	}
	return strings.Join(texts, "\n\n"), nil
}

// spdx names a licence by a sentence that only it has, as SPDX does. It returns an empty string for others.
func spdx(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, known := range [][2]string{
		{"Apache License Version 2.0", "Apache-2.0"}, {"Mozilla Public License, version 2.0", "MPL-2.0"}, {"Mozilla Public License Version 2.0", "MPL-2.0"},
		{"Neither the name", "BSD-3-Clause"}, {"Redistribution and use in source and binary forms", "BSD-2-Clause"},
		{"Permission is hereby granted, free of charge", "MIT"}, {"CC0 1.0", "CC0-1.0"}, {"creativecommons.org/publicdomain/zero/1.0", "CC0-1.0"},
	} {
		if strings.Contains(text, known[0]) {
			return known[1]
		}
	}
	return ""
}
