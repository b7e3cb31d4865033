package main

import (
	"net/url"
	"os"
	"strings"

	"github.com/winnow-proxy/winnow/proxy/dial"
)

// upstreamFlags say which proxy origins are reached through.
type upstreamFlags struct {
	UpstreamProxy     string   `placeholder:"URL" help:"Proxy to reach origins through: http, https or socks5://[USER:PASSWORD@]HOST:PORT, or env to take HTTP_PROXY, HTTPS_PROXY and NO_PROXY from the environment, which are ignored otherwise."`
	UpstreamProxyAuth string   `placeholder:"FILE" help:"File with USER:PASSWORD for --upstream-proxy: unlike the URL it does not show in the list of processes."`
	NoProxy           []string `placeholder:"HOST" help:"Origins to reach past --upstream-proxy, as in NO_PROXY: hosts with their subdomains, .example.org for subdomains alone, addresses, networks."`
}

// proxies checks the flags and returns what they say.
func (f upstreamFlags) proxies(env environment) (p dial.Proxies, err error) {
	for _, host := range f.NoProxy {
		if strings.Contains(host, "://") || strings.TrimSpace(host) == "" {
			return p, usagef("--no-proxy: %q is not a host, an address or a network", host)
		}
	}
	p.NoProxy = strings.Join(f.NoProxy, ",")
	switch f.UpstreamProxy {
	case "":
		if f.UpstreamProxyAuth != "" || p.NoProxy != "" {
			return p, usagef("--upstream-proxy-auth and --no-proxy go with --upstream-proxy, which is not set")
		}
		return p, nil
	case "env":
		p.NoProxy = strings.Trim(p.NoProxy+","+env.either("no_proxy"), ",")
		if p.HTTP, err = upstreamURL("$HTTP_PROXY", env.either("http_proxy")); err != nil {
			return p, err
		}
		p.HTTPS, err = upstreamURL("$HTTPS_PROXY", env.either("https_proxy"))
	default:
		p.HTTP, err = upstreamURL("--upstream-proxy", f.UpstreamProxy)
		p.HTTPS = p.HTTP
	}
	if err != nil || f.UpstreamProxyAuth == "" {
		return p, err
	}
	return f.authenticated(p)
}

// authenticated adds the credentials of --upstream-proxy-auth.
func (f upstreamFlags) authenticated(p dial.Proxies) (dial.Proxies, error) {
	b, err := os.ReadFile(f.UpstreamProxyAuth)
	if err != nil {
		return p, usagef("--upstream-proxy-auth: %w", err)
	}
	user, password, ok := strings.Cut(strings.TrimRight(string(b), "\r\n"), ":")
	if !ok || user == "" || strings.ContainsAny(password, "\r\n") {
		return p, usagef("--upstream-proxy-auth: want one line with USER:PASSWORD in %s", f.UpstreamProxyAuth)
	}
	for _, u := range []**url.URL{&p.HTTP, &p.HTTPS} {
		if *u == nil {
			continue
		}
		own := **u
		own.User = url.UserPassword(user, password)
		if *u, err = dial.ParseProxy(own.String()); err != nil {
			return p, usagef("--upstream-proxy-auth: %w", err)
		}
	}
	return p, nil
}

// upstreamURL reads the address of a proxy, nil for none. source is where it stands.
func upstreamURL(source, s string) (*url.URL, error) {
	if s == "" {
		return nil, nil
	}
	u, err := dial.ParseProxy(s)
	if err != nil {
		return nil, usagef("%s: %w", source, err)
	}
	return u, nil
}

// either returns a variable that is written in lower or upper case, as those for proxies are.
func (e environment) either(lower string) string {
	if v := e[lower]; v != "" {
		return v
	}
	return e[strings.ToUpper(lower)]
}
