package api

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// result is a line of the answer to a batch: a page or a problem.
type result struct {
	// Line is the number of the request's line, from 1; URL is the final address of the page.
	Line int    `json:"line"`
	URL  string `json:"url,omitempty"`
	// Winnow is the value of the field Winnow.
	Winnow      string `json:"winnow,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	// Document is the answer in mode json, Body in other modes.
	Document json.RawMessage `json:"document,omitempty"`
	Body     string          `json:"body,omitempty"`
	// Part and Parts number the parts of a page that was asked for in parts.
	Part    int               `json:"part,omitempty"`
	Parts   int               `json:"parts,omitempty"`
	Problem *problem.Document `json:"problem,omitempty"`
}

// batch answers each line of JSON with a line of JSON, in order, as soon as the page is ready. An error in a line does
// not end the batch, unless the line is too long: then the start of the next line is unknown.
func (a *api) batch(w http.ResponseWriter, r *http.Request) {
	if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
		a.Logger.Debug("a batch is read before it is answered", "error", err)
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	results := make(chan chan result, cap(a.pages))
	go a.read(w, r, results)
	out := json.NewEncoder(w)
	for next := range results {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(a.Timeout)) // a client that does not read has left
		if out.Encode(<-next) != nil {
			break
		}
		_ = http.NewResponseController(w).Flush()
	}
	for next := range results { // the client left, and what is under way ends with the request
		<-next
	}
}

// read starts the work on each line. It sends channels in the order of the lines; each channel receives one result.
func (a *api) read(w http.ResponseWriter, r *http.Request, results chan<- chan result) {
	defer close(results)
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, int(2*a.Body+jsonOverhead)) // JSON escapes much of HTML
	n := 0
	for a.readWithin(w); lines.Scan(); a.readWithin(w) {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		next := make(chan result, 1)
		select {
		case a.pages <- struct{}{}:
		case <-r.Context().Done():
			return
		}
		line, number := bytes.Clone(lines.Bytes()), n
		go func() {
			defer func() { <-a.pages }()
			next <- a.line(r, number, line)
		}()
		results <- next
	}
	if err := lines.Err(); err != nil && r.Context().Err() == nil {
		p := wrong("body", fmt.Sprintf("line %d can't be read: %v", n+1, err))
		if errors.Is(err, bufio.ErrTooLong) {
			p.Status = http.StatusRequestEntityTooLarge
		}
		next := make(chan result, 1)
		next <- result{Line: n + 1, Problem: &p}
		results <- next
	}
}

// line answers one line.
func (a *api) line(r *http.Request, n int, line []byte) result {
	var found answer
	var v wish
	err := model.Contain(func() (err error) {
		if v, err = a.fromJSON(bytes.NewReader(line)); err == nil {
			found, err = a.clean(r.Context(), v)
		}
		return err
	})
	if err == nil {
		return found.result(n)
	}
	p := problemOf(err)
	if panicked := (*model.PanicError)(nil); errors.As(err, &panicked) {
		p = problem.OfPanic(panicked, a.Logger)
	}
	return result{Line: n, URL: v.URL, Problem: &p}
}

// result is the answer as a line.
func (p answer) result(n int) result {
	out := result{Line: n, URL: p.URL, Winnow: p.Outcome, ContentType: p.ContentType, Part: p.Part, Parts: p.Parts}
	if mediaType, _, _ := mime.ParseMediaType(p.ContentType); mediaType == "application/json" {
		out.Document = p.Body
	} else {
		out.Body = string(p.Body)
	}
	return out
}
