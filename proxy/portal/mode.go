package portal

import (
	"errors"
	"net/http"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/problem"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// deviceMode is a mode that a device may choose for all sites. Label is a message, as is what it has with ".note".
type deviceMode struct {
	Value, Label string
	Chosen       bool
}

// modes lists them for a device.
func (p *portal) modes(device string) []deviceMode {
	chosen, ok := p.Devices.Mode(device)
	list := []deviceMode{{"", "device.clean", !ok}}
	for _, m := range sites.DeviceModes() {
		list = append(list, deviceMode{m.String(), "device." + m.String(), ok && chosen == m})
	}
	return list
}

// choose sets the mode of the device that asks, for all sites. The form has a token, which only the portal's page
// shows.
func (p *portal) choose(w http.ResponseWriter, r *http.Request) {
	device := exchange.Name(r.Context())
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	if !p.tokens.Check(r.PostFormValue("token"), device, "mode") {
		problem.Write(w, http.StatusForbidden, "this form is too old, or not from this site: open the page again")
		return
	}
	var mode page.Mode
	var err error
	name := r.PostFormValue("mode")
	if name == "" {
		err = p.Devices.Forget(device)
	} else if err = mode.UnmarshalText([]byte(name)); err != nil {
		problem.Write(w, http.StatusBadRequest, "field mode: "+err.Error())
		return
	} else {
		err = p.Devices.Choose(device, mode)
	}
	switch {
	case errors.Is(err, sites.ErrDeviceMode):
		problem.Write(w, http.StatusBadRequest, "field mode: "+err.Error())
	case err != nil:
		problem.Write(w, http.StatusInternalServerError, "the choice could not be kept: "+err.Error())
	default:
		http.Redirect(w, r, "/?chosen#mode", http.StatusSeeOther)
	}
}
