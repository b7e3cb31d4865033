// Package failure explains failed requests to clients: status, reason and page.
package failure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"

	"github.com/winnow-proxy/winnow/proxy/dial"
)

// Reason says why a request could not be served. It stands in the response header "Winnow: failed; reason=…", in
// log lines and as a metric label; the list is closed.
type Reason string

// The reasons of error pages.
const (
	Denied        Reason = "denied"          // the guard refuses the destination
	DNS           Reason = "dns"             // the name has no address, or the look-up failed
	Refused       Reason = "refused"         // nothing listens there
	Unreachable   Reason = "unreachable"     // no route
	Timeout       Reason = "timeout"         // the origin took too long
	Reset         Reason = "reset"           // the origin closed the connection
	Protocol      Reason = "protocol"        // the origin's answer is not HTTP
	TLSExpired    Reason = "tls-expired"     // the certificate has expired
	TLSNotYet     Reason = "tls-not-yet"     // the certificate is not valid yet
	TLSName       Reason = "tls-name"        // the certificate is for another host
	TLSSelfSigned Reason = "tls-self-signed" // the certificate is self-signed
	TLSIssuer     Reason = "tls-issuer"      // the certificate's issuer is unknown
	TLSWeak       Reason = "tls-weak"        // the certificate's key or signature can be forged
	TLSRevoked    Reason = "tls-revoked"     // the certificate has been revoked
	TLSRevocation Reason = "tls-revocation"  // the certificate requires a proof that it is not revoked, and the origin sent none
	TLS           Reason = "tls"             // any other failure of the handshake
	Auth          Reason = "auth"            // the proxy requires a name and a password
	Rate          Reason = "rate"            // the client exceeds its limits
	Loop          Reason = "loop"            // the request has passed this proxy before
	Misdirected   Reason = "misdirected"     // Host and CONNECT differ
	Request       Reason = "request"         // the request can't be forwarded
	Internal      Reason = "internal"        // an error of the proxy itself

	ProxyDown    Reason = "proxy-unreachable" // the upstream proxy can't be reached
	ProxyAuth    Reason = "proxy-auth"        // the upstream proxy requires other credentials
	ProxyRefused Reason = "proxy-refused"     // the upstream proxy does not permit the destination
	ProxyOrigin  Reason = "proxy-origin"      // the upstream proxy can't reach the origin
)

// Failure explains to the client why its request failed.
type Failure struct { //nolint:errname // an answer first, which is also an error
	Status int
	Reason Reason
	// Title is one short sentence, explain says what happened and what to do next. Both are free of markup.
	Title, Explain string
}

// Error implements error, for callers that fetch without a client's connection.
func (f Failure) Error() string { return f.Title + ": " + f.Explain }

// New returns a failure: title is one short sentence, explain says what happened and what to do next.
func New(status int, reason Reason, title, explain string) Failure {
	return Failure{status, reason, title, explain}
}

// Classify turns the error of a request to host into an answer. The first classifier that knows the
// error decides.
func Classify(host string, err error) Failure {
	for _, c := range []func(host string, err error) (Failure, bool){
		classifyDenied, classifyBusy, classifyUpstream, classifyDNS, classifyCertificate, classifyTLS, classifyConnect, classifyTimeout, classifyReset,
		classifyProtocol,
	} {
		if f, ok := c(host, err); ok {
			return f
		}
	}
	return Failure{http.StatusBadGateway, Reset, "The site could not be reached",
		"The connection to " + host + " failed. Try again in a moment."}
}

func classifyDenied(_ string, err error) (Failure, bool) {
	var denied *dial.DeniedError
	if !errors.As(err, &denied) {
		return Failure{}, false
	}
	explain := fmt.Sprintf("%s is %s, which this proxy does not connect to.", denied.Host, denied.Why)
	switch {
	case denied.Followed:
		explain += " An address that another site or an agent names leads there only if whoever runs the proxy permits it with the setting allow-target."
	case denied.Why == dial.WhyPort:
		explain = denied.Host + " has a port that this proxy does not connect to. Whoever runs the proxy can permit it with the setting allow-port."
	case denied.Why == dial.WhyMetadata, denied.Why == dial.WhySpelling:
		explain += " Whoever runs the proxy can permit it with the setting allow-target."
	case denied.Why == dial.WhySelf:
	default:
		explain += " Whoever runs the proxy can permit it with --allow-private or the setting allow-target."
	}
	return Failure{http.StatusForbidden, Denied, "This destination is refused", explain}, true
}

func classifyBusy(_ string, err error) (Failure, bool) {
	return Failure{http.StatusServiceUnavailable, Rate, "The proxy is busy",
		"You, or all users of this proxy together, have too many connections open. Try again in a moment."}, errors.Is(err, dial.ErrBusy)
}

func classifyDNS(host string, err error) (Failure, bool) {
	var dns *net.DNSError
	if !errors.As(err, &dns) {
		return Failure{}, false
	}
	if dns.IsNotFound {
		return Failure{http.StatusBadGateway, DNS, "The site's name does not exist",
			"No address was found for " + host + ". Check the spelling."}, true
	}
	status := http.StatusBadGateway
	if dns.IsTimeout {
		status = http.StatusGatewayTimeout
	}
	return Failure{status, DNS, "The site's name could not be looked up",
		"The name service gave no answer for " + host + ". Try again in a moment."}, true
}

func classifyConnect(host string, err error) (Failure, bool) {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return Failure{http.StatusBadGateway, Refused, "The site refused the connection",
			"Nothing answers at " + host + ". The site may be down; check the port, if you gave one."}, true
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EADDRNOTAVAIL):
		return Failure{http.StatusBadGateway, Unreachable, "The site can't be reached from here",
			"There is no way from this proxy to " + host + ". Check the proxy's own network connection."}, true
	}
	return Failure{}, false
}

func classifyTimeout(host string, err error) (Failure, bool) {
	var timeout interface{ Timeout() bool }
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) &&
		!(errors.As(err, &timeout) && timeout.Timeout()) {
		return Failure{}, false
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return Failure{http.StatusGatewayTimeout, Timeout, "The site could not be reached in time",
			"Nothing at " + host + " took the connection. The site may be down, or the port closed by a firewall."}, true
	}
	return Failure{http.StatusGatewayTimeout, Timeout, "The site took too long to answer",
		host + " accepted the request or the connection, but no answer came in time. Try again in a moment."}, true
}

func classifyReset(host string, err error) (Failure, bool) {
	if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, io.EOF) &&
		!errors.Is(err, io.ErrUnexpectedEOF) && !strings.Contains(err.Error(), "server closed idle connection") {
		return Failure{}, false
	}
	return Failure{http.StatusBadGateway, Reset, "The site closed the connection",
		host + " closed the connection before its answer was complete. Try again in a moment."}, true
}

// classifyProtocol recognises net/http's errors for invalid responses by their texts, because they have no types.
func classifyProtocol(host string, err error) (Failure, bool) {
	text := err.Error()
	for _, sign := range []string{"malformed", "unsupported protocol", "Content-Length", "transfer encoding",
		"response headers exceeded", "response header list", "http2: ", "PROTOCOL_ERROR", "stream error", "connection error",
		"too many 1xx"} {
		if strings.Contains(text, sign) {
			return Failure{http.StatusBadGateway, Protocol, "The site's answer is not valid",
				"What " + host + " sent is not a valid HTTP response."}, true
		}
	}
	return Failure{}, false
}
