package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// caCmd is winnow ca. Each of its subcommands creates the CA if there is none yet, like winnow serve.
type caCmd struct {
	Create    caCreateCmd    `cmd:"" help:"Make a CA that can speak for some hosts alone."`
	Show      caShowCmd      `cmd:"" help:"Describe the CA that signs the certificates of intercepted connections."`
	Export    caExportCmd    `cmd:"" help:"Print the CA certificate, for clients to trust."`
	Install   caInstallCmd   `cmd:"" help:"Make this machine trust the CA."`
	Uninstall caUninstallCmd `cmd:"" help:"Make this machine stop trusting the CA."`
}

// caFlags choose the CA.
type caFlags struct {
	Data string `default:"${data}" placeholder:"DIR" help:"Folder with the models, the key and the CA (default: ${data})."`
}

func (f *caFlags) authority() (*certs.Authority, error) {
	a, err := certs.LoadOrCreate(f.Data, time.Now)
	return a, flags.Denied(f.Data, err)
}

type caCreateCmd struct {
	caFlags
	Intercept []string `required:"" placeholder:"HOST" help:"Hosts that the CA may speak for, with all names below them, as in winnow serve --intercept."`
	Days      int      `default:"365" placeholder:"N" help:"Days that it is valid (default: ${default})."`
}

// Help gives examples.
func (*caCreateCmd) Help() string {
	return `Other commands make a CA for all hosts and ten years if there is none. This one is for those who intercept a few hosts: whoever steals its key can pretend to be these alone. Clients that know no name constraints refuse it.

Examples:

  winnow ca create --intercept news.example,shop.example
  winnow serve --intercept news.example,.news.example,shop.example,.shop.example`
}

// Run makes the CA.
func (c *caCreateCmd) Run(p *console.Console) error {
	if c.Days < 1 {
		return console.Usagef("--days: %d: want at least 1", c.Days)
	}
	o := certs.Constraints{Hosts: []string{hostname.Portal}, Life: time.Duration(c.Days) * 24 * time.Hour}
	for _, s := range c.Intercept {
		host, err := hostname.Canonical(strings.TrimPrefix(s, "."))
		if err != nil {
			return console.Usagef("--intercept: %w", err)
		}
		o.Hosts = append(o.Hosts, host)
	}
	if _, err := certs.Create(c.Data, o, time.Now); err != nil {
		return flags.Denied(c.Data, err)
	}
	return (&caShowCmd{caFlags: c.caFlags}).Run(p)
}

type caShowCmd struct {
	caFlags
	JSON bool `name:"json" help:"Print as JSON."`
}

// Help gives examples.
func (*caShowCmd) Help() string {
	return `Compare the fingerprint with what a browser or phone shows before you trust the certificate.

Examples:

  winnow ca show`
}

// caInfo is the output of ca show.
type caInfo struct {
	Name        string    `json:"name"`
	Fingerprint string    `json:"fingerprint"`
	NotBefore   time.Time `json:"not_before"`
	NotAfter    time.Time `json:"not_after"`
	File        string    `json:"file"`
}

// Run describes the CA.
func (c *caShowCmd) Run(p *console.Console) error {
	a, err := c.authority()
	if err != nil {
		return err
	}
	cert := a.Certificate()
	info := caInfo{cert.Subject.CommonName, a.Fingerprint(), cert.NotBefore, cert.NotAfter, filepath.Join(c.Data, "ca.pem")}
	if c.JSON {
		return p.JSON(info)
	}
	_, err = fmt.Fprintf(p.Stdout, "Name         %s\nSHA-256      %s\nValid        %s to %s\nFile         %s\n", info.Name,
		info.Fingerprint, info.NotBefore.Format(time.DateOnly), info.NotAfter.Format(time.DateOnly), info.File)
	return err
}

type caExportCmd struct {
	caFlags
	Format string `enum:"pem,der,mobileconfig" default:"pem" placeholder:"FORMAT" help:"pem, der (Android, Windows) or mobileconfig (iOS, macOS)."`
	Out    string `short:"o" placeholder:"FILE" help:"Write to this file instead of standard output."`
}

// Help gives examples.
func (*caExportCmd) Help() string {
	return `The private key is never exported.

Examples:

  winnow ca export > winnow-ca.pem
  winnow ca export --format mobileconfig --out winnow.mobileconfig
  curl --proxy 127.0.0.1:8080 --cacert winnow-ca.pem https://example.org/`
}

// Run prints the certificate.
func (c *caExportCmd) Run(p *console.Console) error {
	a, err := c.authority()
	if err != nil {
		return err
	}
	b := a.PEM()
	switch c.Format {
	case "der":
		b = a.DER()
	case "mobileconfig":
		b = a.MobileConfig()
	}
	if c.Out == "" {
		_, err = p.Stdout.Write(b)
		return err
	}
	return os.WriteFile(c.Out, b, 0o644)
}

type caInstallCmd struct{ caFlags }

// Help gives examples.
func (*caInstallCmd) Help() string {
	return `Adds the CA to the trust stores that this user may change, and prints the commands for the others.

Examples:

  winnow ca install
  sudo winnow ca install --data ~/.local/share/winnow`
}

// Run installs the CA.
func (c *caInstallCmd) Run(ctx context.Context, p *console.Console) error {
	a, err := c.authority()
	if err != nil {
		return err
	}
	o, err := a.Install(ctx)
	printOutcome(p, "The CA is now trusted by:", o)
	return err
}

type caUninstallCmd struct{ caFlags }

// Help gives examples.
func (*caUninstallCmd) Help() string {
	return `Removes the CA from the trust stores that this user may change, and prints the commands for the others.

Examples:

  winnow ca uninstall`
}

// Run uninstalls the CA.
func (c *caUninstallCmd) Run(ctx context.Context, p *console.Console) error {
	a, err := c.authority()
	if err != nil {
		return err
	}
	o, err := a.Uninstall(ctx)
	printOutcome(p, "The CA is no longer trusted by:", o)
	return err
}

// printOutcome says what was done and what remains to do.
func printOutcome(p *console.Console, done string, o certs.Outcome) {
	section := func(title, indent string, lines []string) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintln(p.Stdout, title)
		for _, l := range lines {
			fmt.Fprintln(p.Stdout, indent+l)
		}
	}
	section(done, "  ", o.Done)
	section("Run these by hand:", "  ", o.Commands)
	section("Note:", "  ", o.Notes)
}
