package certs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/smallstep/truststore"
)

// Outcome says what Install or Uninstall did and what a person must still do.
type Outcome struct {
	// Done lists the trust stores that were changed.
	Done []string
	// Commands are the commands to run by hand, in order. They need rights or tools that this process does not have.
	Commands []string
	// Notes say what else to do or know: browsers with stores of their own, phones, restarts.
	Notes []string
}

// Install adds the CA to the trust stores of this machine, as far as this process has the rights, and says what is left
// to do. With an error, the outcome still says what was done, and its commands do what failed.
func (a *Authority) Install(ctx context.Context) (Outcome, error) {
	return a.trustStores().change(ctx, true)
}

// Uninstall removes the CA from the trust stores. Its results have the form of Install's.
func (a *Authority) Uninstall(ctx context.Context) (Outcome, error) {
	return a.trustStores().change(ctx, false)
}

// namePrefix begins the name of the CA in trust stores; the serial number in decimal follows.
const namePrefix = "winnow-ca-"

// trustStores are the functions that change the trust stores. Tests replace them, so that they do not touch the
// machine's own.
type trustStores struct {
	goos string
	// privileged says whether the system's store may be changed.
	privileged bool
	// system and nss change the system's store and those of Firefox and Chrome. nss is nil where there is no such
	// store.
	system, nss func(install bool) error
	// steps are the commands for doing by hand what system does.
	steps commands
}

func (a *Authority) trustStores() trustStores {
	with := func(opts ...truststore.Option) func(bool) error {
		opts = append(opts, truststore.WithPrefix(namePrefix)) // the library appends the serial number
		return func(install bool) error {
			if install {
				return truststore.Install(a.cert, opts...)
			}
			return truststore.Uninstall(a.cert, opts...)
		}
	}
	t := trustStores{
		goos:       runtime.GOOS,
		privileged: runtime.GOOS == "windows" || os.Geteuid() == 0, // Windows has a store of the user's own
		system:     with(),
		steps:      commands{pem: filepath.Join(a.dir, certFile), serial: a.cert.SerialNumber, exists: exists},
	}
	if nss, err := truststore.NewNSSTrust(); err == nil && nss.PreCheck() == nil {
		t.nss = with(truststore.WithNoSystem(), truststore.WithTrust(nss))
	}
	return t
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// change adds the CA to every store within reach, or removes it.
func (t trustStores) change(ctx context.Context, install bool) (o Outcome, err error) {
	if err := ctx.Err(); err != nil {
		return o, err
	}
	o.Notes = notes(t.goos, install)
	if t.nss != nil {
		if err := t.nss(install); err != nil {
			o.Notes = append(o.Notes, "the store of Firefox and Chrome was not changed:  "+err.Error())
		} else {
			o.Done = append(o.Done, "Firefox and Chrome (NSS)")
		}
	}
	if !t.privileged {
		o.Commands = t.steps.forSystem(t.goos, install)
		return o, nil
	}
	if err := t.system(install); err != nil {
		o.Commands = t.steps.forSystem(t.goos, install)
		return o, fmt.Errorf("change the system's trust store: %w", err)
	}
	o.Done = append(o.Done, "the system's trust store")
	return o, nil
}

// notes returns the steps that no command can do.
func notes(goos string, install bool) []string {
	if !install {
		return []string{
			"restart browsers to make them forget the CA",
			"phones and browsers that were set up by hand need its removal by hand too",
		}
	}
	n := []string{"restart browsers to make them read the trust store again"}
	if goos == "linux" {
		n = append(n, "Firefox and Chrome keep stores of their own: where certutil (package libnss3-tools) is missing, "+
			"import ca.pem in their settings under Certificates, Authorities")
	}
	return append(n, "phones: open http://winnow.internal/ through the proxy; apps on Android 7 and newer ignore CAs "+
		"that the user adds, browsers do not")
}
