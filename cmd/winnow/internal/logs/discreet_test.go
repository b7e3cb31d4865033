package logs

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestDiscreetLogs(t *testing.T) {
	var out bytes.Buffer
	log := Discreet(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	line := func(write func()) string {
		out.Reset()
		write()
		return out.String()
	}
	for name, write := range map[string]func(){
		"attribute": func() { log.Info("request failed", "reason", "dns", "host", "secret.example") },
		"message":   func() { log.Warn("handshake failed for host secret.example", "host", "secret.example:8443") },
		"error": func() {
			log.Info("x", "host", "secret.example", "error", errors.New("lookup secret.example: no such host"))
		},
		"no host": func() {
			log.Info("x", "error", errors.New("certificate is valid for secret.example, not www.secret.example"))
		},
		"address": func() { log.Info("x", "error", "dial tcp 93.184.215.14:443: refused; [2001:db8::1]:443 too") },
		"value":   func() { log.Info("x", "host", "secret.example", "panic", []string{"secret.example"}) },
		"logger":  func() { log.With("host", "secret.example").Info("about secret.example") },
		"group":   func() { log.WithGroup("g").Info("x", "host", "secret.example", "what", "forget secret.example") },
	} {
		got := line(write)
		for _, word := range []string{"secret", "93.184", "2001:db8"} {
			if strings.Contains(got, word) {
				t.Errorf("%s: %s", name, got)
			}
		}
		if name != "no host" && name != "address" && !strings.Contains(got, "host-") {
			t.Errorf("%s: no token stands for the host: %s", name, got)
		}
	}
	a := line(func() { log.Info("x", "host", "a.example") })
	if b := line(func() { log.Info("x", "host", "b.example") }); b[len(b)-10:] == a[len(a)-10:] {
		t.Errorf("two hosts have one token: %s", b)
	}
	if again := line(func() { log.Info("x", "host", "a.example") }); again[len(again)-10:] != a[len(a)-10:] {
		t.Errorf("one host has two tokens: %s", again)
	}
	kept := line(func() {
		log.Error("store full", "store", "/data/models.db", "client", "10.0.0.1", "count", 3, "error", "open /data/models.db: no space left on device")
	})
	for _, word := range []string{"/data/models.db", "10.0.0.1", "count=3", "open /data/models.db: no space left"} {
		if !strings.Contains(kept, word) {
			t.Errorf("%q is not in %s", word, kept)
		}
	}
}
