package certs

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"fmt"

	"howett.net/plist"
)

// profile is an Apple configuration profile (Apple, "Configuration Profile Reference": top level, and the payload
// com.apple.security.root).
type profile struct {
	PayloadContent     []rootPayload
	PayloadDescription string
	PayloadDisplayName string
	PayloadIdentifier  string
	PayloadType        string
	PayloadUUID        string
	PayloadVersion     int
}

type rootPayload struct {
	PayloadCertificateFileName string
	PayloadContent             []byte
	PayloadDescription         string
	PayloadDisplayName         string
	PayloadIdentifier          string
	PayloadType                string
	PayloadUUID                string
	PayloadVersion             int
}

// MobileConfig returns an Apple configuration profile that installs the CA on iOS and macOS. It is not signed, so the
// device says so. On iOS the CA must also be switched on under Settings, General, About, Certificate Trust Settings.
func (a *Authority) MobileConfig() []byte { return bytes.Clone(a.profile) }

func newProfile(cert *x509.Certificate) ([]byte, error) {
	title := cert.Subject.CommonName
	id := fmt.Sprintf("winnow.ca.%x", sha256.Sum256(cert.Raw))[:26]
	b, err := plist.MarshalIndent(profile{
		PayloadContent: []rootPayload{{
			PayloadCertificateFileName: "winnow-ca.cer",
			PayloadContent:             cert.Raw,
			PayloadDescription:         "Lets this device read pages that winnow cleaned over HTTPS.",
			PayloadDisplayName:         title,
			PayloadIdentifier:          id + ".root",
			PayloadType:                "com.apple.security.root",
			PayloadUUID:                uuid(cert, "root"),
			PayloadVersion:             1,
		}},
		PayloadDescription: "Installs the certificate of the winnow proxy.",
		PayloadDisplayName: title,
		PayloadIdentifier:  id,
		PayloadType:        "Configuration",
		PayloadUUID:        uuid(cert, "profile"),
		PayloadVersion:     1,
	}, plist.XMLFormat, "\t")
	if err != nil {
		return nil, fmt.Errorf("write the configuration profile: %w", err)
	}
	return b, nil
}

// uuid derives a UUID from the CA (RFC 9562, version 8), so that a second installation of the profile replaces the
// first.
func uuid(cert *x509.Certificate, part string) string {
	u := sha256.Sum256(append([]byte(part+"\x00"), cert.Raw...))
	u[6] = u[6]&0x0f | 0x80
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%X-%X-%X-%X-%X", u[:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
