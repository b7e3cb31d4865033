package agents

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/winnow-proxy/winnow/proxy/problem"
)

// mostAnswer is the longest answer in bytes.
const mostAnswer = 256 << 20

// ask asks the API. The error says what a problem document says, for the model to do something about it.
func (t tools) ask(ctx context.Context, path string, params url.Values) (*problem.Answer, error) {
	if !t.private {
		params.Set("private", "false")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path+"?"+params.Encode(), nil)
	if err != nil {
		return nil, err
	}
	a, err := problem.Ask(t.api, req, mostAnswer)
	if d := (problem.Document{}); errors.As(err, &d) {
		if d.Reason != "" {
			d.Detail += " (" + d.Reason + ")"
		}
		return nil, errors.New(d.Title + ": " + d.Detail)
	}
	return a, err
}
