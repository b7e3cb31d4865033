package admin

import (
	"errors"
	"net/http"

	"github.com/winnow-proxy/winnow/cache"
)

// exportHost answers with the encoded model of a host, as winnow models export writes it: keyed hashes and counts.
func (a *admin) exportHost(w http.ResponseWriter, r *http.Request) {
	info, ok := a.find(w, r)
	if !ok {
		return
	}
	b, err := a.Export(r.Context(), info.Host)
	switch {
	case errors.Is(err, cache.ErrNotFound): // it was forgotten since
		fail(w, http.StatusNotFound, "nothing was learned of this host")
		return
	case err != nil:
		a.failed(w, r, "export "+info.Host, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(b) // a client that left needs no answer
}
