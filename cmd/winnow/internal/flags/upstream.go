package flags

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/proxy/dial"
)

// Upstream are the flags that say how to reach origins.
type Upstream struct {
	UpstreamProxy     string   `placeholder:"URL" short-help:"Proxy to reach origins through, or env." help:"Proxy to reach origins through: http, https or socks5://[USER:PASSWORD@]HOST:PORT, or env to take HTTP_PROXY, HTTPS_PROXY and NO_PROXY from the environment, which are ignored otherwise."`
	UpstreamProxyAuth string   `key:"" hidden:"" placeholder:"FILE" help:"File with USER:PASSWORD for --upstream-proxy: unlike the URL, the list of processes does not show it."`
	NoProxy           []string `key:"" hidden:"" placeholder:"HOST" help:"Origins to reach without --upstream-proxy, as in NO_PROXY: hosts with their subdomains, .example.org for subdomains alone, addresses, networks."`
	UpstreamCA        string   `name:"upstream-ca" placeholder:"FILE" short-help:"Certificates in PEM to trust for origins, too." help:"Certificates in PEM to trust for origins, in addition to the system's."`
}

// Proxies checks the flags of proxies and returns the proxies.
func (f Upstream) Proxies(env console.Environment) (p dial.Proxies, err error) {
	for _, host := range f.NoProxy {
		if strings.Contains(host, "://") || strings.TrimSpace(host) == "" {
			return p, console.Usagef("no-proxy: %q is not a host, an address or a network", host)
		}
	}
	p.NoProxy = strings.Join(f.NoProxy, ",")
	switch f.UpstreamProxy {
	case "":
		if f.UpstreamProxyAuth != "" || p.NoProxy != "" {
			return p, console.Usagef("upstream-proxy-auth and no-proxy need --upstream-proxy, which is not set")
		}
		return p, nil
	case "env":
		p.NoProxy = strings.Trim(p.NoProxy+","+env.Either("no_proxy"), ",")
		if p.HTTP, err = upstreamURL("$HTTP_PROXY", env.Either("http_proxy")); err != nil {
			return p, err
		}
		p.HTTPS, err = upstreamURL("$HTTPS_PROXY", env.Either("https_proxy"))
	default:
		p.HTTP, err = upstreamURL("--upstream-proxy", f.UpstreamProxy)
		p.HTTPS = p.HTTP
	}
	if err != nil || f.UpstreamProxyAuth == "" {
		return p, err
	}
	return f.authenticated(p)
}

// authenticated adds the credentials of upstream-proxy-auth.
func (f Upstream) authenticated(p dial.Proxies) (dial.Proxies, error) {
	b, err := os.ReadFile(f.UpstreamProxyAuth)
	if err != nil {
		return p, console.Usagef("upstream-proxy-auth: %w", err)
	}
	user, password, ok := strings.Cut(strings.TrimRight(string(b), "\r\n"), ":")
	if !ok || user == "" || strings.ContainsAny(password, "\r\n") {
		return p, console.Usagef("upstream-proxy-auth: want one line with USER:PASSWORD in %s", f.UpstreamProxyAuth)
	}
	for _, u := range []**url.URL{&p.HTTP, &p.HTTPS} {
		if *u == nil {
			continue
		}
		own := **u
		own.User = url.UserPassword(user, password)
		if *u, err = dial.ParseProxy(own.String()); err != nil {
			return p, console.Usagef("upstream-proxy-auth: %w", err)
		}
	}
	return p, nil
}

// upstreamURL parses the address of a proxy; nil means none. source says in errors where the address comes from.
func upstreamURL(source, s string) (*url.URL, error) {
	if s == "" {
		return nil, nil
	}
	u, err := dial.ParseProxy(s)
	if err != nil {
		return nil, console.Usagef("%s: %w", source, err)
	}
	return u, nil
}

// Roots are the system's roots and those of --upstream-ca. nil means the system's alone.
func (f Upstream) Roots() (*x509.CertPool, error) {
	if f.UpstreamCA == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(f.UpstreamCA)
	if err != nil {
		return nil, console.Usagef("--upstream-ca: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("the system's root certificates: %w", err)
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, console.Usagef("--upstream-ca: there is no certificate in PEM in %s", f.UpstreamCA)
	}
	return roots, nil
}

// Transport reaches origins by the same flags as the proxy, with one connection per request.
func (f Upstream) Transport(env console.Environment) (*http.Transport, error) {
	roots, err := f.Roots()
	if err != nil {
		return nil, err
	}
	proxies, err := f.Proxies(env)
	if err != nil {
		return nil, err
	}
	config := httpproxy.Config{NoProxy: proxies.NoProxy}
	if proxies.HTTP != nil {
		config.HTTPProxy = proxies.HTTP.String()
	}
	if proxies.HTTPS != nil {
		config.HTTPSProxy = proxies.HTTPS.String()
	}
	through := config.ProxyFunc()
	return &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		Proxy: func(r *http.Request) (*url.URL, error) { return through(r.URL) }}, nil
}
