// Package choice remembers how a device wants to see a site: as the original, once or always, or as a page to read. The
// choice is a signed cookie that winnow sets on the site and takes off its requests, so that it holds for one device
// and one site, over HTTP and HTTPS, and the site never sees it.
package choice

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
)

// Path is where, on any site, winnow itself answers: it sets the cookie there.
const Path = "/.winnow/choose"

// cookie is the cookie's name.
const cookie = "winnow-choice"

// How long things last: a link on winnow's own page, a choice for one page view, and a lasting choice.
const (
	linkLasts   = 2 * time.Hour
	onceLasts   = 30 * time.Second
	alwaysLasts = 365 * 24 * time.Hour
)

// ErrLink says that an address is not one that winnow has made for this client, or is too old.
var ErrLink = errors.New("this link is too old, or not one of winnow's: open winnow's page about the site again")

// Choices signs and reads choices. It is safe for concurrent use.
type Choices struct {
	key []byte
	now func() time.Time
}

// New returns choices that are signed with a secret; now nil means time.Now.
func New(secret []byte, now func() time.Time) *Choices {
	if now == nil {
		now = time.Now
	}
	return &Choices{secret, now}
}

func (c *Choices) sign(parts ...string) string {
	mac := hmac.New(sha256.New, c.key)
	fmt.Fprintf(mac, "%q", parts)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Choice is what a link chooses. Cleaned takes a choice back.
type Choice struct {
	Mode    page.Mode
	Once    bool
	Cleaned bool
}

func (ch Choice) String() string {
	switch {
	case ch.Cleaned:
		return "clean"
	case ch.Once:
		return ch.Mode.String() + "-once"
	}
	return ch.Mode.String()
}

// parse reads what String wrote. A page has no other modes to offer than those of a browser.
func parse(s string) (ch Choice, ok bool) {
	for _, ch := range []Choice{{Cleaned: true}, {Mode: page.ModeOff}, {Mode: page.ModeOff, Once: true}, {Mode: page.ModeReader},
		{Mode: page.ModeReader, Once: true}} {
		if ch.String() == s {
			return ch, true
		}
	}
	return ch, false
}

// Link returns the address on the site of target, an absolute URL, by which client chooses and comes back to it.
func (c *Choices) Link(client string, target *url.URL, ch Choice) string {
	until := strconv.FormatInt(c.now().Add(linkLasts).Unix(), 10)
	to := target.RequestURI()
	q := url.Values{"choose": {ch.String()}, "until": {until}, "to": {to},
		"sign": {c.sign("link", client, target.Scheme, target.Host, ch.String(), until, to)}}
	return target.Scheme + "://" + target.Host + Path + "?" + q.Encode()
}

// ServeLink answers such an address, that client has asked for at scheme and host: it sets the cookie and leads back.
// site is the name of the host's model.
func (c *Choices) ServeLink(w http.ResponseWriter, r *http.Request, client, scheme, host, site string) error {
	q := r.URL.Query()
	choose, until, to := q.Get("choose"), q.Get("until"), q.Get("to")
	ch, ok := parse(choose)
	want := c.sign("link", client, scheme, host, choose, until, to)
	end, err := strconv.ParseInt(until, 10, 64)
	if !ok || err != nil || r.Method != http.MethodGet || !hmac.Equal([]byte(q.Get("sign")), []byte(want)) || c.now().Unix() > end ||
		!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") {
		return ErrLink
	}
	set := &http.Cookie{Name: cookie, Value: c.value(site, ch.Mode), Path: "/", MaxAge: int(alwaysLasts.Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode}
	switch {
	case ch.Cleaned:
		set.Value, set.MaxAge = "", -1
	case ch.Once:
		set.MaxAge = int(onceLasts.Seconds())
	}
	http.SetCookie(w, set)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

func (c *Choices) value(site string, mode page.Mode) string {
	return mode.String() + "." + c.sign("cookie", site, mode.String())
}

// Take takes the cookie off the fields of a request to the site, whoever has set it, and returns the mode that it
// chooses.
func (c *Choices) Take(h http.Header, site string) (mode page.Mode, chosen bool) {
	lines := h["Cookie"]
	for i, line := range lines {
		if !strings.Contains(line, cookie) {
			continue
		}
		var rest []string
		for pair := range strings.SplitSeq(line, ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
			if name != cookie {
				rest = append(rest, strings.TrimSpace(pair))
				continue
			}
			for _, m := range []page.Mode{page.ModeOff, page.ModeReader} {
				if hmac.Equal([]byte(value), []byte(c.value(site, m))) {
					mode, chosen = m, true
				}
			}
		}
		lines[i] = strings.Join(rest, "; ")
	}
	if len(lines) == 1 && lines[0] == "" {
		h.Del("Cookie")
	}
	return mode, chosen
}
