package exchange

import (
	"cmp"
	"net/http"
	"time"

	"github.com/winnow-proxy/winnow/proxy/accesslog"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Entry returns the access log line of a finished exchange; r is its request. In an intercepted connection the host is
// that of the CONNECT.
func (x *Exchange) Entry(r *http.Request) accesslog.Entry {
	e := accesslog.Entry{Time: x.started, Client: hostname.WithoutPort(r.RemoteAddr), User: x.Identity.User, Method: r.Method,
		Scheme: x.asked.Scheme, Host: x.asked.Host, Path: x.asked.Path, Proto: r.Proto, Status: cmp.Or(x.status, x.End.Status),
		Bytes: x.sent + x.End.Sent, Outcome: x.Header().Get("Winnow"), Agent: r.UserAgent(), Took: time.Since(x.started),
		Upstream: x.Upstream}
	if x.Name != "" {
		e.Device = x.Identity.String()
	}
	switch {
	case r.Method == http.MethodConnect:
		e.Host, e.Scheme, e.Path = r.Host, "", ""
	case x.Within != nil:
		e.Host, e.Scheme = x.Within.Origin.In(x.Within.Scheme), x.Within.Scheme
	}
	return e
}
