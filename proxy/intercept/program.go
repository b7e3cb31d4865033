package intercept

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
)

// program names the program that sent a TLS ClientHello, by a hash of what stays the same in all hellos of one program:
// versions, ciphers, extensions, groups and signatures. What changes from one connection to the next is left out: the
// name of the host, padding, resumption, ALPN, which depends on what a connection is for, random values (GREASE, RFC
// 8701), and the order of extensions, which browsers shuffle. Programs on one library can share a name.
func program(hello *tls.ClientHelloInfo) string {
	const serverName, alpn, padding, preSharedKey, earlyData, alps, newALPS = 0, 16, 21, 41, 42, 17513, 17613
	extensions := slices.DeleteFunc(slices.Clone(hello.Extensions), func(e uint16) bool {
		return slices.Contains([]uint16{serverName, alpn, padding, preSharedKey, earlyData, alps, newALPS}, e)
	})
	slices.Sort(extensions)
	var parts []byte
	add := func(values []uint16) {
		values = slices.DeleteFunc(values, func(v uint16) bool { return v&0x0f0f == 0x0a0a && v>>8 == v&0xff })
		parts = binary.BigEndian.AppendUint16(parts, uint16(len(values)))
		for _, v := range values {
			parts = binary.BigEndian.AppendUint16(parts, v)
		}
	}
	add(slices.Clone(hello.SupportedVersions))
	add(slices.Clone(hello.CipherSuites))
	add(extensions)
	var groups, schemes []uint16
	for _, g := range hello.SupportedCurves {
		groups = append(groups, uint16(g))
	}
	for _, s := range hello.SignatureSchemes {
		schemes = append(schemes, uint16(s))
	}
	add(groups)
	add(schemes)
	sum := sha256.Sum256(parts)
	return hex.EncodeToString(sum[:4])
}

// errPasses ends a handshake whose ClientHello is that of a program for which the host passes through.
var errPasses = errors.New("the host passes through for this program")

// listen returns a configuration that finds out, by the ClientHello, which program is on c, and ends the handshake
// where the host passes through for it. What the program has sent until then is in c.heard, and nothing was answered.
func (i *Interceptor) listen(c *conn, config *tls.Config) *tls.Config {
	config, c.listening = config.Clone(), true
	config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		c.program, c.listening = program(hello), false
		if i.passthrough.passes(c.key()) {
			c.mute = true
			return nil, errPasses
		}
		c.heard = nil
		return nil, nil
	}
	return config
}
