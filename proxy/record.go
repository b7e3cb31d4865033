package proxy

import (
	"context"
	"net/http"
	"time"

	"github.com/winnow-proxy/winnow/proxy/hostname"

	"github.com/winnow-proxy/winnow/proxy/accesslog"
)

// record collects, on a request's way, what the access log says of it.
type record struct {
	user string
	// status and sent are what a connection that was taken over ended with.
	status   int
	sent     int64
	upstream time.Duration
	// silent is set for a CONNECT that is intercepted: the requests within have lines of their own.
	silent bool
}

// recordKey is the context key of a *record.
type recordKey struct{}

// recordOf returns the record of a request. What is written to it where there is no access log is lost.
func recordOf(ctx context.Context) *record {
	if rec, ok := ctx.Value(recordKey{}).(*record); ok {
		return rec
	}
	return new(record)
}

// recorded serves a request, and tells the access log of it when it is over, however it ends.
func (s *Server) recorded(h http.HandlerFunc) http.HandlerFunc {
	if s.opts.Record == nil {
		return h
	}
	return func(w http.ResponseWriter, r *http.Request) {
		rec, rw, started := &record{user: identityOf(r.Context()).user}, &recordWriter{ResponseWriter: w}, time.Now()
		asked := *r.URL
		defer func() {
			if !rec.silent {
				s.opts.Record(rec.entry(r, rw, asked.Scheme, asked.Host, asked.Path, started))
			}
		}()
		h(rw, r.WithContext(context.WithValue(r.Context(), recordKey{}, rec)))
	}
}

// entry makes the line of r. Within interception the host is that of the connection.
func (rec *record) entry(r *http.Request, w *recordWriter, scheme, host, path string, started time.Time) accesslog.Entry {
	e := accesslog.Entry{Time: started, Client: hostname.WithoutPort(r.RemoteAddr), User: rec.user, Method: r.Method, Scheme: scheme,
		Host: host, Path: path, Proto: r.Proto, Status: w.status, Bytes: w.sent, Outcome: w.Header().Get("Winnow"),
		Agent: r.UserAgent(), Took: time.Since(started), Upstream: rec.upstream}
	if r.Method == http.MethodConnect {
		e.Host, e.Scheme, e.Path = r.Host, "", ""
	} else if target, ok := r.Context().Value(targetKey{}).(hostname.Authority); ok {
		e.Host, e.Scheme = target.In("https"), "https"
	}
	if e.Status == 0 {
		e.Status = rec.status
	}
	e.Bytes += rec.sent
	return e
}

// recordWriter sees status and length of an answer.
type recordWriter struct {
	http.ResponseWriter
	status int
	sent   int64
}

// WriteHeader implements http.ResponseWriter.
func (w *recordWriter) WriteHeader(status int) {
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *recordWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.sent += int64(n)
	return n, err
}

// Unwrap serves http.ResponseController.
func (w *recordWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
