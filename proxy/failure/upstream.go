package failure

import (
	"errors"
	"net/http"

	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// classifyUpstream explains errors of an upstream proxy. It does not name the proxy: clients need not know the network.
func classifyUpstream(host string, err error) (Failure, bool) {
	var up *dial.ProxyError
	if !errors.As(err, &up) {
		return Failure{}, false
	}
	status := http.StatusBadGateway
	if wire.TimedOut(err) {
		status = http.StatusGatewayTimeout
	}
	switch up.Fault {
	case dial.ProxyAuth:
		return Failure{status, ProxyAuth, "The next proxy does not let this one in",
			"This proxy reaches " + host + " through another, which refused its name or password. Whoever runs the proxy can " +
				"set them with --upstream-proxy or the setting upstream-proxy-auth."}, true
	case dial.ProxyRefused:
		return Failure{http.StatusForbidden, ProxyRefused, "The next proxy refuses this destination",
			"This proxy reaches " + host + " through another, which does not permit it. Whoever runs that one can say why; " +
				"the setting no-proxy goes past it."}, true
	case dial.OriginUnreachable:
		return Failure{status, ProxyOrigin, "The next proxy could not reach the site",
			"This proxy reaches " + host + " through another, which got no connection. Check the spelling of the name, and " +
				"try again in a moment."}, true
	}
	return Failure{status, ProxyDown, "The next proxy can't be reached",
		"This proxy reaches " + host + " through another, which does not answer as a proxy should. Whoever runs the proxy " +
			"can check --upstream-proxy; its log says what happened."}, true
}
