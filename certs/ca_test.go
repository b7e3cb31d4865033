package certs

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// childDir names the environment variable that turns the test binary into a process that loads the CA and prints
// its fingerprint.
const childDir = "WINNOW_TEST_CA_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		a, err := LoadOrCreate(dir, time.Now)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(a.Fingerprint())
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newClock() *clock { return &clock{time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)} }

func create(t *testing.T, dir string, now func() time.Time) *Authority {
	t.Helper()
	a, err := LoadOrCreate(dir, now)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestCreateMakesPrivateFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	a := create(t, dir, time.Now)
	for path, want := range map[string]os.FileMode{
		dir:                          0o700,
		filepath.Join(dir, keyFile):  0o600,
		filepath.Join(dir, certFile): 0o644,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %#o, want %#o", path, got, want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("the data directory holds %v (%v), want the two files alone", entries, err)
	}
	onDisk, err := os.ReadFile(filepath.Join(dir, certFile))
	if err != nil || !bytes.Equal(onDisk, a.PEM()) {
		t.Errorf("ca.pem differs from PEM() (%v)", err)
	}
}

func TestCAIsOfTheStatedShape(t *testing.T) {
	c := newClock()
	a := create(t, t.TempDir(), c.now)
	cert := a.Certificate()
	if key, ok := cert.PublicKey.(*ecdsa.PublicKey); !ok || key.Curve != elliptic.P256() {
		t.Errorf("public key %T, want ECDSA P-256", cert.PublicKey)
	}
	if !cert.IsCA || !cert.MaxPathLenZero || cert.MaxPathLen != 0 || cert.KeyUsage != x509.KeyUsageCertSign {
		t.Errorf("CA %v, path length %d, usage %v: want a CA that signs leaves alone", cert.IsCA, cert.MaxPathLen, cert.KeyUsage)
	}
	if got := cert.NotAfter.Sub(c.t); got != caLifetime {
		t.Errorf("valid for %v, want %v", got, caLifetime)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if name := cert.Subject.CommonName; len(name) > 64 || !strings.HasPrefix(name, "winnow CA "+host[:min(len(host), 40)]+" ") {
		t.Errorf("common name %q does not begin with the host name %q", name, host)
	}
	if other := create(t, t.TempDir(), c.now).Certificate(); other.Subject.CommonName == cert.Subject.CommonName {
		t.Errorf("two installations are both called %q", cert.Subject.CommonName)
	}
}

func TestLoadGivesTheSameCA(t *testing.T) {
	dir := t.TempDir()
	first, second := create(t, dir, time.Now), create(t, dir, time.Now)
	if !bytes.Equal(first.DER(), second.DER()) || !first.key.Equal(second.key) {
		t.Error("the second load gave another CA")
	}
	if first.leafKey.Equal(second.leafKey) {
		t.Error("two processes share a leaf key")
	}
}

// After a crash between the two files there is a key without a certificate. That key is kept.
func TestKeyWithoutCertificateIsCompleted(t *testing.T) {
	dir := t.TempDir()
	first := create(t, dir, time.Now)
	if err := os.Remove(filepath.Join(dir, certFile)); err != nil {
		t.Fatal(err)
	}
	if second := create(t, dir, time.Now); !first.key.Equal(second.key) {
		t.Error("the key was replaced")
	}
}

func TestProcessesThatCreateAtOnceAgree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := make([]bytes.Buffer, 6)
	var cmds []*exec.Cmd
	for i := range out {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		cmd.Stdout, cmd.Stderr = &out[i], &out[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("process %d: %v: %s", i, err, &out[i])
		}
	}
	want := create(t, dir, time.Now).Fingerprint()
	for i := range out {
		if got := strings.TrimSpace(out[i].String()); got != want {
			t.Errorf("process %d has CA %s, on disk is %s", i, got, want)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	otherDir := t.TempDir()
	create(t, otherDir, time.Now)
	copyFrom := func(t *testing.T, dir, file string) {
		b, err := os.ReadFile(filepath.Join(otherDir, file))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, file), b)
	}
	tests := []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{"a key that others can read", func(t *testing.T, dir string) {
			if err := os.Chmod(filepath.Join(dir, keyFile), 0o640); err != nil {
				t.Fatal(err)
			}
		}, "chmod 600"},
		{"a key of another pair", func(t *testing.T, dir string) { copyFrom(t, dir, keyFile) }, "does not belong"},
		{"a certificate of another pair", func(t *testing.T, dir string) { copyFrom(t, dir, certFile) }, "does not belong"},
		{"a certificate without its key", func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, keyFile)); err != nil {
				t.Fatal(err)
			}
		}, "is missing"},
		{"an empty key", func(t *testing.T, dir string) { write(t, filepath.Join(dir, keyFile), nil) }, "no PEM block"},
		{"a damaged key", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, keyFile), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte{1}}))
		}, "read the CA key"},
		{"a damaged certificate", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, certFile), encodeCertificate([]byte{1}))
		}, "read the CA certificate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			create(t, dir, time.Now)
			tt.damage(t, dir)
			_, err := LoadOrCreate(dir, time.Now)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLoadRefusesAnExpiredCA(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	create(t, dir, c.now)
	c.t = c.t.Add(caLifetime + time.Hour)
	if _, err := LoadOrCreate(dir, c.now); err == nil || !strings.Contains(err.Error(), "expired on") {
		t.Errorf("error %v, want one that says when it expired", err)
	}
}

func TestLoadRefusesALeafAsCA(t *testing.T) {
	dir := t.TempDir()
	a := create(t, dir, time.Now)
	template := &x509.Certificate{SerialNumber: a.cert.SerialNumber, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, certFile), encodeCertificate(der))
	if _, err := LoadOrCreate(dir, time.Now); err == nil || !strings.Contains(err.Error(), "not a CA") {
		t.Errorf("error %v, want one that says that it is not a CA", err)
	}
}

func TestCreateNeedsAWritableDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	if _, err := LoadOrCreate(file, time.Now); err == nil || !strings.Contains(err.Error(), "data directory") {
		t.Errorf("error %v, want one about the data directory", err)
	}
}
