package agents

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnow-proxy/winnow/proxy/problem"
)

// maxAnswer is the longest answer in bytes.
const maxAnswer = 256 << 20

// ask asks the API. The error is a [problem.Document] if the API answers with one.
func (t tools) ask(ctx context.Context, path string, params url.Values) (*problem.Answer, error) {
	if !t.private {
		params.Set("private", "false")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path+"?"+params.Encode(), nil)
	if err != nil {
		return nil, err
	}
	a, err := problem.Ask(t.api, req, maxAnswer)
	return a, err
}

// asks makes the handler of a tool. What the API says of a failure is marked as data, too.
func asks[In any](do func(context.Context, In) (*mcp.CallToolResult, error)) mcp.ToolHandlerFor[In, any] {
	return func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		got, err := do(ctx, in)
		if d := (problem.Document{}); errors.As(err, &d) {
			if d.Reason != "" {
				d.Detail += " (" + d.Reason + ")"
			}
			if d.OriginStatus != 0 {
				d.Detail += fmt.Sprintf("; the site answered %d %s", d.OriginStatus, http.StatusText(d.OriginStatus))
			}
			got, err = asFailure(d.Title, d.Detail), nil
		}
		return got, nil, err
	}
}
