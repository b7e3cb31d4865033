package failure

import (
	"net/http"
	"strings"

	"github.com/winnow-proxy/winnow/proxy/problem"
)

// FieldResponse counts f and returns the response to req that names the wrong request field and its value: a page for
// people, a problem document for all others.
func (p *Pages) FieldResponse(req *http.Request, f Failure, field, value string) *http.Response {
	if wantsHTML(req) {
		return p.Response(req, f)
	}
	p.count(f.Reason)
	d := f.problem()
	d.Header, d.Value = field, value
	return respond(req, f, d.Bytes(), problem.ContentType)
}

// problem returns the document that describes f.
func (f Failure) problem() problem.Document {
	return problem.Document{Title: f.Title, Status: f.Status, Detail: f.Explain, Reason: string(f.Reason)}
}

// wantsProblem reports whether the client is a program that understands JSON.
func wantsProblem(req *http.Request) bool {
	accept := strings.ToLower(strings.Join(req.Header["Accept"], ","))
	return strings.Contains(accept, problem.ContentType) || strings.Contains(accept, "application/json")
}
