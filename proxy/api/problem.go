package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// problem is an error as RFC 9457 has it, of type about:blank: the title is that of the status.
type problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	// Detail says what happened and what to do next.
	Detail string `json:"detail"`
	// Reason is the word for it in the field Winnow, where there is one.
	Reason string `json:"reason,omitempty"`
	// Parameter is what is wrong with the request.
	Parameter string `json:"parameter,omitempty"`
	// OriginStatus is what the origin answered, where that is the problem.
	OriginStatus int `json:"origin_status,omitempty"`
}

// Error implements error.
func (p problem) Error() string { return p.Detail }

// MarshalJSON fills in the title.
func (p problem) MarshalJSON() ([]byte, error) {
	type plain problem
	p.Title = http.StatusText(p.Status)
	return json.Marshal(plain(p))
}

// write answers with the problem.
func (p problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // a client that left needs no answer
}

// wrong is the problem of a parameter.
func wrong(parameter, detail string) problem {
	return problem{Status: http.StatusBadRequest, Detail: detail, Parameter: parameter}
}

// problemOf turns an error into what the client is told.
func problemOf(err error) problem {
	var own problem
	var failed failure.Failure
	var field *pipeline.FieldError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &failed):
		return problem{Status: failed.Status, Detail: failed.Error(), Reason: string(failed.Reason)}
	case errors.As(err, &field):
		return problem{Status: http.StatusBadRequest, Detail: field.Error(), Parameter: field.Field}
	case errors.Is(err, context.DeadlineExceeded):
		return problem{Status: http.StatusGatewayTimeout, Detail: "the page took too long; try again in a moment", Reason: string(failure.Timeout)}
	}
	return problem{Status: http.StatusBadGateway, Detail: "the page could not be had: " + failure.Brief(err)}
}

// passed is the problem of a page that was not cleaned: in a form that was asked for there is none of it.
func passed(reason pipeline.Reason, originStatus int) problem {
	p := problem{Status: http.StatusBadGateway, Reason: string(reason), Detail: "the page was not cleaned: " + string(reason)}
	switch reason {
	case pipeline.ReasonStatus, pipeline.ReasonNotModified, pipeline.ReasonRange:
		p.Detail, p.OriginStatus = "the origin answered with another status than 200", originStatus
	case pipeline.ReasonType, pipeline.ReasonEventStream, pipeline.ReasonAttachment:
		p.Status, p.Detail = http.StatusUnsupportedMediaType, "what is there is no HTML page"
	case pipeline.ReasonTooLarge, pipeline.ReasonTooDeep, pipeline.ReasonTooMany:
		p.Status, p.Detail = http.StatusUnprocessableEntity, "the page is larger than pages may be here; --max-body sets the limit"
	case pipeline.ReasonBusy, pipeline.ReasonTimeout:
		p.Status, p.Detail = http.StatusServiceUnavailable, "too much is being cleaned at the moment; try again in a while"
	case pipeline.ReasonSlow:
		p.Status, p.Detail = http.StatusGatewayTimeout, "the page did not arrive in time"
	case pipeline.ReasonNoTransform:
		p.Status, p.Detail = http.StatusUnprocessableEntity, "the origin forbids that its page is changed (no-transform)"
	case pipeline.ReasonEmpty, pipeline.ReasonNoContent, pipeline.ReasonApplication, pipeline.ReasonDoubt:
		p.Status, p.Detail = http.StatusUnprocessableEntity, "the page has no content to read: it may be an application that scripts fill"
	case pipeline.ReasonBypass, pipeline.ReasonOverride:
		p.Status, p.Detail = http.StatusUnprocessableEntity, "the configuration leaves this site or page alone"
	}
	return p
}
