package certs

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
)

// recorder replaces a trust store.
type recorder struct {
	calls []bool
	err   error
}

func (r *recorder) change(install bool) error {
	r.calls = append(r.calls, install)
	return r.err
}

func TestInstallDoesWhatItMayAndSaysTheRest(t *testing.T) {
	broken := errors.New("no such profile")
	tests := []struct {
		name                     string
		privileged               bool
		system, nss              *recorder
		done, commands           int
		wantErr, systemUntouched bool
	}{
		{"root", true, &recorder{}, &recorder{}, 2, 0, false, false},
		{"not root", false, &recorder{}, &recorder{}, 1, 2, false, true},
		{"no browser store", true, &recorder{}, nil, 1, 0, false, false},
		{"browser store fails", true, &recorder{}, &recorder{err: broken}, 1, 0, false, false},
		{"system store fails", true, &recorder{err: broken}, &recorder{}, 1, 2, true, false},
	}
	for _, tt := range tests {
		for _, install := range []bool{true, false} {
			t.Run(tt.name, func(t *testing.T) {
				stores := trustStores{goos: "linux", privileged: tt.privileged, system: tt.system.change, steps: debian()}
				if tt.nss != nil {
					stores.nss = tt.nss.change
				}
				tt.system.calls = nil
				o, err := stores.change(context.Background(), install)
				if (err != nil) != tt.wantErr || len(o.Done) != tt.done || len(o.Commands) != tt.commands || len(o.Notes) == 0 {
					t.Errorf("outcome %+v, %v", o, err)
				}
				if want := []bool{install}; tt.systemUntouched != (len(tt.system.calls) == 0) ||
					!tt.systemUntouched && !slices.Equal(tt.system.calls, want) {
					t.Errorf("calls to the system's store: %v", tt.system.calls)
				}
			})
		}
	}
}

func TestInstallStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	system := &recorder{}
	stores := trustStores{goos: "linux", privileged: true, system: system.change, steps: debian()}
	if _, err := stores.change(ctx, true); !errors.Is(err, context.Canceled) || len(system.calls) != 0 {
		t.Errorf("error %v, calls %v", err, system.calls)
	}
}

func debian() commands {
	return commands{
		pem: "/home/it's me/ca.pem", serial: big.NewInt(255),
		exists: func(p string) bool { return p == "/usr/local/share/ca-certificates" },
	}
}

func TestCommands(t *testing.T) {
	nowhere := debian()
	nowhere.exists = func(string) bool { return false }
	for _, tt := range []struct {
		name    string
		c       commands
		goos    string
		install bool
		want    []string
	}{
		{"debian", debian(), "linux", true, []string{
			`sudo install -m 0644 '/home/it'\''s me/ca.pem' /usr/local/share/ca-certificates/winnow-ca-255.crt`,
			"sudo update-ca-certificates"}},
		{"debian", debian(), "linux", false, []string{
			"sudo rm -f /usr/local/share/ca-certificates/winnow-ca-255.crt", "sudo update-ca-certificates"}},
		{"macOS", debian(), "darwin", true, []string{
			`sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain '/home/it'\''s me/ca.pem'`}},
		{"macOS", debian(), "darwin", false, []string{`sudo security remove-trusted-cert -d '/home/it'\''s me/ca.pem'`}},
		{"Windows", debian(), "windows", true, []string{`certutil -user -addstore Root "/home/it's me/ca.pem"`}},
		{"Windows", debian(), "windows", false, []string{"certutil -user -delstore Root ff"}},
	} {
		if got := tt.c.forSystem(tt.goos, tt.install); !slices.Equal(got, tt.want) {
			t.Errorf("%s, install %v:\ngot  %q\nwant %q", tt.name, tt.install, got, tt.want)
		}
	}
	if got := nowhere.forSystem("linux", true); len(got) != 1 || !strings.HasPrefix(got[0], "# no trust store found") {
		t.Errorf("unknown Linux: %q", got)
	}
}

func TestTrustStoresOfThisMachineAreWired(t *testing.T) {
	a := create(t, t.TempDir(), time.Now)
	s := a.trustStores()
	if s.system == nil || s.goos == "" || s.steps.serial.Cmp(a.cert.SerialNumber) != 0 || len(s.steps.forSystem(s.goos, true)) == 0 {
		t.Errorf("%+v", s)
	}
}
