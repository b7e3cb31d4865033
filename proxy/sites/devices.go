package sites

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"
	"time"

	"github.com/winnow-proxy/winnow/cache/durable"
	"github.com/winnow-proxy/winnow/model/page"
)

// DevicesFile is the name of the file of devices in a data folder.
const DevicesFile = "device-choices.json"

// maxDevices bounds the devices whose choices are kept; those that chose longest ago go first.
const maxDevices = 10_000

// DeviceModes are the modes that a device may choose for all sites.
func DeviceModes() []page.Mode { return []page.Mode{page.ModeReader, page.ModeLite, page.ModeOff} }

// deviceChoice is what a device has chosen.
type deviceChoice struct {
	Mode page.Mode `json:"mode"`
	At   time.Time `json:"at"`
}

// Devices remember which mode devices want on all sites. A device is a client of the proxy, by its address and user:
// cookies of winnow's own site do not come with requests to others. The file has keyed hashes of them. It is safe for
// concurrent use; nil has no choices.
type Devices struct {
	file string
	sign *Choices

	mu      sync.RWMutex
	choices map[string]deviceChoice
	// pauses are the devices that get the original until a time. They are in memory alone.
	pauses map[string]time.Time
}

// OpenDevices opens the devices in a file, which need not exist; an empty name stands for memory alone. Hashes are
// keyed with a secret; now nil means time.Now.
func OpenDevices(file string, secret []byte, now func() time.Time) (*Devices, error) {
	d := &Devices{file: file, sign: NewChoices(secret, now), choices: map[string]deviceChoice{}, pauses: map[string]time.Time{}}
	if file == "" {
		return d, nil
	}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &d.choices)
	}
	if err != nil {
		return nil, fmt.Errorf("choices of devices: %s: %w: mend it, or remove it so that devices choose again", file, err)
	}
	return d, nil
}

// Mode returns the mode that a device wants on all sites. ok is false where it has chosen none within a year.
func (d *Devices) Mode(device string) (mode page.Mode, ok bool) {
	if d == nil || device == "" {
		return page.ModeOff, false
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	if until, paused := d.pauses[device]; paused && d.sign.now().Before(until) {
		return page.ModeOff, true
	}
	if len(d.choices) == 0 {
		return page.ModeOff, false
	}
	c, ok := d.choices[d.sign.sign("device", device)]
	if !ok || d.sign.now().Sub(c.At) > alwaysLasts {
		return page.ModeOff, false
	}
	return c.Mode, true
}

// ErrDeviceMode says that devices can't choose a mode.
var ErrDeviceMode = errors.New("devices choose reader, lite or off")

// Choose sets the mode of a device. When it returns nil, the choice survives a crash.
func (d *Devices) Choose(device string, mode page.Mode) error {
	for _, m := range DeviceModes() {
		if m == mode {
			return d.change(func(choices map[string]deviceChoice) {
				choices[d.sign.sign("device", device)] = deviceChoice{mode, d.sign.now().UTC().Truncate(time.Second)}
			})
		}
	}
	return fmt.Errorf("%s: %w", mode, ErrDeviceMode)
}

// maxPauses bounds the devices that pause at once.
const maxPauses = 1000

// Pause gives a device the original until a time, whatever it has chosen for all sites, but not of sites that it has
// chosen a mode for; a time that has passed ends the pause. It does nothing where too many pause.
func (d *Devices) Pause(device string, until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for other, end := range d.pauses {
		if other == device || !d.sign.now().Before(end) {
			delete(d.pauses, other)
		}
	}
	if len(d.pauses) < maxPauses && d.sign.now().Before(until) {
		d.pauses[device] = until
	}
}

// Paused returns until when a device pauses, zero where it does not.
func (d *Devices) Paused(device string) time.Time {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if until := d.pauses[device]; d.sign.now().Before(until) {
		return until
	}
	return time.Time{}
}

// Forget takes the choice of a device back.
func (d *Devices) Forget(device string) error {
	return d.change(func(choices map[string]deviceChoice) { delete(choices, d.sign.sign("device", device)) })
}

func (d *Devices) change(do func(map[string]deviceChoice)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	choices := maps.Clone(d.choices)
	do(choices)
	for len(choices) > maxDevices {
		oldest := ""
		for device, c := range choices {
			if oldest == "" || c.At.Before(choices[oldest].At) {
				oldest = device
			}
		}
		delete(choices, oldest)
	}
	if d.file != "" {
		b, err := json.MarshalIndent(choices, "", " ")
		if err == nil {
			err = durable.Replace(d.file, append(b, '\n'))
		}
		if err != nil {
			return fmt.Errorf("choices of devices: %w", err)
		}
	}
	d.choices = choices
	return nil
}
