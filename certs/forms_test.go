package certs

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"regexp"
	"strings"
	"testing"
	"time"

	"howett.net/plist"
)

func TestFormsHoldTheSameCertificate(t *testing.T) {
	a := create(t, t.TempDir(), time.Now)
	block, rest := pem.Decode(a.PEM())
	if block == nil || len(rest) != 0 || !bytes.Equal(block.Bytes, a.DER()) {
		t.Error("PEM and DER differ")
	}
	if cert, err := x509.ParseCertificate(a.DER()); err != nil || !cert.Equal(a.Certificate()) {
		t.Errorf("DER and Certificate differ (%v)", err)
	}
	sum := sha256.Sum256(a.DER())
	if got := strings.ToLower(strings.ReplaceAll(a.Fingerprint(), ":", "")); got != hex.EncodeToString(sum[:]) {
		t.Errorf("fingerprint %s", a.Fingerprint())
	}
	if ok, err := regexp.MatchString(`^([0-9A-F]{2}:){31}[0-9A-F]{2}$`, a.Fingerprint()); err != nil || !ok {
		t.Errorf("fingerprint %s is not written as trust dialogues do", a.Fingerprint())
	}
	a.DER()[0] ^= 1
	a.MobileConfig()[0] ^= 1
	if a.DER()[0] != block.Bytes[0] || a.MobileConfig()[0] != '<' {
		t.Error("a caller can change the certificate")
	}
}

func TestMobileConfigInstallsTheCA(t *testing.T) {
	dir := t.TempDir()
	a := create(t, dir, time.Now)
	var p profile
	if _, err := plist.Unmarshal(a.MobileConfig(), &p); err != nil {
		t.Fatal(err)
	}
	if p.PayloadType != "Configuration" || p.PayloadVersion != 1 || len(p.PayloadContent) != 1 {
		t.Fatalf("profile %+v", p)
	}
	root := p.PayloadContent[0]
	if root.PayloadType != "com.apple.security.root" || !bytes.Equal(root.PayloadContent, a.DER()) {
		t.Errorf("payload of type %s does not hold the CA", root.PayloadType)
	}
	uuid := regexp.MustCompile(`^[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$`)
	if !uuid.MatchString(p.PayloadUUID) || !uuid.MatchString(root.PayloadUUID) || p.PayloadUUID == root.PayloadUUID {
		t.Errorf("UUIDs %s and %s", p.PayloadUUID, root.PayloadUUID)
	}
	if !bytes.Equal(a.MobileConfig(), create(t, dir, time.Now).MobileConfig()) {
		t.Error("the profile differs from run to run, so that devices would collect copies")
	}
	if bytes.Equal(a.MobileConfig(), create(t, t.TempDir(), time.Now).MobileConfig()) {
		t.Error("two installations share a profile")
	}
}
