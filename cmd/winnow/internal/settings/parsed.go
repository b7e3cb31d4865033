package settings

import (
	"log/slog"
	"reflect"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// Common are the flags of every command. Field tags are kong's.
type Common struct {
	Config    string     `placeholder:"FILE" short-help:"Settings in YAML: all flags, limits, keys, and rules by host." help:"Settings in YAML: one flag name and value per line, and overrides for single hosts (see winnow check). Flags and environment take precedence."`
	LogLevel  slog.Level `placeholder:"LEVEL" default:"info" short-help:"Log from this level on: debug, info, warn or error." help:"Log from this level on: debug, info, warn or error."`
	LogFormat string     `reload:"restart" enum:"text,json" default:"text" placeholder:"FORM" short-help:"Log as text or as JSON." help:"Log as text or as JSON."`
	NoColor   bool       `key:"" hidden:"" reload:"restart" help:"Print without colour, as NO_COLOR=1 does."`
}

// Parsed is a command line, completed from the environment and the configuration file.
type Parsed struct {
	Common
	// Rules are the override rules, nil if the configuration has none.
	Rules *sites.Rules

	sites   map[string]override.Site
	context *kong.Context
	reparse func() (*Parsed, error)
}

// NewParsed returns the parsed command line of a context that r has resolved. reparse parses it again.
func NewParsed(common Common, r *Resolver, ctx *kong.Context, reparse func() (*Parsed, error)) *Parsed {
	return &Parsed{Common: common, Rules: r.rules, sites: r.sites, context: ctx, reparse: reparse}
}

// Again parses the command line again, with the current configuration file.
func (p *Parsed) Again() (*Parsed, error) { return p.reparse() }

// Command is a pointer to the selected command, with its flags set.
func (p *Parsed) Command() any { return p.context.Selected().Target.Addr().Interface() }

// Changes compares the settings with those in force and returns the names of the flags that changed. A flag with the
// tag reload:"restart" is read only when the program starts: Changes resets it to the value in force and returns it in
// restart.
func (p *Parsed) Changes(inForce *Parsed) (changed, restart []string) {
	old := map[string]*kong.Flag{}
	for _, f := range inForce.context.Flags() {
		if Settable(f) {
			old[f.Name] = f
		}
	}
	for _, f := range p.context.Flags() {
		was, ok := old[f.Name]
		if !ok || reflect.DeepEqual(f.Target.Interface(), was.Target.Interface()) {
			continue
		}
		if NeedsRestart(f) {
			f.Target.Set(was.Target)
			restart = append(restart, f.Name)
			continue
		}
		changed = append(changed, f.Name)
	}
	if !reflect.DeepEqual(p.sites, inForce.sites) {
		changed = append(changed, OverridesKey)
	}
	return changed, restart
}

// NeedsRestart reports whether a flag is read only when the program starts.
func NeedsRestart(f *kong.Flag) bool { return f.Tag.Get("reload") == "restart" }
