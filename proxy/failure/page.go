package failure

import (
	"bytes"
	"embed"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/proxy/ownpages"
	"github.com/winnow-proxy/winnow/proxy/problem"
	"github.com/winnow-proxy/winnow/proxy/words"
)

//go:embed failure.html
var assets embed.FS

// Pages explains failures to clients: self-contained HTML in their language if they accept it, a problem document (RFC
// 9457) for programs that accept JSON, and plain text for all others.
type Pages struct {
	page  *ownpages.Page
	count func(Reason)
}

// NewPages returns the pages; it calls count for each failure.
func NewPages(count func(Reason)) (*Pages, error) {
	t, err := ownpages.Parse(assets, "failure.html", words.All())
	return &Pages{t, count}, err
}

// Count counts a failure whose client has left.
func (p *Pages) Count(f Failure) { p.count(f.Reason) }

// Response counts f and returns its page as the response to req.
func (p *Pages) Response(req *http.Request, f Failure) *http.Response {
	p.count(f.Reason)
	body, contentType := p.body(req, f)
	return respond(req, f, body, contentType)
}

// respond returns the response that explains f with a body.
func respond(req *http.Request, f Failure, body []byte, contentType string) *http.Response {
	h := http.Header{
		"Content-Type":            {contentType},
		"Content-Length":          {strconv.Itoa(len(body))},
		"Content-Security-Policy": {"default-src 'none'; style-src 'unsafe-inline'"},
		"Cache-Control":           {"no-store"},
		"X-Content-Type-Options":  {"nosniff"},
		"Winnow":                  {"failed; reason=" + string(f.Reason)},
	}
	return &http.Response{
		StatusCode: f.Status, Status: strconv.Itoa(f.Status) + " " + http.StatusText(f.Status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
}

// Write counts f and sends its page to w.
func (p *Pages) Write(w http.ResponseWriter, req *http.Request, f Failure) {
	resp := p.Response(req, f)
	for k, v := range resp.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(f.Status)
	if req.Method != http.MethodHead {
		_, _ = io.Copy(w, resp.Body) // fails only if the client left
	}
}

func (p *Pages) body(req *http.Request, f Failure) (body []byte, contentType string) {
	if wantsHTML(req) {
		title, text := f.messages()
		b, err := p.page.Make(req, map[string]any{"Title": title, "Text": text, "Failure": f, "Open": words.For(req).Tag == "en"})
		if err == nil {
			return b, "text/html; charset=utf-8"
		}
	}
	if wantsProblem(req) {
		return f.problem().Bytes(), problem.ContentType
	}
	return []byte(f.Title + ".\n" + f.Explain + "\n"), "text/plain; charset=utf-8"
}

// messages are what people are told in their own language: what happened, by the reason, and what to do next, which
// reasons of one group share. What exactly happened is in English, for those who run the proxy.
func (f Failure) messages() (title, text string) {
	title = "fail." + string(f.Reason)
	group, _, _ := strings.Cut(title, "-")
	return title, group + ".text"
}

// wantsHTML reports whether a person in a browser is likely to read the answer.
func wantsHTML(req *http.Request) bool {
	return strings.Contains(strings.ToLower(strings.Join(req.Header["Accept"], ",")), "html")
}
