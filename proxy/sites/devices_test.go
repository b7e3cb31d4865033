package sites

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
)

// A device's choice holds for it alone, for a year, and in the next process; the file does not name it.
func TestDevices(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	file := filepath.Join(t.TempDir(), DevicesFile)
	d, err := OpenDevices(file, []byte("secret"), clock)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Choose("ada@10.0.0.1", page.ModeLite), d.Choose("10.0.0.2", page.ModeOff), d.Choose("10.0.0.3", page.ModeReader),
		d.Forget("10.0.0.3")); err != nil {
		t.Fatal(err)
	}
	next, err := OpenDevices(file, []byte("secret"), clock)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*Devices{d, next} {
		for device, want := range map[string]string{"ada@10.0.0.1": "lite true", "10.0.0.2": "off true", "10.0.0.3": "off false", "10.0.0.1": "off false", "": "off false"} {
			mode, ok := d.Mode(device)
			if got := fmt.Sprint(mode, ok); got != want {
				t.Errorf("%s: %s, want %s", device, got, want)
			}
		}
	}
	if b, err := os.ReadFile(file); err != nil || strings.Contains(string(b), "10.0.0") || strings.Contains(string(b), "ada") {
		t.Errorf("the file names devices: %s, %v", b, err)
	}
	if err := d.Choose("10.0.0.2", page.ModeJSON); !errors.Is(err, ErrDeviceMode) {
		t.Errorf("JSON: %v", err)
	}
	now = now.Add(alwaysLasts + time.Minute)
	if _, ok := d.Mode("10.0.0.2"); ok {
		t.Error("a choice holds for ever")
	}
	if err := os.WriteFile(file, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDevices(file, nil, nil); err == nil || !strings.Contains(err.Error(), DevicesFile) {
		t.Errorf("a damaged file: %v", err)
	}
	var none *Devices
	if _, ok := none.Mode("10.0.0.2"); ok {
		t.Error("nobody has chosen something")
	}
}

// A device that pauses gets the original for so long, and then what it has chosen.
func TestDevicesPause(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	d, err := OpenDevices("", []byte("secret"), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Choose("a", page.ModeReader); err != nil {
		t.Fatal(err)
	}
	d.Pause("a", now.Add(10*time.Minute))
	d.Pause("b", now.Add(10*time.Minute))
	d.Pause("b", now)
	if mode, ok := d.Mode("a"); !ok || mode != page.ModeOff || d.Paused("a").IsZero() || !d.Paused("b").IsZero() {
		t.Errorf("paused: %s %t", mode, ok)
	}
	now = now.Add(10 * time.Minute)
	if mode, ok := d.Mode("a"); !ok || mode != page.ModeReader || !d.Paused("a").IsZero() {
		t.Errorf("afterwards: %s %t", mode, ok)
	}
	for i := range 2 * maxPauses {
		d.Pause(fmt.Sprint(i), now.Add(time.Hour))
	}
	if len(d.pauses) != maxPauses {
		t.Errorf("%d devices pause", len(d.pauses))
	}
}
