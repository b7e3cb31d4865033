package admin

import (
	"errors"
	"net/http"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/proxy/ownpages"
	"github.com/winnow-proxy/winnow/proxy/savings"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// hostData is what the page about a host shows.
type hostData struct {
	cache.HostInfo
	// Known says that it has a model.
	Known bool
	Saved savings.Sum
	Token string
	// Site says that pages about single sites are served, Export that the model is.
	Site, Export bool
	// Settings is nil if there are none.
	Settings *settingsForm
}

// host serves the page about one host.
func (a *admin) host(w http.ResponseWriter, r *http.Request) {
	if a.Sites == nil {
		if info, ok := a.find(w, r); ok {
			a.writeHost(w, r, http.StatusOK, hostData{HostInfo: info, Known: true})
		}
		return
	}
	if host, ok := a.site(w, r); ok {
		a.showHost(w, r, host, a.Sites.Get(host).Settings, nil)
	}
}

// showHost shows the page about a host with settings in its form, and why they were refused.
func (a *admin) showHost(w http.ResponseWriter, r *http.Request, host string, s sites.Settings, refused error) {
	info, err := a.Models.Host(r.Context(), host)
	if err != nil && !errors.Is(err, cache.ErrNotFound) {
		a.failed(w, r, "look up a host", err)
		return
	}
	d := hostData{HostInfo: info, Known: err == nil, Settings: a.settingsFormOf(host, s)}
	d.Host = host
	d.Settings.Done = map[string]string{"save": "Saved. It holds from the next page on.", "undo": "Taken back.",
		"reset": "Nothing is set for this site any more."}[r.URL.Query().Get("done")]
	status := http.StatusOK
	if refused != nil {
		status, d.Settings.Failed = http.StatusUnprocessableEntity, refused.Error()
	}
	a.writeHost(w, r, status, d)
}

func (a *admin) writeHost(w http.ResponseWriter, r *http.Request, status int, d hostData) {
	d.Token, d.Site, d.Export = a.tokens.For(operator, "forget", d.Host), a.Site != nil, a.Export != nil
	if a.Savings != nil {
		d.Saved = a.Savings.Host(d.Host)
	}
	if err := ownpages.Write(w, r, status, a.one, d, ""); err != nil {
		a.failed(w, r, "page about "+d.Host, err)
	}
}

// maxForm bounds the body of a form.
const maxForm = 4 << 10

// forgetByForm forgets a host for the form on its page.
func (a *admin) forgetByForm(w http.ResponseWriter, r *http.Request) {
	info, ok := a.find(w, r)
	if !ok || !a.fromOwnPage(w, r, "forget", info.Host) {
		return
	}
	if err := a.Models.Forget(r.Context(), info.Host); err != nil && !errors.Is(err, cache.ErrNotFound) {
		a.failed(w, r, "forget "+info.Host, err)
		return
	}
	a.forgotten(info.Host)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// retryByForm ends a pass-through, so that winnow tries interception again.
func (a *admin) retryByForm(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	client, host := r.PostFormValue("client"), r.PostFormValue("host")
	if a.Passthrough == nil || client == "" || host == "" {
		fail(w, http.StatusBadRequest, "fields client and host: want both")
		return
	}
	if a.fromOwnPage(w, r, "retry", client, host) {
		a.Passthrough.ForgetPassthrough(client, host)
		http.Redirect(w, r, "/#passing", http.StatusSeeOther)
	}
}

// fromOwnPage reports whether a form is from a page of this address, or answers that it is not.
func (a *admin) fromOwnPage(w http.ResponseWriter, r *http.Request, what ...string) bool {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if a.tokens.Check(r.PostFormValue("token"), operator, what...) {
		return true
	}
	fail(w, http.StatusForbidden, "this form is too old, or not from this page: open the page again")
	return false
}
