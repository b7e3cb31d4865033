package portal

import (
	"net/http"

	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// retry lets a client try again with all sites whose certificate it has refused. Any page can have a browser ask for
// any address of the portal, with an image or a form; this takes a token, which only the portal's own page shows.
func (p *portal) retry(w http.ResponseWriter, r *http.Request) {
	client := exchange.Name(r.Context())
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	if !p.tokens.Check(r.PostFormValue("token"), client, "retry") {
		problem.Write(w, http.StatusForbidden, "this form is too old, or not from this site: open the page again")
		return
	}
	p.Forget(client)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
