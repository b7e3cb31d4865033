package admin

import (
	"net/http"

	"github.com/winnow-proxy/winnow/proxy/intercept"
)

// Passthrough has the clients that refuse the proxy's certificates. *proxy.Server implements it. Implementations must
// be safe for concurrent use.
type Passthrough interface {
	// Passthrough lists the hosts that are tunnelled for a client, by client and host.
	Passthrough() []*intercept.Entry
	// ForgetPassthrough makes the proxy intercept again for a client and a host; an empty name means all. It returns the
	// number of entries that it removed.
	ForgetPassthrough(client, host string) int
}

func (a *admin) listPassthrough(w http.ResponseWriter, _ *http.Request) {
	reply(w, map[string]any{"passthrough": a.Passthrough.Passthrough()})
}

// forgetPassthrough removes the entries of the client and host in the query, or all if it names none.
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
