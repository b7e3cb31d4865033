package proxy

import "net/http"

// withConnectionRules wraps a server's handler in what HTTP/1 asks of a proxy's connection to its client and net/http
// does not do by itself.
func withConnectionRules(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 {
			next.ServeHTTP(w, r)
			return
		}
		if r.Body != http.NoBody {
			// An origin may answer before it has read the body (RFC 9110 §7.5); net/http would hold the answer back.
			_ = http.NewResponseController(w).EnableFullDuplex() // always there in HTTP/1
		}
		// net/http takes a Content-Length off where there is a Transfer-Encoding as well and does not tell. Such a request
		// must be its connection's last (RFC 9112 §6.1), so that every one in chunks is. HTTP/1.0 ends with its answer.
		if len(r.TransferEncoding) > 0 || r.ProtoMinor == 0 {
			w = &lastAnswer{ResponseWriter: w, served: r}
			r = r.WithContext(r.Context()) // a copy: see WriteHeader
		}
		next.ServeHTTP(w, r)
	})
}

// lastAnswer writes an answer that ends its connection.
type lastAnswer struct {
	http.ResponseWriter
	// served is the very request that net/http handed out, of which the handlers have a copy.
	served *http.Request
	begun  bool
}

// WriteHeader implements http.ResponseWriter.
func (w *lastAnswer) WriteHeader(status int) {
	if status < 200 || w.begun {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.begun = true
	w.Header().Set("Connection", "close")
	if w.served.ProtoMinor == 0 {
		// net/http answers HTTP/1.0 as HTTP/1.0, where a proxy is to send its own version (RFC 9110 §2.5). It looks at
		// the request for that, and to tell whether chunks would be understood, which they would not.
		w.served.Proto, w.served.ProtoMinor = "HTTP/1.1", 1
		if w.Header().Get("Content-Length") == "" {
			w.Header().Set("Transfer-Encoding", "identity") // net/http's word for a body that ends with the connection
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *lastAnswer) Write(b []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap serves http.ResponseController.
func (w *lastAnswer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
