package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write/markdown"
	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// answer is a page in the requested form.
type answer struct {
	// URL is the final address of the page, after redirects.
	URL string
	// Outcome is the value of the field Winnow.
	Outcome     string
	ContentType string
	Body        []byte
	// Part and Parts are 0 but where the page was asked for in parts.
	Part, Parts int
	// ETag is the entity tag of the page; Unchanged says that the program has it, and that nothing else is filled in.
	ETag      string
	Unchanged bool
	// shared are the fields by which the origin says whether others may learn of the page.
	shared http.Header
}

// cleanURL serves GET /api/v1/clean.
func (a *api) cleanURL(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	book := q.Get("mode") == "epub"
	if book {
		q.Set("mode", page.ModeJSON.String())
	}
	v, err := a.fromQuery(q)
	v.has = r.Header["If-None-Match"]
	if book && err == nil {
		a.replyBook(w, r, bookParams{URLs: []string{v.URL}, Pictures: true, Keep: v.Keep, Drop: v.Drop, Learn: v.Learn, Private: v.Private})
		return
	}
	a.reply(w, r, v, err)
}

// cleanBody serves POST /api/v1/clean: a page as HTML with the parameters in the query, a JSON object, or a batch.
func (a *api) cleanBody(w http.ResponseWriter, r *http.Request) {
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // what can't be read is none of those below
	if mediaType == "application/x-ndjson" {
		a.batch(w, r)
		return
	}
	a.readWithin(w)
	body := charged{http.MaxBytesReader(w, r.Body, a.Body+jsonOverhead), memoryOf(r.Context()), copiesOfRequest}
	var v params
	var err error
	switch mediaType {
	case "application/json":
		v, err = a.fromJSON(body)
	case "text/html", "application/xhtml+xml":
		if v, err = a.fromQuery(r.URL.Query()); err == nil {
			v.HTML, err = readHTML(body)
		}
	default:
		err = problem.Document{Status: http.StatusUnsupportedMediaType,
			Detail: "want Content-Type application/json, application/x-ndjson for a batch, or text/html for a page"}
	}
	a.reply(w, r, v, err)
}

// readWithin extends the time for the client to send more.
func (a *api) readWithin(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(a.Timeout)) // always there in net/http
}

// jsonOverhead is how much longer than its page a request may be, in bytes.
const jsonOverhead = 1 << 20

func readHTML(r io.Reader) (string, error) {
	b, err := io.ReadAll(r)
	if own := (problem.Document{}); errors.As(err, &own) {
		return "", own
	}
	if err != nil {
		return "", problem.Document{Status: http.StatusRequestEntityTooLarge, Detail: "the page could not be read: " + err.Error()}
	}
	if len(b) == 0 {
		return "", wrong("body", "the page is empty")
	}
	return string(b), nil
}

// reply answers with the requested page.
func (a *api) reply(w http.ResponseWriter, r *http.Request, v params, err error) {
	var found answer
	if err == nil {
		found, err = a.clean(r.Context(), v)
	}
	if err != nil {
		if r.Context().Err() == nil {
			problemOf(err).Write(w)
		}
		return
	}
	h := w.Header()
	if found.ETag != "" {
		h.Set("ETag", found.ETag)
	}
	if found.Unchanged {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", found.ContentType)
	h.Set("Content-Location", found.URL)
	h.Set("Winnow", found.Outcome)
	if v.Mode == page.ModeMarkdown {
		h.Set("X-Markdown-Tokens", strconv.Itoa(markdown.Tokens(string(found.Body))))
	}
	if found.Parts > 0 {
		h.Set("Winnow-Part", fmt.Sprintf("%d/%d", found.Part, found.Parts))
	}
	_, _ = patient{w, a.Timeout}.Write(found.Body) // a client that left needs no answer
}

// clean returns the requested page, cleaned.
func (a *api) clean(ctx context.Context, v params) (answer, error) {
	key := keyOf(whoAsks(ctx), v)
	if v.Part > 1 && v.HTML == "" {
		if found, ok := a.remembered.get(key); ok {
			return found.part(v)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, a.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.URL, nil)
	if err != nil {
		return answer{}, wrong("url", err.Error())
	}
	req.Header = v.header()
	resp, err := a.page(req, v)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	if v.has != nil && resp.StatusCode == http.StatusNotModified {
		return answer{ETag: resp.Header.Get("Etag"), Unchanged: true}, nil
	}
	outcome := resp.Header.Get("Winnow")
	if reason, ok := pipeline.PassedReason(resp.Header); ok && (reason != pipeline.ReasonModeOff || resp.StatusCode != http.StatusOK) {
		return answer{}, passed(reason, resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(charged{resp.Body, memoryOf(ctx), copiesOfAnswer}, maxAnswer*a.Body+1))
	if err != nil {
		return answer{}, fmt.Errorf("reading the page: %w", err)
	}
	if int64(len(body)) > maxAnswer*a.Body {
		return answer{}, passed(pipeline.ReasonTooLarge, resp.StatusCode)
	}
	found := answer{URL: resp.Request.URL.String(), Outcome: outcome, ContentType: resp.Header.Get("Content-Type"), Body: body, ETag: resp.Header.Get("Etag"),
		shared: sharing(resp.Header)}
	if v.Mode == page.ModeMarkdown && v.HTML == "" && found.ETag != "" {
		a.traces.put(traceKey(ctx, v, found.ETag), answer{Body: a.hashesOf(markdown.Blocks(string(body)))})
	}
	if v.Tokens > 0 {
		if v.HTML == "" {
			a.remembered.put(key, found)
		}
		return found.part(v)
	}
	return found, nil
}

// sharing returns the fields of an answer by which the origin says whether others may learn of the page.
func sharing(h http.Header) http.Header {
	return http.Header{"Cache-Control": h["Cache-Control"], "Set-Cookie": h["Set-Cookie"]}
}

// part returns the part of a page that is wanted.
func (p answer) part(v params) (answer, error) {
	parts := markdown.Parts(string(p.Body), v.Tokens)
	p.Part, p.Parts = v.Part, len(parts)
	if v.Part > len(parts) {
		return p, wrong("part", fmt.Sprintf("part %d: in parts of %d tokens the page has %d", v.Part, v.Tokens, len(parts)))
	}
	p.Body = []byte(parts[v.Part-1])
	return p, nil
}

// maxAnswer is how many times longer than a page its form may be: JSON contains the text four times.
const maxAnswer = 16

// page fetches the requested page, or takes it from the request.
func (a *api) page(req *http.Request, v params) (*http.Response, error) {
	if v.HTML == "" {
		if v.Private {
			req = req.WithContext(dial.Named(req.Context()))
		}
		return a.Cleaner.Fetch(req, whoAsks(req.Context()))
	}
	resp := &http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: io.NopCloser(strings.NewReader(v.HTML)), ContentLength: int64(len(v.HTML))}
	maps.Copy(resp.Header, v.shared)
	if v.Mode == page.ModeOff {
		resp.Header.Set("Winnow", "passed; reason="+string(pipeline.ReasonModeOff))
		return resp, nil
	}
	return resp, a.Cleaner.Clean(req, resp, whoAsks(req.Context()))
}
