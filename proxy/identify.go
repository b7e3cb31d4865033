package proxy

import (
	"encoding/base64"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/limits"
)

// clientsLimited is how many clients' rates are remembered.
const clientsLimited = 16384

// admit finds out who sent r and whether they may send it now. If not, it answers. It removes the credentials: no log
// line, model or origin sees them.
func (s *Server) admit(x *exchange.Exchange, r *http.Request) bool {
	ip := access.ParseAddr(r.RemoteAddr)
	if !s.admission.networks.Admit(ip) { // the connection is from before a reload
		s.sendAway(x, r, awayNetwork)
		return false
	}
	x.Identity.Client = access.ClientOf(ip)
	credentials := r.Header["Proxy-Authorization"]
	r.Header.Del("Proxy-Authorization")
	if s.opts.Users != nil {
		name, password, ok := basicCredentials(credentials)
		if !ok {
			s.admission.away.WithLabelValues(awayNoPassword).Inc()
			s.challenge(x, r)
			return false
		}
		if err := s.opts.Users.Check(r.Context(), x.Identity.Client, name, password); err != nil {
			s.refuseUser(x, r, err)
			return false
		}
		x.Identity.User = name
	}
	return s.mayAsk(x, r)
}

// stillMay reports whether the client may still use its intercepted connection: a browser keeps one for hours, and a
// reload can remove users and networks. If not, it answers.
func (s *Server) stillMay(x *exchange.Exchange, r *http.Request) bool {
	switch {
	case !s.admission.networks.Admit(access.ParseAddr(r.RemoteAddr)):
		s.sendAway(x, r, awayNetwork)
	case s.opts.Users != nil && !s.opts.Users.Knows(x.Identity.User):
		s.sendAway(x, r, awayNoPassword)
	default:
		return true
	}
	return false
}

// sendAway answers a client that may not use the proxy any more, and ends its connection.
func (s *Server) sendAway(w http.ResponseWriter, r *http.Request, why string) {
	s.admission.turnAway(why, r.RemoteAddr)
	w.Header().Set("Connection", "close")
	s.pages.Write(w, r, failure.New(http.StatusForbidden, failure.Auth, "You may not use this proxy any more",
		"Its settings have changed. Load the page again if you think that you still may."))
}

// refuseUser answers a request whose password was not accepted.
func (s *Server) refuseUser(w http.ResponseWriter, r *http.Request, err error) {
	var tooMany *access.TooManyError
	switch {
	case errors.Is(err, access.ErrWrong):
		s.admission.turnAway(awayPassword, r.RemoteAddr)
		s.challenge(w, r)
	case errors.As(err, &tooMany):
		s.admission.turnAway(awayGuessing, r.RemoteAddr)
		retryAfter(w, tooMany.After)
		s.pages.Write(w, r, failure.New(http.StatusTooManyRequests, failure.Rate, "Too many wrong passwords",
			"Wait a moment before the next attempt."))
	case r.Context().Err() != nil:
		panic(http.ErrAbortHandler) // the client has gone
	default:
		s.admission.turnAway(awayBusy, r.RemoteAddr)
		retryAfter(w, time.Second)
		s.pages.Write(w, r, failure.New(http.StatusServiceUnavailable, failure.Rate, "The proxy is busy",
			"Too many passwords are being checked. Try again in a moment."))
	}
}

// challenge asks for a name and a password (RFC 9110 §11.7.1, RFC 7617).
func (s *Server) challenge(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Proxy-Authenticate", `Basic realm="winnow", charset="UTF-8"`)
	s.pages.Write(w, r, failure.New(http.StatusProxyAuthRequired, failure.Auth, "This proxy wants to know who you are",
		"Give the name and password that you have for it."))
}

// mayAsk counts a request against the rate of its sender. Beyond that rate it answers with a 429.
func (s *Server) mayAsk(x *exchange.Exchange, r *http.Request) bool {
	wait, ok := s.takeRate(x.Identity)
	if !ok {
		s.admission.turnAway(awayRate, r.RemoteAddr)
		retryAfter(x, wait)
		s.pages.Write(x, r, tooFast())
	}
	return ok
}

// takeRate counts a request against the rate of id. Beyond that rate it returns how long to wait. Users are counted by
// name, wherever they are, others by address.
func (s *Server) takeRate(id access.Identity) (wait time.Duration, ok bool) {
	if s.rates == nil {
		return 0, true
	}
	return s.rates.Take(id.Name(), time.Now())
}

func tooFast() failure.Failure {
	return failure.New(http.StatusTooManyRequests, failure.Rate, "Too many requests",
		"You are asking faster than this proxy permits. Wait a moment.")
}

// newRates returns the rates of clients, nil where there is no limit.
func newRates(l limits.Limits) *access.Buckets {
	if l.ClientRate <= 0 {
		return nil
	}
	burst := max(1, math.Ceil(l.ClientRate*rateBurst.Seconds()))
	return access.NewBuckets(l.ClientRate, int(min(burst, math.MaxInt32)), clientsLimited)
}

// rateBurst is how long a client may exceed its rate after a quiet time: browsers request all parts of a page at once.
const rateBurst = 10 * time.Second

// retryAfter tells the client when to come again (RFC 9110 §10.2.3).
func retryAfter(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(wait.Seconds())))))
}

// basicCredentials reads the value of Proxy-Authorization. It rejects more than one value, because it could not tell
// which counts.
func basicCredentials(values []string) (name, password string, ok bool) {
	if len(values) != 1 {
		return "", "", false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Basic") {
		return "", "", false
	}
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(token))
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(b), ":")
}
