package problem

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Answer is what a handler has answered with status 200.
type Answer struct {
	Header http.Header
	Body   []byte
}

// Ask lets a handler of this process answer req, as a client of this machine would. The error is a [Document] if the
// handler answers with one. An answer that is longer than most bytes is an error, too.
func Ask(h http.Handler, req *http.Request, most int) (*Answer, error) {
	req.RemoteAddr = "127.0.0.1:0"
	r := &recorder{header: http.Header{}, most: most}
	h.ServeHTTP(r, req)
	switch {
	case req.Context().Err() != nil:
		return nil, context.Cause(req.Context())
	case r.cut:
		return nil, r.tooLong()
	case r.status == http.StatusOK:
		return &Answer{r.header, r.body.Bytes()}, nil
	}
	var d Document
	if json.Unmarshal(r.body.Bytes(), &d) != nil || d.Detail == "" {
		return nil, fmt.Errorf("the API answered %d %s", r.status, http.StatusText(r.status))
	}
	return nil, d
}

// recorder keeps an answer. It is an http.ResponseWriter.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
	most   int
	cut    bool
}

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	if r.cut = r.cut || r.body.Len()+len(b) > r.most; r.cut {
		return 0, r.tooLong()
	}
	return r.body.Write(b)
}

func (r *recorder) tooLong() error { return fmt.Errorf("the answer is longer than %d bytes", r.most) }
