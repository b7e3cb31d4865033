// Package problem writes errors as problem documents (RFC 9457).
package problem

import (
	"encoding/json"
	"net/http"
)

// ContentType is the media type of a problem document.
const ContentType = "application/problem+json"

// Document is a problem of type about:blank. Status and Detail are required; the members from Reason on are extensions.
type Document struct { //nolint:errname // a document first, which is also an error
	Type string `json:"type"`
	// Title is that of the status where it is empty.
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Detail says what happened and what to do next.
	Detail string `json:"detail"`
	// Reason is the same as the reason in the header field Winnow, if there is one.
	Reason string `json:"reason,omitempty"`
	// Parameter is the parameter of the request that is wrong.
	Parameter string `json:"parameter,omitempty"`
	// Header is the request field that is wrong, Value its value.
	Header string `json:"header,omitempty"`
	Value  string `json:"value,omitempty"`
	// OriginStatus is the status of the origin's response, if that is the problem.
	OriginStatus int `json:"origin_status,omitempty"`
	// Message repeats Detail for programs that read the member "error".
	Message string `json:"error,omitempty"`
}

// Error implements error.
func (d Document) Error() string { return d.Detail }

// MarshalJSON fills in type and title.
func (d Document) MarshalJSON() ([]byte, error) {
	type plain Document
	d.Type = "about:blank"
	if d.Title == "" {
		d.Title = http.StatusText(d.Status)
	}
	return json.Marshal(plain(d))
}

// Bytes returns the document as a line of JSON.
func (d Document) Bytes() []byte {
	b, err := json.Marshal(d)
	if err != nil {
		return []byte("{}\n") // unreachable: strings and numbers always encode
	}
	return append(b, '\n')
}

// Write answers with the document.
func (d Document) Write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", ContentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(d.Status)
	_, _ = w.Write(d.Bytes()) // an error means that the client left
}

// Write answers with a status and what happened.
func Write(w http.ResponseWriter, status int, detail string) {
	Document{Status: status, Detail: detail}.Write(w)
}
