package proxy

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
)

// FailReason says why a request could not be served. It stands in the response header "Winnow: failed; reason=…", in
// log lines and as a metric label; the list is closed.
type FailReason string

// The reasons of error pages.
const (
	FailDenied        FailReason = "denied"          // the guard refuses the destination
	FailDNS           FailReason = "dns"             // the name has no address, or none could be had
	FailRefused       FailReason = "refused"         // nothing listens there
	FailUnreachable   FailReason = "unreachable"     // no route
	FailTimeout       FailReason = "timeout"         // the origin took too long
	FailReset         FailReason = "reset"           // the origin broke off
	FailProtocol      FailReason = "protocol"        // the origin's answer is not HTTP
	FailTLSExpired    FailReason = "tls-expired"     // the certificate's time is over
	FailTLSNotYet     FailReason = "tls-not-yet"     // the certificate's time has not come
	FailTLSName       FailReason = "tls-name"        // the certificate is for another host
	FailTLSSelfSigned FailReason = "tls-self-signed" // the certificate vouches for itself
	FailTLSIssuer     FailReason = "tls-issuer"      // nobody known vouches for the certificate
	FailTLSWeak       FailReason = "tls-weak"        // the certificate's key or signature can be forged
	FailTLSRevoked    FailReason = "tls-revoked"     // the certificate was called back
	FailTLSRevocation FailReason = "tls-revocation"  // the certificate wants proof that it was not called back; there is none
	FailTLS           FailReason = "tls"             // any other failure of the handshake
	FailAuth          FailReason = "auth"            // the proxy wants a name and a password
	FailRate          FailReason = "rate"            // the client asks too often, or has too much open
	FailLoop          FailReason = "loop"            // the request has come through here before
	FailMisdirected   FailReason = "misdirected"     // Host and CONNECT differ
	FailRequest       FailReason = "request"         // the request can't be forwarded
	FailInternal      FailReason = "internal"        // our own fault

	FailProxyDown    FailReason = "proxy-unreachable" // the upstream proxy can't be reached
	FailProxyAuth    FailReason = "proxy-auth"        // the upstream proxy wants other credentials
	FailProxyRefused FailReason = "proxy-refused"     // the upstream proxy does not permit the destination
	FailProxyOrigin  FailReason = "proxy-origin"      // the upstream proxy can't reach the origin
)

// failure is a request that could not be served: what the client is told.
type failure struct {
	status int
	reason FailReason
	// title is one short sentence, explain says what happened and what to do next. Both are free of markup.
	title, explain string
}

// classify turns the error of a request to host into what the client is told. The first classifier that knows the
// error decides.
func classify(host string, err error) failure {
	for _, c := range []func(host string, err error) (failure, bool){
		classifyDenied, classifyUpstream, classifyDNS, classifyCertificate, classifyTLS, classifyConnect, classifyTimeout, classifyReset,
		classifyProtocol,
	} {
		if f, ok := c(host, err); ok {
			return f
		}
	}
	return failure{http.StatusBadGateway, FailReset, "The site could not be reached",
		"The connection to " + host + " failed. Try again in a moment."}
}

func classifyDenied(_ string, err error) (failure, bool) {
	var denied *DeniedError
	if !errors.As(err, &denied) {
		return failure{}, false
	}
	explain := fmt.Sprintf("%s is %s, which this proxy does not connect to.", denied.Host, denied.Why)
	switch denied.Why {
	case whyPort:
		explain = denied.Host + " has a port that this proxy does not connect to. Whoever runs the proxy can permit it with --allow-port."
	case whyMetadata, whySpelling:
		explain += " Whoever runs the proxy can permit it with --allow-target."
	case whySelf:
	default:
		explain += " Whoever runs the proxy can permit it with --allow-private or --allow-target."
	}
	return failure{http.StatusForbidden, FailDenied, "This destination is refused", explain}, true
}

func classifyDNS(host string, err error) (failure, bool) {
	var dns *net.DNSError
	if !errors.As(err, &dns) {
		return failure{}, false
	}
	if dns.IsNotFound {
		return failure{http.StatusBadGateway, FailDNS, "The site's name does not exist",
			"No address was found for " + host + ". Check the spelling."}, true
	}
	status := http.StatusBadGateway
	if dns.IsTimeout {
		status = http.StatusGatewayTimeout
	}
	return failure{status, FailDNS, "The site's name could not be looked up",
		"The name service gave no answer for " + host + ". Try again in a moment."}, true
}

func classifyConnect(host string, err error) (failure, bool) {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return failure{http.StatusBadGateway, FailRefused, "The site refused the connection",
			"Nothing answers at " + host + ". The site may be down; check the port, if you gave one."}, true
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EADDRNOTAVAIL):
		return failure{http.StatusBadGateway, FailUnreachable, "The site can't be reached from here",
			"There is no way from this proxy to " + host + ". Check the proxy's own network connection."}, true
	}
	return failure{}, false
}

func classifyTimeout(host string, err error) (failure, bool) {
	var timeout interface{ Timeout() bool }
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, errStalled) &&
		!(errors.As(err, &timeout) && timeout.Timeout()) {
		return failure{}, false
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return failure{http.StatusGatewayTimeout, FailTimeout, "The site could not be reached in time",
			"Nothing at " + host + " took the connection. The site may be down, or the port closed by a firewall."}, true
	}
	return failure{http.StatusGatewayTimeout, FailTimeout, "The site took too long to answer",
		host + " accepted the request or the connection, but no answer came in time. Try again in a moment."}, true
}

func classifyReset(host string, err error) (failure, bool) {
	if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, io.EOF) &&
		!errors.Is(err, io.ErrUnexpectedEOF) && !strings.Contains(err.Error(), "server closed idle connection") {
		return failure{}, false
	}
	return failure{http.StatusBadGateway, FailReset, "The site broke off",
		host + " closed the connection before it had answered. Try again in a moment."}, true
}

// classifyProtocol knows net/http's complaints about answers, which have no types.
func classifyProtocol(host string, err error) (failure, bool) {
	text := err.Error()
	for _, sign := range []string{"malformed", "unsupported protocol", "Content-Length", "transfer encoding",
		"response headers exceeded", "response header list", "http2: ", "PROTOCOL_ERROR", "stream error", "connection error",
		"too many 1xx"} {
		if strings.Contains(text, sign) {
			return failure{http.StatusBadGateway, FailProtocol, "The site's answer makes no sense",
				"What " + host + " sent is not a valid HTTP response."}, true
		}
	}
	return failure{}, false
}
