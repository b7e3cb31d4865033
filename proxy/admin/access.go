package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// checkAccess admits the clients that Options names. Health, readiness and the PAC file are open to everybody who can
// reach the address: probes and clients have no password, and these answers tell them nothing. So are, where the token
// only keeps the other users of this machine away, metrics, which name no host, and waiting until pages are learned.
func (a *admin) checkAccess(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/healthz", "/readyz", "/proxy.pac":
		case "/metrics", "/api/v1/drain":
			if !a.Open && !a.mayEnter(w, r) {
				return
			}
		default:
			if !a.mayEnter(w, r) {
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// mayEnter checks the address and the identity of the client, or answers that access is refused.
func (a *admin) mayEnter(w http.ResponseWriter, r *http.Request) bool {
	ip := access.ParseAddr(r.RemoteAddr)
	if !a.Clients.Admit(ip) {
		fail(w, http.StatusForbidden, "this address is not for clients from your network")
		return false
	}
	if a.Users == nil && a.Token == "" || a.hasToken(r) {
		return true
	}
	err := access.ErrWrong
	if name, password, ok := r.BasicAuth(); ok && a.Users != nil {
		err = a.Users.Check(r.Context(), access.ClientOf(ip), name, password)
	}
	var tooMany *access.TooManyError
	switch {
	case err == nil:
		return true
	case errors.As(err, &tooMany):
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(tooMany.After.Seconds()))))
		fail(w, http.StatusTooManyRequests, err.Error())
	case errors.Is(err, access.ErrWrong):
		w.Header().Set("WWW-Authenticate", `Basic realm="winnow admin", charset="UTF-8"`)
		if a.Token != "" {
			w.Header().Add("WWW-Authenticate", `Bearer realm="winnow admin"`)
		}
		fail(w, http.StatusUnauthorized, "give a name and password of the admin address, or its token as a bearer token or as the password")
	default:
		w.Header().Set("Retry-After", "1")
		fail(w, http.StatusServiceUnavailable, err.Error())
	}
	return false
}

// hasToken reports whether r carries the token (RFC 6750 §2.1, or RFC 7617 with any name).
func (a *admin) hasToken(r *http.Request) bool {
	given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer {
		_, given, _ = r.BasicAuth()
	}
	want, got := sha256.Sum256([]byte(a.Token)), sha256.Sum256([]byte(given)) // of one length, whatever was given
	return a.Token != "" && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}
