package portal

import (
	"net/http"

	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// retry drops the refused certificates of a client. It requires a token, which only the portal's own page shows: any
// page can make a browser request any address of the portal, by an image or a form.
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
