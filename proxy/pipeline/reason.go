package pipeline

import "slices"

// Reason says why a response went out as the origin sent it. It stands in the response header
// "Winnow: passed; reason=…", in log lines and as a metric label; the list is closed, so that labels stay bounded.
type Reason string

// Reasons that follow from the request or the response's header. They are policy, not failures.
const (
	// ReasonMethod: the request is not a GET.
	ReasonMethod Reason = "method"
	// ReasonStatus: the status is not 200.
	ReasonStatus Reason = "status"
	// ReasonNotModified: 304, the client's own copy is current.
	ReasonNotModified Reason = "not-modified"
	// ReasonRange: a part of a page (206, or a Content-Range where none belongs).
	ReasonRange Reason = "range"
	// ReasonType: neither text/html nor application/xhtml+xml, or more than one type is claimed.
	ReasonType Reason = "type"
	// ReasonEventStream: text/event-stream, which must not be buffered.
	ReasonEventStream Reason = "event-stream"
	// ReasonNoTransform: the origin or the client forbids changes (RFC 9110 §7.7, RFC 9111 §5.2.1.6).
	ReasonNoTransform Reason = "no-transform"
	// ReasonUpgrade: the connection switches to another protocol.
	ReasonUpgrade Reason = "upgrade"
	// ReasonFragment: a script or another subresource asks, so nobody reads the answer as a document.
	ReasonFragment Reason = "fragment"
	// ReasonAttachment: the answer is to be saved, not read.
	ReasonAttachment Reason = "attachment"
	// ReasonBypass: the host is on the bypass list.
	ReasonBypass Reason = "bypass"
	// ReasonModeOff: the client or the default mode asks for the original.
	ReasonModeOff Reason = "mode-off"
)

// Reasons that follow from the page's bytes or the model's judgement.
const (
	// ReasonEmpty: there is no body.
	ReasonEmpty Reason = "empty"
	// ReasonApplication: the page is an application rather than a document.
	ReasonApplication Reason = "application"
	// ReasonNoContent: nothing would be left without the noise.
	ReasonNoContent Reason = "no-content"
	// ReasonOverride: the configuration's rules for the host exclude such pages.
	ReasonOverride Reason = "override"
	// ReasonDoubt: the detector asks for the original, for another reason.
	ReasonDoubt Reason = "doubt"
	// ReasonCanceled: the client went away.
	ReasonCanceled Reason = "canceled"
)

// Reasons that are failures: the operator should investigate when they increase.
const (
	// ReasonTooLarge: the body, declared, read or decoded, is over the limit, or unpacks beyond the ratio.
	ReasonTooLarge Reason = "too-large"
	// ReasonCoding: the content coding is unknown, stacked too high, or the body is not what it says.
	ReasonCoding Reason = "coding"
	// ReasonTruncated: the origin closed the connection too early. The client sees the same error.
	ReasonTruncated Reason = "truncated"
	// ReasonSlow: the body did not arrive in time.
	ReasonSlow Reason = "slow"
	// ReasonBusy: too many pages are being cleaned, or too many bytes held.
	ReasonBusy Reason = "busy"
	// ReasonTimeout: cleaning took too long.
	ReasonTimeout Reason = "timeout"
	// ReasonTooDeep: over 512 elements are open at once (golang/go#76279).
	ReasonTooDeep Reason = "too-deep"
	// ReasonTooMany: the page has more elements, tags or attributes than any page needs.
	ReasonTooMany Reason = "too-many"
	// ReasonParse: the parser refused the page for another reason.
	ReasonParse Reason = "parse"
	// ReasonModel: the host's model could not be loaded.
	ReasonModel Reason = "model"
	// ReasonWrite: the page can't be written safely in the mode.
	ReasonWrite Reason = "write"
	// ReasonPanic: our code panicked.
	ReasonPanic Reason = "panic"
)

// failures lists the reasons that are logged as warnings.
func failures() []Reason {
	return []Reason{ReasonTooLarge, ReasonCoding, ReasonTruncated, ReasonSlow, ReasonBusy, ReasonTimeout, ReasonTooDeep,
		ReasonTooMany, ReasonParse, ReasonModel, ReasonWrite, ReasonPanic}
}

// Reasons lists every reason.
func Reasons() []Reason {
	return append(failures(),
		ReasonMethod, ReasonStatus, ReasonNotModified, ReasonRange, ReasonType, ReasonEventStream, ReasonNoTransform,
		ReasonUpgrade, ReasonFragment, ReasonAttachment, ReasonBypass, ReasonModeOff,
		ReasonEmpty, ReasonApplication, ReasonNoContent, ReasonOverride, ReasonDoubt, ReasonCanceled)
}

// Failure reports whether the reason is a failure rather than policy.
func (r Reason) Failure() bool { return slices.Contains(failures(), r) }
