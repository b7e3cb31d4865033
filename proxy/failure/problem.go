package failure

import (
	"encoding/json"
	"net/http"
	"strings"
)

// problem is a problem document (RFC 9457). Header and Value extend it: the request field that is wrong, and what
// stands in it.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Reason Reason `json:"reason"`
	Header string `json:"header,omitempty"`
	Value  string `json:"value,omitempty"`
}

const problemType = "application/problem+json"

// FieldResponse counts f, which a request field is to blame for, and returns the response to req that names field and
// value: a page for people, a problem document for all others.
func (p *Pages) FieldResponse(req *http.Request, f Failure, field, value string) *http.Response {
	if wantsHTML(req) {
		return p.Response(req, f)
	}
	p.count(f.Reason)
	return respond(req, f, f.problem(field, value), problemType)
}

// problem returns the document that describes f.
func (f Failure) problem(field, value string) []byte {
	b, err := json.Marshal(problem{"about:blank", f.Title, f.Status, f.Explain, f.Reason, field, value})
	if err != nil {
		return []byte("{}") // strings and a number can always be written
	}
	return append(b, '\n')
}

// wantsProblem reports whether a program reads the answer that knows JSON.
func wantsProblem(req *http.Request) bool {
	accept := strings.ToLower(strings.Join(req.Header["Accept"], ","))
	return strings.Contains(accept, problemType) || strings.Contains(accept, "application/json")
}
