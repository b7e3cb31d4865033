package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// wrong returns the problem of a wrong parameter.
func wrong(parameter, detail string) problem.Document {
	return problem.Document{Status: http.StatusBadRequest, Detail: detail, Parameter: parameter}
}

// problemOf turns an error into the problem that the client receives.
func problemOf(err error) problem.Document {
	var own problem.Document
	var failed failure.Failure
	var field *pipeline.FieldError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &failed):
		return problem.Document{Status: failed.Status, Detail: failed.Error(), Reason: string(failed.Reason)}
	case errors.As(err, &field):
		return problem.Document{Status: http.StatusBadRequest, Detail: field.Error(), Parameter: field.Field}
	case errors.Is(err, context.DeadlineExceeded):
		return problem.Document{Status: http.StatusGatewayTimeout, Reason: string(failure.Timeout),
			Detail: "the page took too long; try again in a moment"}
	}
	return problem.Document{Status: http.StatusBadGateway, Detail: "the page could not be fetched: " + failure.Brief(err)}
}

// passed returns the problem of a page that was not cleaned, because it does not exist in the requested form.
func passed(reason pipeline.Reason, originStatus int) problem.Document {
	p := problem.Document{Status: http.StatusBadGateway, Reason: string(reason),
		Detail: "the page was not cleaned: " + string(reason)}
	switch reason {
	case pipeline.ReasonStatus, pipeline.ReasonNotModified, pipeline.ReasonRange:
		p.Detail, p.OriginStatus = "the status of the origin's answer is not 200", originStatus
	case pipeline.ReasonType, pipeline.ReasonEventStream, pipeline.ReasonAttachment:
		p.Status, p.Detail = http.StatusUnsupportedMediaType, "the URL leads to something else than an HTML page"
	case pipeline.ReasonTooLarge, pipeline.ReasonTooDeep, pipeline.ReasonTooMany:
		p.Status = http.StatusUnprocessableEntity
		p.Detail = "the page is larger than --limit max-body permits"
	case pipeline.ReasonBusy, pipeline.ReasonTimeout:
		p.Status = http.StatusServiceUnavailable
		p.Detail = "too many pages are being cleaned; try again in a moment"
	case pipeline.ReasonSlow:
		p.Status, p.Detail = http.StatusGatewayTimeout, "the page did not arrive in time"
	case pipeline.ReasonNoTransform:
		p.Status, p.Detail = http.StatusUnprocessableEntity, "the origin forbids changes to its page (no-transform)"
	case pipeline.ReasonEmpty, pipeline.ReasonNoContent, pipeline.ReasonApplication, pipeline.ReasonDoubt:
		p.Status = http.StatusUnprocessableEntity
		p.Detail = "the page has no content to read: it may be an application that scripts fill"
	case pipeline.ReasonBypass, pipeline.ReasonOverride:
		p.Status, p.Detail = http.StatusUnprocessableEntity, "the configuration leaves this site or page alone"
	}
	return p
}
