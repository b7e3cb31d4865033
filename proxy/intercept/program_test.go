package intercept

import (
	"crypto/tls"
	"slices"
	"testing"
)

// A program keeps its name from one connection to the next, and others have other names.
func TestProgram(t *testing.T) {
	hello := func() *tls.ClientHelloInfo {
		return &tls.ClientHelloInfo{CipherSuites: []uint16{0x0a0a, 0x1301, 0x1302}, SupportedCurves: []tls.CurveID{0x3a3a, tls.X25519},
			SignatureSchemes: []tls.SignatureScheme{tls.PSSWithSHA256}, SupportedVersions: []uint16{0x5a5a, tls.VersionTLS13},
			Extensions: []uint16{0x1a1a, 0, 10, 13, 16, 43, 51, 21}}
	}
	name := program(hello())
	for what, change := range map[string]func(*tls.ClientHelloInfo){
		"other random values": func(h *tls.ClientHelloInfo) { h.CipherSuites[0], h.Extensions[0] = 0x7a7a, 0x2a2a },
		"another order":       func(h *tls.ClientHelloInfo) { slices.Reverse(h.Extensions) },
		"resumption":          func(h *tls.ClientHelloInfo) { h.Extensions = append(h.Extensions, 41, 42) },
		"no name, no ALPN":    func(h *tls.ClientHelloInfo) { h.Extensions = []uint16{10, 13, 43, 51}; h.ServerName = "a.test" },
	} {
		h := hello()
		change(h)
		if got := program(h); got != name {
			t.Errorf("%s: %s, want %s", what, got, name)
		}
	}
	for what, change := range map[string]func(*tls.ClientHelloInfo){
		"other ciphers":    func(h *tls.ClientHelloInfo) { h.CipherSuites[1] = 0x1303 },
		"one more":         func(h *tls.ClientHelloInfo) { h.Extensions = append(h.Extensions, 35) },
		"other signatures": func(h *tls.ClientHelloInfo) { h.SignatureSchemes[0] = tls.Ed25519 },
	} {
		h := hello()
		change(h)
		if program(h) == name {
			t.Errorf("%s: the same name", what)
		}
	}
}
