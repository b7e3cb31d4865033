package admin

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// reply writes v as JSON.
func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v) // a client that left needs no answer
}

// fail answers with a problem document.
func fail(w http.ResponseWriter, status int, message string) {
	problem.Document{Status: status, Detail: message, Message: message}.Write(w)
}

// healthz always answers that the process is alive.
func (a *admin) healthz(w http.ResponseWriter, _ *http.Request) {
	reply(w, map[string]string{"status": "ok"})
}

// readyz says whether clients should be sent here: not before the proxy listens, and not after it has begun to stop. If
// the store can't be written, or models are not shared with the other replicas, the status is degraded, but the proxy
// is ready: it still cleans pages.
func (a *admin) readyz(w http.ResponseWriter, _ *http.Request) {
	if err := a.Ready(); err != nil {
		fail(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	if h := a.Models.Health(); !h.OK() {
		reply(w, map[string]string{"status": "degraded",
			"store": "what was learned can't be saved: " + cause(h.Err), "since": h.Since.UTC().Format(time.RFC3339)})
		return
	}
	if s, shared := a.Models.Sharing(); shared && !s.Connected {
		reply(w, map[string]string{"status": "degraded",
			"fleet": "models are not shared with the other replicas", "since": s.Since.Format(time.RFC3339)})
		return
	}
	answer := map[string]string{"status": "ready"}
	if late := a.Late(); late != "" {
		answer["late"] = late
	}
	reply(w, answer)
}

// sharing says how far this replica is behind the others.
func (a *admin) sharing(w http.ResponseWriter, _ *http.Request) {
	s, shared := a.Models.Sharing()
	if !shared {
		fail(w, http.StatusNotFound, "models are not shared: see --store")
		return
	}
	reply(w, s)
}

// cause returns the system's error of a failed write, without the paths in err, because anybody may ask. bbolt does not
// wrap all errors, so cause recognises them by their text.
func cause(err error) string {
	for _, errno := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS, syscall.EIO} {
		if strings.Contains(err.Error(), errno.Error()) {
			return errno.Error()
		}
	}
	return "the log says why"
}

func (a *admin) listHosts(w http.ResponseWriter, r *http.Request) {
	hosts, err := a.Models.Hosts(r.Context())
	if err != nil {
		a.failed(w, r, "list hosts", err)
		return
	}
	if hosts == nil {
		hosts = []cache.HostInfo{}
	}
	reply(w, map[string]any{"hosts": hosts})
}

func (a *admin) getHost(w http.ResponseWriter, r *http.Request) {
	if info, ok := a.find(w, r); ok {
		reply(w, info)
	}
}

func (a *admin) forgetHost(w http.ResponseWriter, r *http.Request) {
	info, ok := a.find(w, r)
	if !ok {
		return
	}
	if err := a.Models.Forget(r.Context(), info.Host); err != nil && !errors.Is(err, cache.ErrNotFound) {
		a.failed(w, r, "forget "+info.Host, err)
		return
	}
	a.forgotten(info.Host)
	w.WriteHeader(http.StatusNoContent)
}

// forgotten removes all other data about a host whose model was removed.
func (a *admin) forgotten(host string) {
	if a.Savings != nil {
		a.Savings.Forget(host)
	}
	a.Logger.Info("host forgotten", "host", host)
}

// find returns the host in the path, or answers that it has no model.
func (a *admin) find(w http.ResponseWriter, r *http.Request) (cache.HostInfo, bool) {
	name, err := hostname.Site(r.PathValue("host"))
	if err != nil {
		fail(w, http.StatusNotFound, "nothing was learned of this host: "+err.Error())
		return cache.HostInfo{}, false
	}
	info, err := a.Models.Host(r.Context(), name)
	switch {
	case errors.Is(err, cache.ErrNotFound):
		fail(w, http.StatusNotFound, "nothing was learned of this host")
	case err != nil:
		a.failed(w, r, "look up a host", err)
	}
	return info, err == nil
}

// drain answers when every page observed so far has been learned.
func (a *admin) drain(w http.ResponseWriter, r *http.Request) {
	if err := a.Models.Drain(r.Context()); err != nil {
		a.failed(w, r, "drain", err)
		return
	}
	c := a.Models.Counters()
	reply(w, map[string]any{"learned": c.Learned, "skipped": c.Skipped, "dropped": c.Dropped, "queue": c.Queue})
}

// failed answers and logs an error of the models.
func (a *admin) failed(w http.ResponseWriter, r *http.Request, what string, err error) {
	if r.Context().Err() != nil {
		return // the client has gone
	}
	status := http.StatusInternalServerError
	if errors.Is(err, context.DeadlineExceeded) {
		status = http.StatusGatewayTimeout
	}
	a.Logger.Error("admin request failed", "what", what, "error", err)
	fail(w, status, what+": "+err.Error())
}
