package reference

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
)

// WriteManual writes the manual page in the language of man(7). The page replaces dataDir, the default of --data on
// this machine. version is for its footer.
func WriteManual(w io.Writer, model *kong.Application, dataDir, version string) error {
	m := manual{dataDir: dataDir}
	fmt.Fprintf(&m.b, ".TH WINNOW 1 \"\" \"winnow %s\" \"User Commands\"\n", roff(version))
	m.section("NAME", "winnow \\- "+roff(strings.TrimPrefix(model.Help, "A ")))
	m.section("SYNOPSIS", ".B winnow\n.I command\n[\\fIflags\\fR]")
	m.section("DESCRIPTION", roff(`winnow is a forward HTTP proxy. It learns, from the traffic that it carries, which parts of a site's pages are template
and which are content. It takes the template out, or tags it, before the page reaches the client.`))
	m.section("COMMANDS", "")
	for _, command := range model.Leaves(true) {
		m.command(command)
	}
	m.section("OPTIONS OF ALL COMMANDS", "")
	m.flags(model.Node)
	m.section("CONFIGURATION FILE", roff("The file that --config names is YAML. The flags are keys, without their dashes, and so are these settings. "+
		"The key limits has the limits, and the key overrides has rules for single hosts (see winnow check)."))
	m.settings(model, settings.IsKey)
	m.section("LIMITS", "")
	m.settings(model, settings.IsLimit)
	m.section("ENVIRONMENT", roff("Every flag, setting and limit has a variable: WINNOW_ and its name in capitals, with _ for each dash."))
	m.section("EXIT STATUS", ".TP\n0\n"+roff("success; also when a signal ended winnow serve")+"\n.TP\n1\n"+roff("the work or a part of it failed")+
		"\n.TP\n2\n"+roff("the command line or the configuration is invalid"))
	_, err := io.WriteString(w, m.b.String())
	return err
}

// manual collects the page.
type manual struct {
	b       strings.Builder
	dataDir string
}

// section writes a section; text is in the page's language already.
func (m *manual) section(title, text string) {
	m.b.WriteString(".SH " + title + "\n")
	if text != "" {
		m.b.WriteString(text + "\n")
	}
}

func (m *manual) command(n *kong.Node) {
	m.b.WriteString(".SS " + roff(usage(n)) + "\n" + roff(n.Help) + "\n")
	for paragraph := range strings.SplitSeq(n.Detail, "\n\n") {
		switch {
		case strings.HasPrefix(paragraph, "  "): // examples keep their lines
			m.b.WriteString(".PP\n.nf\n" + roff(paragraph) + "\n.fi\n")
		case paragraph != "":
			m.b.WriteString(".PP\n" + roff(paragraph) + "\n")
		}
	}
	m.flags(n)
}

func (m *manual) flags(n *kong.Node) {
	for _, f := range n.Flags {
		if !f.Hidden {
			m.flag("\\-\\-", f)
		}
	}
}

// settings writes the settings that are no flags.
func (m *manual) settings(model *kong.Application, is func(*kong.Flag) bool) {
	seen := map[string]bool{}
	for _, n := range append(model.Leaves(true), model.Node) {
		for _, f := range n.Flags {
			if is(f) && !seen[f.Name] {
				m.flag("", f)
			}
			seen[f.Name] = seen[f.Name] || is(f)
		}
	}
}

func (m *manual) flag(dashes string, f *kong.Flag) {
	name := "\\fB" + dashes + roff(f.Name) + "\\fR"
	if !f.IsBool() {
		name += " \\fI" + roff(strings.ReplaceAll(f.FormatPlaceHolder(), m.dataDir, "DIR")) + "\\fR"
	}
	m.b.WriteString(".TP\n" + name + "\n" + roff(strings.ReplaceAll(f.Help, m.dataDir, "~/.local/share/winnow")) + "\n")
}

// roff escapes text: backslashes, dashes (so that readers can copy them), dots and quotes at the start of a line, and
// all that is not ASCII.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	var b strings.Builder
	for _, r := range strings.Join(lines, "\n") {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	return b.String()
}
