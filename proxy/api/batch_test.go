package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
)

// A batch is answered in order, line by line, and what is wrong with one line does not end it.
func TestBatch(t *testing.T) {
	w := newWorld(t)
	var in bytes.Buffer
	const pages = 60
	for i := range pages {
		fmt.Fprintf(&in, "{\"url\":\"%s/log/%d\",\"mode\":\"text\"}\n", w.origin, i)
	}
	in.WriteString("\n{\"url\":\"" + w.origin + "/picture\"}\n{\"url\":7}\n{\"url\":\"" + w.origin + "/log/last\"}\n")
	resp, body := w.post("application/x-ndjson", in.String(), nil)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Fatalf("%s, %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	lines := strings.Split(strings.TrimSpace(body), "\n")
	if len(lines) != pages+3 {
		t.Fatalf("%d lines", len(lines))
	}
	schema := w.document.Components.Schemas["Result"].Value
	for i, text := range lines {
		var line struct {
			Line     int
			URL      string
			Body     string
			Document *jsondoc.Document
			Problem  *struct {
				Status    int
				Parameter string
			}
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.VisitJSON(value, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("line %d is not as described: %v", i+1, err)
		}
		switch {
		case i < pages:
			if line.Line != i+1 || !strings.Contains(line.Body, fmt.Sprintf("The wind of /log/%d came", i)) {
				t.Errorf("line %d: %s", i+1, text)
			}
		case i == pages: // the empty line before it counts
			if line.Line != pages+2 || line.Problem == nil || line.Problem.Status != http.StatusUnsupportedMediaType {
				t.Errorf("a picture: %s", text)
			}
		case i == pages+1:
			if line.Problem == nil || line.Problem.Status != http.StatusBadRequest || line.Problem.Parameter != "url" {
				t.Errorf("a number for an address: %s", text)
			}
		default:
			if line.Document == nil || !strings.Contains(line.Document.Text, "/log/last") {
				t.Errorf("after bad lines: %s", text)
			}
		}
	}
}

// The first answers of a batch come while the rest is still being sent.
func TestBatchStreams(t *testing.T) {
	w := newWorld(t)
	r, send := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.api+"/api/v1/clean", r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	go func() { fmt.Fprintf(send, "{\"url\":\"%s/log/1\",\"mode\":\"text\"}\n", w.origin) }()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answers := json.NewDecoder(resp.Body)
	for i := 1; i < 3; i++ {
		var line struct{ Line int }
		if err := answers.Decode(&line); err != nil || line.Line != i {
			t.Fatalf("line %d: %v", line.Line, err)
		}
		if i == 1 {
			fmt.Fprintf(send, "{\"url\":\"%s/log/2\"}\n", w.origin)
		}
	}
	_ = send.Close() // never fails
	if err := answers.Decode(new(any)); !errors.Is(err, io.EOF) {
		t.Errorf("after the last line: %v", err)
	}
}
