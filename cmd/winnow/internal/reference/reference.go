// Package reference generates the reference of flags, variables, configuration keys, header fields and metrics from the
// code that defines them.
package reference

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
)

// Source is the input of the reference.
type Source struct {
	// Model is the command line.
	Model *kong.Application
	// DataDir is the default of --data on this machine, which the reference replaces.
	DataDir string
	Metrics []prom.Family
}

// Write writes the reference in Markdown.
func Write(w io.Writer, s Source) error {
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("\n### All commands\n\n")
	s.flags(&b, s.Model.Node)
	for _, command := range s.Model.Leaves(true) {
		fmt.Fprintf(&b, "\n### `%s`\n\n%s\n", usage(command), command.Help)
		s.flags(&b, command)
	}
	b.WriteString(exitCodes)
	b.WriteString("\n## Environment\n\nEvery flag has a variable, which the tables above name. These variables have an effect too:\n\n")
	table(&b, []string{"Variable", "What it does"}, variables())
	serve := s.command("serve")
	b.WriteString(configuration)
	s.settings(&b, "Key", slices.Concat(serve.Flags, s.Model.Flags), settings.IsKey)
	b.WriteString(limitsHead)
	s.settings(&b, "Limit", serve.Flags, settings.IsLimit)
	b.WriteString(overridesHead)
	table(&b, []string{"Key", "What it is"}, keys())
	b.WriteString("\n## Header fields\n\nThose of requests to the proxy:\n\n")
	table(&b, []string{"Field", "What it does"}, requestFields())
	b.WriteString("\nThose of responses:\n\n")
	table(&b, []string{"Field", "What it says"}, responseFields())
	b.WriteString("\n## Metrics\n\n`/metrics` at the admin address has these, and those of the Go runtime (`go_…`) and, on Linux,\nof the process (`process_…`).\n\n")
	var rows [][]string
	for _, m := range s.Metrics {
		if !strings.HasPrefix(m.Name, "winnow_") {
			continue
		}
		rows = append(rows, []string{"`" + m.Name + "`", string(m.Type), strings.Join(m.Labels, ", "), strings.TrimSuffix(m.Help, ".")})
	}
	table(&b, []string{"Metric", "Type", "Labels", "What it counts"}, rows)
	_, err := io.WriteString(w, b.String())
	return err
}

const head = `# Reference

This page is generated from the code: run ` + "`go generate ./cmd/winnow`" + ` after a change of flags, header fields or metrics.

## Commands and flags

The command line takes precedence over the environment, and the environment over the configuration file. Sizes are in the unit that the table names. Times are written as
` + "`30s`, `5m` or `1h`" + `. Flags marked with * are read only when ` + "`winnow serve`" + ` starts; all others follow a reload.
`

const exitCodes = `
## Exit codes

| Code | When |
|---|---|
| 0 | success; also when a signal ended ` + "`winnow serve`" + ` |
| 1 | the work or a part of it failed |
| 2 | the command line or the configuration is invalid |
`

const configuration = `
## Configuration file

` + "`--config FILE`" + ` names a YAML file. The flags are keys there, without their dashes; lists are YAML lists or values with commas.
These settings are no flags:

`

const limitsHead = `
Limits are under the key ` + "`limits`, and the flag `--limit NAME=VALUE`" + ` goes before them:

`

const overridesHead = `
The key ` + "`overrides`" + ` has rules for single hosts:

`

// usage is a command with its arguments.
func usage(command *kong.Node) string {
	parts := []string{command.FullPath()}
	for _, p := range command.Positional {
		parts = append(parts, p.Summary())
	}
	return strings.Join(parts, " ")
}

// command returns the command of a name.
func (s Source) command(name string) *kong.Node {
	return s.Model.Children[slices.IndexFunc(s.Model.Children, func(n *kong.Node) bool { return n.Name == name })]
}

// settings writes a table of the settings that are no flags.
func (s Source) settings(b *strings.Builder, head string, flags []*kong.Flag, is func(*kong.Flag) bool) {
	var rows [][]string
	for _, f := range flags {
		if !is(f) {
			continue
		}
		row := s.flag(f)
		row[0] = strings.Replace(row[0], "--", "", 1)
		if settings.NeedsRestart(f) {
			row[0] += " *"
		}
		rows = append(rows, row)
	}
	table(b, []string{head, "Variable", "Default", "What it does"}, rows)
}

// flags writes a table of the flags of a command. It writes nothing for a command without flags.
func (s Source) flags(b *strings.Builder, command *kong.Node) {
	var rows [][]string
	for _, f := range command.Flags {
		if f.Hidden || f.Name == "help" {
			continue
		}
		row := s.flag(f)
		if settings.NeedsRestart(f) && (command.Type == kong.ApplicationNode || command.Name == "serve") {
			row[0] += " *"
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return
	}
	if command.Type != kong.ApplicationNode {
		b.WriteByte('\n')
	}
	table(b, []string{"Flag", "Variable", "Default", "What it does"}, rows)
}

func (s Source) flag(f *kong.Flag) []string {
	name, variable := "--"+f.Name, ""
	if f.Short != 0 {
		name = "-" + string(f.Short) + ", " + name
	}
	switch {
	case f.IsBool():
	case f.PlaceHolder == "":
		name += " N"
	default:
		name += " " + f.FormatPlaceHolder()
	}
	name = "`" + name + "`"
	if settings.Settable(f) || f.Name == "config" {
		variable = "`" + settings.Variable(f) + "`"
	}
	value := ""
	if f.Default != "" {
		value = "`" + strings.ReplaceAll(f.Default, s.DataDir, dataDir) + "`"
	}
	if f.Required {
		value = "required"
	}
	help := f.Help
	if i := strings.Index(help, " (default: "+f.Default+")"); i >= 0 && f.Default != "" {
		help = help[:i] + help[i+len(" (default: "+f.Default+")"):]
	}
	// The help of the command line ends with the variable, which has a column of its own.
	help, _, _ = strings.Cut(help, " ($"+settings.Variable(f)+")")
	return []string{name, variable, value, strings.TrimSuffix(strings.ReplaceAll(help, s.DataDir, dataDir), ".")}
}

// dataDir replaces the default data folder, which depends on the machine.
const dataDir = "~/.local/share/winnow"

// table writes a table and escapes its cells.
func table(b *strings.Builder, head []string, rows [][]string) {
	t := console.Table{Head: head}
	for _, row := range rows {
		cells := slices.Clone(row)
		for i, c := range cells {
			cells[i] = strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(c)
		}
		t.Add(cells...)
	}
	_ = console.WriteMarkdown(b, []console.Table{t}) // writing to memory does not fail
}
