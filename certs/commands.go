package certs

import (
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
)

// commands builds the commands by which a person changes the system's trust store.
type commands struct {
	pem    string // the path of the CA certificate
	serial *big.Int
	exists func(path string) bool
}

// anchors are the directories where Linux distributions keep local CAs, in the order in which smallstep/truststore
// tries them.
func anchors() []struct{ dir, extension, update string } {
	return []struct{ dir, extension, update string }{
		{"/etc/pki/ca-trust/source/anchors", ".pem", "update-ca-trust extract"},       // Fedora, RHEL
		{"/usr/local/share/ca-certificates", ".crt", "update-ca-certificates"},        // Debian, Ubuntu, Alpine
		{"/usr/share/pki/trust/anchors", ".crt", "update-ca-certificates"},            // SUSE
		{"/etc/ca-certificates/trust-source/anchors", ".crt", "trust extract-compat"}, // Arch
		{"/etc/ssl/certs", ".crt", "trust extract-compat"},                            // others
	}
}

// forSystem returns the commands for one operating system, as runtime.GOOS names it.
func (c commands) forSystem(goos string, install bool) []string {
	switch {
	case goos == "darwin" && install:
		return []string{"sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain " + quote(c.pem)}
	case goos == "darwin":
		return []string{"sudo security remove-trusted-cert -d " + quote(c.pem)}
	case goos == "windows" && install:
		return []string{`certutil -user -addstore Root "` + c.pem + `"`}
	case goos == "windows":
		return []string{"certutil -user -delstore Root " + c.serial.Text(16)}
	}
	return c.forLinux(install)
}

func (c commands) forLinux(install bool) []string {
	name := namePrefix + c.serial.String() // the library's name: each removes what the other installed
	for _, a := range anchors() {
		if !c.exists(a.dir) {
			continue
		}
		file := filepath.Join(a.dir, name+a.extension)
		if install {
			return []string{fmt.Sprintf("sudo install -m 0644 %s %s", quote(c.pem), file), "sudo " + a.update}
		}
		return []string{"sudo rm -f " + file, "sudo " + a.update}
	}
	return []string{"# no trust store found: see the manual of your system for how to add or remove " + quote(c.pem)}
}

// quote quotes path as one word of a POSIX shell.
func quote(path string) string {
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
