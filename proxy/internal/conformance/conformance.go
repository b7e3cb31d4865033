// Package conformance is a list of the requirements that HTTP has for a forward proxy. Each has a check that drives a
// proxy from outside through real sockets, as a client, against an origin that the check controls. A check needs only
// the proxy's address and, for intercepted HTTPS, the CA that clients trust.
//
// winnow must meet all requirements, which is tested. cmd/conformance runs them on other proxies, and CONFORMANCE.md in
// the folder above has the list and all results. Where a standard leaves a proxy the choice, a check accepts every
// allowed answer.
package conformance

import "slices"

// Way is how a client reaches an origin through the proxy.
type Way uint8

// The ways: a request in absolute-form for http, and HTTP/1.1 or HTTP/2 inside an intercepted CONNECT for https. The
// origin of TLS2 also offers HTTP/2, so that both sides use it.
const (
	Plain Way = iota
	TLS1
	TLS2
)

// String returns the way's name in results.
func (w Way) String() string { return [...]string{"http", "https/1.1", "https/2"}[w] }

// allWays are for checks that use an HTTP client, wireWays for those that write every byte of HTTP/1.1.
func allWays() []Way    { return []Way{Plain, TLS1, TLS2} }
func wireWays() []Way   { return []Way{Plain, TLS1} }
func secureWays() []Way { return []Way{TLS1, TLS2} }
func plainWay() []Way   { return []Way{Plain} }

// Requirement is one requirement for a proxy.
type Requirement struct {
	// ID names the requirement in results; it is unique and made of lower-case letters, digits and hyphens.
	ID string
	// Source is its source: an RFC and section, or "winnow" for our own requirements.
	Source string
	// Text states the requirement in one sentence.
	Text string
	// Ways are those to which it applies.
	Ways []Way
	// Check tests it once, in the probe's way.
	Check func(p *Probe)
}

// Group is a group of requirements on one subject.
type Group struct {
	// Title is the subject.
	Title string
	// Requirements are in the order of the document.
	Requirements []Requirement
}

// Groups returns all requirements.
func Groups() []Group {
	return []Group{
		{"Passing messages on", passing()},
		{"As it comes", streaming()},
		{"Answers without a body, and parts", bodiless()},
		{"Conditional requests", conditionals()},
		{"Changing what passes", transforming()},
		{"Interim answers and trailers", interim()},
		{"Fields of one hop, Via", hops()},
		{"OPTIONS and TRACE", lastHop()},
		{"CONNECT and interception", connecting()},
		{"Upgrades", upgrading()},
		{"Request targets, versions and connections", clients()},
		{"HTTP/2", http2Only()},
		{"Requests that are not what they seem", smuggledRequests()},
		{"Answers that are not what they seem", smuggledAnswers()},
		{"Limits and failures", failing()},
	}
}

// Requirements returns all requirements in the order of Groups.
func Requirements() []Requirement {
	var all []Requirement
	for _, g := range Groups() {
		all = append(all, g.Requirements...)
	}
	return all
}

// find returns the requirement with the ID.
func find(id string) (Requirement, bool) {
	all := Requirements()
	i := slices.IndexFunc(all, func(r Requirement) bool { return r.ID == id })
	if i < 0 {
		return Requirement{}, false
	}
	return all[i], true
}
