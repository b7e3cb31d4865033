package proxy

import (
	"bytes"
	"html/template"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// errorPages writes the pages that explain failures: self-contained HTML, or plain text for clients that did not ask
// for HTML.
type errorPages struct{ page *template.Template }

func newErrorPages() (errorPages, error) {
	t, err := template.ParseFS(assets, "assets/failure.html")
	return errorPages{t}, err
}

// response returns the page for f as the response to req.
func (p errorPages) response(req *http.Request, f failure) *http.Response {
	body, contentType := p.body(req, f)
	h := http.Header{
		"Content-Type":            {contentType},
		"Content-Length":          {strconv.Itoa(len(body))},
		"Content-Security-Policy": {"default-src 'none'; style-src 'unsafe-inline'"},
		"Cache-Control":           {"no-store"},
		"X-Content-Type-Options":  {"nosniff"},
		"Winnow":                  {"failed; reason=" + string(f.reason)},
	}
	return &http.Response{
		StatusCode: f.status, Status: strconv.Itoa(f.status) + " " + http.StatusText(f.status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
}

// write sends the page for f to w.
func (p errorPages) write(w http.ResponseWriter, req *http.Request, f failure) {
	resp := p.response(req, f)
	for k, v := range resp.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(f.status)
	if req.Method != http.MethodHead {
		_, _ = io.Copy(w, resp.Body) // a client that left needs no explanation
	}
}

func (p errorPages) body(req *http.Request, f failure) (body []byte, contentType string) {
	var b bytes.Buffer
	if wantsHTML(req) && p.page.Execute(&b, map[string]any{
		"Title": f.title, "Explain": f.explain, "Status": f.status, "Reason": f.reason}) == nil {
		return b.Bytes(), "text/html; charset=utf-8"
	}
	return []byte(f.title + ".\n" + f.explain + "\n"), "text/plain; charset=utf-8"
}

// wantsHTML reports whether a person in a browser is likely to read the answer.
func wantsHTML(req *http.Request) bool {
	return strings.Contains(strings.ToLower(strings.Join(req.Header["Accept"], ",")), "html")
}
