package portal

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"

	"github.com/winnow-proxy/winnow/proxy/exchange"
)

// retryLasts is how long a page's form is good for: between one and two of these.
const retryLasts = time.Hour

// retry lets a client try again with all sites whose certificate it has refused. Any page can have a browser ask for any
// address of the portal, with an image or a form; this takes a token, which only the portal's own page shows.
type retry struct {
	key    [32]byte
	forget func(client string)
}

func newRetry(forget func(client string)) *retry {
	r := &retry{forget: forget}
	rand.Read(r.key[:]) // never fails
	return r
}

// token returns the token of a client for the period that t is in.
func (r *retry) token(client string, t time.Time) string {
	mac := hmac.New(sha256.New, r.key[:])
	mac.Write([]byte(strconv.FormatInt(t.Unix()/int64(retryLasts.Seconds()), 10) + " " + client))
	return hex.EncodeToString(mac.Sum(nil))
}

// ServeHTTP implements http.Handler.
func (r *retry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	client, now := exchange.Name(req.Context()), time.Now()
	req.Body = http.MaxBytesReader(w, req.Body, 4<<10)
	got := []byte(req.PostFormValue("token"))
	if client == "" || !hmac.Equal(got, []byte(r.token(client, now))) && !hmac.Equal(got, []byte(r.token(client, now.Add(-retryLasts)))) {
		http.Error(w, "This form is too old, or not from this site: open the page again.", http.StatusForbidden)
		return
	}
	r.forget(client)
	http.Redirect(w, req, "/", http.StatusSeeOther)
}
