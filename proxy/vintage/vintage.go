// Package vintage serves browsers that speak no TLS of today: over plain HTTP, they reach origins by HTTPS, which
// winnow speaks and verifies for them. That is for clients and hosts that the operator names, and for nobody else.
//
// Such a client writes https://host/ as http://host:443/, where no server speaks plain HTTP. So an address says by
// itself how it is fetched: winnow remembers nothing, never guesses, and sends nothing over plain HTTP that was meant
// for HTTPS. Redirects and the links of pages in mode vintage lead to such addresses.
package vintage

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Options say whom the policy serves.
type Options struct {
	// Clients are the networks and addresses of the clients, in the syntax of [access.ParseNetworks].
	Clients []string
	// Hosts are those whose HTTPS they reach, in the syntax of [hostname.ParseSet]; empty means all.
	Hosts []string
	// Except reports whether a host, in canonical form, is left out all the same. Nil leaves none out.
	Except func(host string) bool
	// Secret keys the cookies; see [Policy.Response].
	Secret []byte
	// Now is the clock; default time.Now.
	Now func() time.Time
}

// Policy is what holds for the clients of Options. It is immutable and safe for concurrent use. A nil Policy serves
// nobody.
type Policy struct {
	clients access.Networks
	hosts   hostname.Set
	all     bool
	except  func(host string) bool
	aead    cipher.AEAD
	now     func() time.Time
}

// ErrEverybody says that Clients are not some clients, but all.
var ErrEverybody = errors.New("name single clients or their networks: this is everybody")

// New returns the policy of o, nil where o names no clients.
func New(o Options) (*Policy, error) {
	if len(o.Clients) == 0 {
		return nil, nil //nolint:nilnil // a nil policy serves nobody
	}
	p := &Policy{all: len(o.Hosts) == 0, except: o.Except, now: o.Now}
	var err error
	if p.clients, err = access.ParseNetworks(o.Clients); err != nil {
		return nil, err
	}
	for _, network := range o.Clients {
		if prefix, err := netip.ParsePrefix(network); err == nil && prefix.Bits() == 0 {
			return nil, fmt.Errorf("%q: %w", network, ErrEverybody)
		}
	}
	if p.hosts, err = hostname.ParseSet(o.Hosts); err != nil {
		return nil, err
	}
	if p.except == nil {
		p.except = func(string) bool { return false }
	}
	if p.now == nil {
		p.now = time.Now
	}
	key := sha256.Sum256(append([]byte("cookies\x00"), o.Secret...))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	p.aead, err = cipher.NewGCM(block)
	return p, err
}

// Serves reports whether the policy is for a client at this address.
func (p *Policy) Serves(client netip.Addr) bool { return p != nil && p.clients.Contains(client) }

// Covers reports whether the clients of the policy reach a host's HTTPS over plain HTTP.
func (p *Policy) Covers(host string) bool {
	if p == nil || !p.all && !p.hosts.Match(host) {
		return false
	}
	return !p.except(host)
}

// Of reports whether the request of the exchange in ctx comes from a client of the policy, for pages of a host that it
// covers, and whether it came over plain HTTP.
func (p *Policy) Of(ctx context.Context, host string) (client, plain bool) {
	client, plain = exchange.Vintage(ctx)
	client = client && p.Covers(host)
	return client, client && plain
}

// applies reports whether a request comes from a client of the policy over plain HTTP.
func (p *Policy) applies(x *exchange.Exchange) bool { return p != nil && x.Vintage && x.Plain() }

// ErrUncovered says that a client asks for HTTPS of a host that is not offered to it over plain HTTP.
var ErrUncovered = errors.New("this site is not offered over plain HTTP")

// Scheme returns how a request for a is fetched that came for scheme: by HTTPS where a client of the policy asks for
// port 443 over plain HTTP. The error is ErrUncovered.
func (p *Policy) Scheme(x *exchange.Exchange, scheme string, a hostname.Authority) (string, error) {
	switch {
	case !p.applies(x) || scheme != "http" || a.Port != hostname.DefaultPort("https"):
		return scheme, nil
	case !p.Covers(a.Host):
		return "", ErrUncovered
	}
	return "https", nil
}

// Request prepares a request to an origin: it opens the cookies of HTTPS, for HTTPS alone, and names the page that the
// request comes from by its own address. Requests of other clients lose such cookies.
func (p *Policy) Request(x *exchange.Exchange, req *http.Request) {
	if p == nil {
		return
	}
	if !p.applies(x) {
		p.openCookies(req.Header, jar{})
		return
	}
	secure := req.URL.Scheme == "https"
	from := p.referer(req.Header, secure)
	use := jar{host: req.URL.Hostname(), client: x.Identity.String(), open: secure}
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		use.from = &from
	}
	p.openCookies(req.Header, use)
	req.Header.Del("Upgrade-Insecure-Requests")
}

// referer translates the field Referer, and returns the host of the HTTPS page that it names, or an empty string. A
// page that was fetched by HTTPS is not named to an origin without (RFC 9110 §10.1.3).
func (p *Policy) referer(h http.Header, secure bool) (host string) {
	value := h.Get("Referer")
	rest, ok := strings.CutPrefix(value, "http://")
	authority, path := cutAuthority(rest)
	a, err := hostname.ParseAuthority(authority, "80")
	if !ok || err != nil || a.Port != "443" {
		return ""
	}
	if !secure {
		h.Del("Referer")
		return ""
	}
	h.Set("Referer", "https://"+a.In("https")+path)
	return a.Host
}

// Response prepares an origin's response for the client: addresses of HTTPS become those that it can follow, cookies of
// HTTPS are sealed, and what asks for HTTPS goes. Responses to other clients stay as they are.
func (p *Policy) Response(x *exchange.Exchange, req *http.Request, resp *http.Response) {
	if !p.applies(x) {
		return
	}
	h := resp.Header
	for _, field := range []string{"Location", "Content-Location"} {
		if value := h.Get(field); value != "" {
			h.Set(field, p.Address(value))
		}
	}
	if when, to, ok := cutRefresh(h.Get("Refresh")); ok {
		h.Set("Refresh", when+p.Address(to))
	}
	h.Del("Strict-Transport-Security")
	dropUpgrades(h)
	p.sealCookies(h, jar{host: req.URL.Hostname(), client: x.Identity.String(), open: req.URL.Scheme == "https"})
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		if status := oldStatus(resp.StatusCode); status != resp.StatusCode {
			resp.StatusCode, resp.Status = status, ""
		}
	}
}

// oldStatus returns the redirect that a browser of 1996 knows for one that came later. For GET, they mean the same.
func oldStatus(status int) int {
	switch status {
	case http.StatusSeeOther, http.StatusTemporaryRedirect:
		return http.StatusFound
	case http.StatusPermanentRedirect:
		return http.StatusMovedPermanently
	}
	return status
}

// Address returns an address of HTTPS, at its usual port, in the form for plain HTTP; others as they are.
func (p *Policy) Address(address string) string {
	const scheme = "https://"
	if len(address) < len(scheme) || !strings.EqualFold(address[:len(scheme)], scheme) {
		return address
	}
	authority, rest := cutAuthority(address[len(scheme):])
	a, err := hostname.ParseAuthority(authority, "443")
	if err != nil || a.Port != "443" || !p.Covers(a.Host) {
		return address
	}
	return "http://" + a.String() + rest
}

// cutAuthority cuts an address without its scheme before its path.
func cutAuthority(s string) (authority, rest string) {
	if i := strings.IndexAny(s, "/?#\\"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// cutRefresh cuts the value of Refresh ("5; url=…") before its address.
func cutRefresh(value string) (when, to string, ok bool) {
	i := strings.Index(strings.ToLower(value), "url=")
	if i < 0 {
		return "", "", false
	}
	return value[:i+len("url=")], strings.Trim(value[i+len("url="):], `"' `), true
}

// dropUpgrades removes the directives of a policy that have a browser ask for HTTPS itself (Upgrade Insecure Requests
// §3, Mixed Content §5.4).
func dropUpgrades(h http.Header) {
	const field = "Content-Security-Policy"
	lines := h[field]
	h.Del(field)
	for _, line := range lines {
		var kept []string
		for directive := range strings.SplitSeq(line, ";") {
			switch strings.ToLower(strings.TrimSpace(directive)) {
			case "upgrade-insecure-requests", "block-all-mixed-content", "":
			default:
				kept = append(kept, directive)
			}
		}
		if len(kept) > 0 {
			h.Add(field, strings.TrimSpace(strings.Join(kept, ";")))
		}
	}
}
