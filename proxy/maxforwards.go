package proxy

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

	"github.com/winnow-proxy/winnow/proxy/hop"
)

// lastHop obeys Max-Forwards, which TRACE and OPTIONS alone have (RFC 9110 §7.6.2): it answers the request and returns
// true where the field says that it must go no further, and counts the field down otherwise.
func (s *Server) lastHop(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodTrace && r.Method != http.MethodOptions {
		return false
	}
	left, err := strconv.ParseUint(r.Header.Get("Max-Forwards"), 10, 31)
	if err != nil {
		return false
	}
	if left > 0 {
		r.Header.Set("Max-Forwards", strconv.FormatUint(left-1, 10))
		return false
	}
	var body []byte
	if r.Method == http.MethodTrace {
		body = echo(r)
		w.Header().Set("Content-Type", "message/http")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // a client that left needs no answer
	return true
}

// echo returns the request as it was received, without what might be secret (RFC 9110 §9.3.8).
func echo(r *http.Request) []byte {
	h := r.Header.Clone()
	hop.Strip(h)
	for _, secret := range []string{"Authorization", "Cookie"} {
		h.Del(secret)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s %s\r\nHost: %s\r\n", r.Method, r.RequestURI, r.Proto, r.Host)
	_ = h.Write(&b) // a Buffer takes everything
	b.WriteString("\r\n")
	return b.Bytes()
}
