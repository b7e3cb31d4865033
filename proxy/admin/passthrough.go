package admin

import (
	"net/http"

	"github.com/winnow-proxy/winnow/proxy/intercept"
)

// Passthrough is what the API shows of clients that refuse the proxy's certificates. *proxy.Server is one. It must be
// safe for concurrent use.
type Passthrough interface {
	// Passthrough lists the hosts that pass through unopened, by client and host.
	Passthrough() []*intercept.Entry
	// ForgetPassthrough has interception tried again for a client and a host, where an empty name stands for all, and
	// returns how many entries that ended.
	ForgetPassthrough(client, host string) int
}

func (a *admin) listPassthrough(w http.ResponseWriter, _ *http.Request) {
	reply(w, map[string]any{"passthrough": a.Passthrough.Passthrough()})
}

// forgetPassthrough ends the entries of the client and host in the query, of all where there is none.
func (a *admin) forgetPassthrough(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	for name := range query {
		if name != "client" && name != "host" { // a misspelt name must not mean all
			fail(w, http.StatusBadRequest, "unknown parameter: want client, host, both or none")
			return
		}
	}
	client, host := query.Get("client"), query.Get("host")
	n := a.Passthrough.ForgetPassthrough(client, host)
	if n == 0 && (client != "" || host != "") {
		fail(w, http.StatusNotFound, "nothing passes through for this client and host")
		return
	}
	a.Logger.Info("pass-through ended", "entries", n)
	reply(w, map[string]int{"ended": n})
}
