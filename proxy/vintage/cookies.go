package vintage

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Cookies that an origin wants sent over HTTPS alone (Secure, RFC 6265 §4.1.2.5) would be refused or sent anywhere by
// a browser that speaks plain HTTP. So it gets them sealed, under another name: encrypted, and bound to its address,
// to the cookie's name, and to the hosts that the origin has given it to. Only this winnow can open one, it does so
// for requests by HTTPS to these hosts alone, and whoever sees one on the way can't use it anywhere else. Nothing of
// them is stored here.
//
// Browsers of the time do not know SameSite, by which sites of today keep other sites from using their sessions. In
// its place, a sealed cookie goes with POST and the like only where the request comes from a page of the cookie's own
// hosts.

// sealedPrefix begins the name of a sealed cookie. No origin may set one, and none gets one.
const sealedPrefix = "winnow-sealed-"

// longestCookie is the most bytes that browsers take (RFC 6265 §6.1).
const longestCookie = 4096

// jar is whose cookies, of which host, are sealed or opened.
type jar struct {
	host, client string
	// open is false where no sealed cookie may be opened or made: without HTTPS.
	open bool
	// from is the host of the page that the request comes from, where that matters.
	from *string
}

// openCookies opens the sealed cookies of a request, and removes those that are not for it.
func (p *Policy) openCookies(h http.Header, use jar) {
	lines := h["Cookie"]
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, sealedPrefix) }) {
		return
	}
	var kept []string
	for _, line := range lines {
		var pairs []string
		for pair := range strings.SplitSeq(line, ";") {
			if pair = strings.TrimSpace(pair); !strings.HasPrefix(pair, sealedPrefix) {
				pairs = append(pairs, pair)
			} else if opened, ok := p.open(pair, use); ok {
				pairs = append(pairs, opened)
			}
		}
		if len(pairs) > 0 {
			kept = append(kept, strings.Join(pairs, "; "))
		}
	}
	h.Del("Cookie")
	if len(kept) > 0 {
		h["Cookie"] = kept
	}
}

// open returns the cookie in a sealed one.
func (p *Policy) open(pair string, use jar) (opened string, ok bool) {
	name, token, _ := strings.Cut(strings.TrimPrefix(pair, sealedPrefix), "=")
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if !use.open || err != nil || len(sealed) < p.aead.NonceSize() {
		return "", false
	}
	n := p.aead.NonceSize()
	plain, err := p.aead.Open(nil, sealed[:n], sealed[n:], bound(name, use.client))
	if err != nil {
		return "", false
	}
	scope, value, _ := strings.Cut(string(plain), "\x00")
	if !inScope(use.host, scope) || use.from != nil && !inScope(*use.from, scope) {
		return "", false
	}
	return name + "=" + value, true
}

// bound is what a sealed cookie is bound to beside its hosts.
func bound(name, client string) []byte { return []byte(name + "\x00" + client) }

// inScope reports whether a cookie is for a host. Its scope is a host, or a domain after a dot.
func inScope(host, scope string) bool {
	if domain, ok := strings.CutPrefix(scope, "."); ok {
		return host == domain || strings.HasSuffix(host, scope)
	}
	return host != "" && host == scope
}

// sealCookies seals the cookies that a response sets for HTTPS alone. Those that can't be sealed are left out, and so
// are those that a response without HTTPS sets for HTTPS, as browsers do (RFC 6265bis §5.7).
func (p *Policy) sealCookies(h http.Header, set jar) {
	lines := h["Set-Cookie"]
	if len(lines) == 0 {
		return
	}
	h.Del("Set-Cookie")
	for _, line := range lines {
		if line, ok := p.sealCookie(line, set); ok {
			h.Add("Set-Cookie", line)
		}
	}
}

// sealCookie returns a line of Set-Cookie for the client, or false for none.
func (p *Policy) sealCookie(line string, set jar) (string, bool) {
	parts := strings.Split(line, ";")
	name, value, _ := strings.Cut(parts[0], "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if strings.HasPrefix(name, sealedPrefix) {
		return "", false
	}
	attributes, kept := map[string]string{}, []string{}
	for _, part := range parts[1:] {
		key, val, _ := strings.Cut(strings.TrimSpace(part), "=")
		key = strings.ToLower(strings.TrimSpace(key))
		attributes[key] = strings.TrimSpace(val)
		if key != "secure" && key != "samesite" && key != "partitioned" {
			kept = append(kept, strings.TrimSpace(part))
		}
	}
	if _, secure := attributes["secure"]; !secure {
		return line, true
	}
	scope, ok := scopeOf(attributes["domain"], set.host)
	if !ok || !set.open || name == "" {
		return "", false
	}
	nonce := make([]byte, p.aead.NonceSize())
	rand.Read(nonce) // never fails
	sealed := p.aead.Seal(nonce, nonce, []byte(scope+"\x00"+value), bound(name, set.client))
	pair := sealedPrefix + name + "=" + base64.RawURLEncoding.EncodeToString(sealed)
	if len(pair) > longestCookie {
		return "", false
	}
	if age, err := strconv.Atoi(attributes["max-age"]); err == nil && attributes["expires"] == "" { // old browsers know no Max-Age
		kept = append(kept, "Expires="+p.expiry(age))
	}
	return strings.Join(append([]string{pair}, kept...), "; "), true
}

// expiry is the time of a Max-Age in seconds, as the first browsers with cookies read it.
func (p *Policy) expiry(age int) string {
	const most = 400 * 24 * 60 * 60 // RFC 6265bis §5.5
	at := time.Unix(0, 0)
	if age > 0 {
		at = p.now().Add(time.Duration(min(age, most)) * time.Second)
	}
	return at.UTC().Format("Mon, 02-Jan-2006 15:04:05 GMT")
}

// scopeOf returns the scope of a cookie that host sets for a domain, empty for none. ok is false for a domain that is
// not above host, or where anybody can register names.
func scopeOf(domain, host string) (scope string, ok bool) {
	if domain = strings.TrimPrefix(domain, "."); domain == "" {
		return host, true
	}
	domain, err := hostname.Canonical(domain)
	switch {
	case err != nil:
		return "", false
	case domain == host && hostname.IsIP(host):
		return host, true
	case !inScope(host, "."+domain) || hostname.IsIP(host):
		return "", false
	}
	if _, err := publicsuffix.EffectiveTLDPlusOne(domain); err != nil {
		return host, domain == host
	}
	return "." + domain, true
}
