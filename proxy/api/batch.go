package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
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

	// memory is what the line takes until it is written; nil for none.
	memory *pipeline.Memory
}

// release gives the memory of the line back.
func (r result) release() {
	if r.memory != nil {
		r.memory.Close()
	}
}

// batch answers each line of JSON with a line of JSON, in order, as soon as the page is ready. An error in a line does
// not end the batch, unless the line is too long: then the start of the next line is unknown.
func (a *api) batch(w http.ResponseWriter, r *http.Request) {
	if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
		a.Logger.Debug("a batch is read before it is answered", "error", err)
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	r = r.WithContext(ctx)
	results := make(chan chan result, a.pagesAtOnce)
	go a.read(w, r, results)
	out := json.NewEncoder(patient{w, a.Timeout})
	out.SetEscapeHTML(false) // it is not embedded in HTML
	for next := range results {
		line := <-next
		err := out.Encode(line)
		line.release()
		if err != nil {
			break
		}
		_ = http.NewResponseController(w).Flush()
	}
	cancel()
	for next := range results { // where the client left, the work in progress ends
		(<-next).release()
	}
}

// read starts the work on each line. It sends channels in the order of the lines; each channel receives one result.
func (a *api) read(w http.ResponseWriter, r *http.Request, results chan<- chan result) {
	defer close(results)
	source := &lineReader{Reader: r.Body, wait: func() { a.readWithin(w) }, memory: memoryOf(r.Context())}
	lines := bufio.NewScanner(source)
	lines.Buffer(nil, int(2*a.Body+jsonOverhead)) // JSON escapes much of HTML
	places := make(chan struct{}, a.pagesAtOnce)
	n := 0
	for lines.Scan() {
		n++
		source.line = 0
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		select {
		case places <- struct{}{}:
		case <-r.Context().Done():
		}
		if r.Context().Err() != nil {
			return
		}
		next := make(chan result, 1)
		own := a.Cleaner.Memory(whoAsks(r.Context()))
		if own.Take(copiesOfRequest * int64(len(lines.Bytes()))) {
			line, number := bytes.Clone(lines.Bytes()), n
			go func() {
				defer func() { <-places }()
				next <- a.line(r.WithContext(withMemory(r.Context(), own)), number, line)
			}()
		} else {
			p := errMemory()
			next <- result{Line: n, Problem: &p}
			<-places
		}
		results <- next
	}
	if err := lines.Err(); err != nil && r.Context().Err() == nil {
		p := wrong("body", fmt.Sprintf("line %d can't be read: %v", n+1, err))
		if errors.Is(err, bufio.ErrTooLong) {
			p.Status = http.StatusRequestEntityTooLarge
		}
		_ = errors.As(err, &p) // a problem of ours says more
		next := make(chan result, 1)
		next <- result{Line: n + 1, Problem: &p}
		results <- next
	}
}

// line answers one line.
func (a *api) line(r *http.Request, n int, line []byte) result {
	var found answer
	var v params
	err := model.Contain(func() (err error) {
		if v, err = a.fromJSON(bytes.NewReader(line)); err == nil {
			found, err = a.clean(r.Context(), v)
		}
		return err
	})
	memory := memoryOf(r.Context())
	if err == nil {
		line := found.result(n)
		line.memory = memory
		return line
	}
	p := problemOf(err)
	if panicked := (*model.PanicError)(nil); errors.As(err, &panicked) {
		p = problem.OfPanic(panicked, a.Logger)
	}
	return result{Line: n, URL: v.URL, Problem: &p, memory: memory}
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
