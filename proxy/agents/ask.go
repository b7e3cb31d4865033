package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// answer takes what the API answers. It is an http.ResponseWriter.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// mostAnswer is the longest answer in bytes.
const mostAnswer = 256 << 20

var errTooLong = fmt.Errorf("the answer is longer than %d bytes", mostAnswer)

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.body.Len()+len(b) > mostAnswer {
		return 0, errTooLong
	}
	return a.body.Write(b)
}

// ask asks the API. The error says what a problem document says, for the model to do something about it.
func (t tools) ask(ctx context.Context, path string, params url.Values) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path+"?"+params.Encode(), nil)
	if err != nil {
		return nil, err
	}
	req.RemoteAddr = "127.0.0.1:0" // where nobody has said who asks, this process does
	a := &answer{header: http.Header{}}
	t.api.ServeHTTP(a, req)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if a.status == http.StatusOK {
		return a, nil
	}
	var problem struct {
		Title  string `json:"title"`
		Detail string `json:"detail"`
		Reason string `json:"reason"`
	}
	if json.Unmarshal(a.body.Bytes(), &problem) != nil || problem.Detail == "" {
		return nil, fmt.Errorf("the API answered %d %s", a.status, http.StatusText(a.status))
	}
	if problem.Reason != "" {
		problem.Detail += " (" + problem.Reason + ")"
	}
	return nil, errors.New(problem.Title + ": " + problem.Detail)
}
