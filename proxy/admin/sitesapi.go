package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/winnow-proxy/winnow/proxy/sites"
)

// getSettings answers with the settings of a site and its configuration.
func (a *admin) getSettings(w http.ResponseWriter, r *http.Request) {
	if host, ok := a.site(w, r); ok {
		reply(w, a.Sites.Get(host))
	}
}

// putSettings replaces the settings of a site by those in the body.
func (a *admin) putSettings(w http.ResponseWriter, r *http.Request) {
	host, ok := a.site(w, r)
	if !ok {
		return
	}
	var s sites.Settings
	if !readJSON(w, r, &s) {
		return
	}
	a.settled(w, r, host, a.Sites.Set(host, s))
}

// deleteSettings removes the settings of a site and their history.
func (a *admin) deleteSettings(w http.ResponseWriter, r *http.Request) {
	host, ok := a.site(w, r)
	if !ok {
		return
	}
	if err := a.Sites.Remove(host); err != nil {
		a.settled(w, r, host, err)
		return
	}
	a.Logger.Info("settings removed", "host", host)
	w.WriteHeader(http.StatusNoContent)
}

// undoSettings takes the last change back.
func (a *admin) undoSettings(w http.ResponseWriter, r *http.Request) {
	if host, ok := a.site(w, r); ok {
		a.settled(w, r, host, a.Sites.Undo(host))
	}
}

// allSettings answers with the settings of all sites, without their history, as importSettings takes them.
func (a *admin) allSettings(w http.ResponseWriter, _ *http.Request) {
	sites := map[string]sites.Settings{}
	for host, record := range a.Sites.All() {
		if !record.IsZero() {
			sites[host] = record.Settings
		}
	}
	reply(w, map[string]any{"sites": sites})
}

// importSettings replaces the settings of the sites in the body, of all or of none.
func (a *admin) importSettings(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Sites map[string]sites.Settings `json:"sites"`
	}
	if !readJSON(w, r, &body) {
		return
	}
	if err := a.Sites.Import(body.Sites); err != nil {
		a.settled(w, r, "", err)
		return
	}
	a.Logger.Info("settings imported", "sites", len(body.Sites))
	reply(w, map[string]int{"sites": len(body.Sites)})
}

// settled answers a change of a site's settings.
func (a *admin) settled(w http.ResponseWriter, r *http.Request, host string, err error) {
	switch {
	case errors.Is(err, sites.ErrInvalid):
		fail(w, http.StatusUnprocessableEntity, err.Error())
	case errors.Is(err, sites.ErrNoChange):
		fail(w, http.StatusConflict, err.Error())
	case errors.Is(err, sites.ErrFull):
		fail(w, http.StatusInsufficientStorage, err.Error())
	case err != nil:
		a.failed(w, r, "change settings", err)
	default:
		a.Logger.Info("settings changed", "host", host, "how", "API")
		reply(w, a.Sites.Get(host))
	}
}

// readJSON reads the body strictly, or answers with the error.
func readJSON(w http.ResponseWriter, r *http.Request, into any) bool {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxSettings))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more than one value")
		}
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		fail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("body: want at most %d bytes", tooLarge.Limit))
	case err != nil:
		fail(w, http.StatusBadRequest, "body: "+err.Error())
	}
	return err == nil
}
