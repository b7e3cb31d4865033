package proxy

import (
	"errors"
	"net/http"
)

// classifyUpstream explains what an upstream proxy did wrong, without naming it: clients need not know the network behind.
func classifyUpstream(host string, err error) (failure, bool) {
	var up *upstreamError
	if !errors.As(err, &up) {
		return failure{}, false
	}
	status := http.StatusBadGateway
	if timedOut(err) {
		status = http.StatusGatewayTimeout
	}
	switch up.fault {
	case faultAuth:
		return failure{status, FailProxyAuth, "The next proxy does not let this one in",
			"This proxy reaches " + host + " through another, which refused its name or password. Whoever runs the proxy can " +
				"set them with --upstream-proxy or --upstream-proxy-auth."}, true
	case faultRefused:
		return failure{http.StatusForbidden, FailProxyRefused, "The next proxy refuses this destination",
			"This proxy reaches " + host + " through another, which does not permit it. Whoever runs that one can say why; " +
				"--no-proxy goes past it."}, true
	case faultOrigin:
		return failure{status, FailProxyOrigin, "The next proxy could not reach the site",
			"This proxy reaches " + host + " through another, which got no connection. Check the spelling of the name, and " +
				"try again in a moment."}, true
	}
	return failure{status, FailProxyDown, "The next proxy can't be reached",
		"This proxy reaches " + host + " through another, which does not answer as a proxy should. Whoever runs the proxy " +
			"can check --upstream-proxy; its log says what happened."}, true
}
