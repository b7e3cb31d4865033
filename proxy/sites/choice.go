package sites

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

// ChoicePath is an address that winnow answers on every site: it sets the cookie there.
const ChoicePath = "/.winnow/choose"

// cookie is the name of the cookie.
const cookie = "winnow-choice"

// Lifetimes of a link on winnow's own page, of a choice for one page view, and of a permanent choice.
const (
	linkLasts   = 2 * time.Hour
	onceLasts   = 30 * time.Second
	alwaysLasts = 365 * 24 * time.Hour
)

// ErrLink says that winnow did not make an address for this client, or that the address has expired.
var ErrLink = errors.New("this link is too old, or not one of winnow's: open winnow's page about the site again")

// Choices signs and reads choices. It is safe for concurrent use.
type Choices struct {
	key []byte
	now func() time.Time
}

// NewChoices returns choices signed with secret; now nil means time.Now.
func NewChoices(secret []byte, now func() time.Time) *Choices {
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

// Choice is what a link chooses. Cleaned is the mode that the proxy has for the site, whatever the device wants
// elsewhere.
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

// parseChoice reads what String wrote. It accepts the modes for browsers only.
func parseChoice(s string) (ch Choice, ok bool) {
	for _, ch := range []Choice{{Cleaned: true}, {Mode: page.ModeOff}, {Mode: page.ModeOff, Once: true}, {Mode: page.ModeReader},
		{Mode: page.ModeReader, Once: true}} {
		if ch.String() == s {
			return ch, true
		}
	}
	return ch, false
}

// Link returns an address on the site of target, an absolute URL. A client that follows it makes the choice and is
// redirected to target.
func (c *Choices) Link(client string, target *url.URL, ch Choice) string {
	until := strconv.FormatInt(c.now().Add(linkLasts).Unix(), 10)
	to := target.RequestURI()
	q := url.Values{"choose": {ch.String()}, "until": {until}, "to": {to},
		"sign": {c.sign("link", client, target.Scheme, target.Host, ch.String(), until, to)}}
	return target.Scheme + "://" + target.Host + ChoicePath + "?" + q.Encode()
}

// Shown signs an address for a link to winnow's own page about it, in a page from there: nobody else can make one. It
// is shorter than other signatures, because every page has it.
func (c *Choices) Shown(client, address string) string {
	const digits = 24
	return c.sign("shown", client, address)[:digits]
}

// HasShown reports whether sign is what Shown returned for the same client and address.
func (c *Choices) HasShown(client, address, sign string) bool {
	return hmac.Equal([]byte(sign), []byte(c.Shown(client, address)))
}

// ServeLink answers a request of client for such an address at scheme and host: it sets the cookie and redirects to the
// target. site is the name of the host's model.
func (c *Choices) ServeLink(w http.ResponseWriter, r *http.Request, client, scheme, host, site string) error {
	q := r.URL.Query()
	choose, until, to := q.Get("choose"), q.Get("until"), q.Get("to")
	ch, ok := parseChoice(choose)
	want := c.sign("link", client, scheme, host, choose, until, to)
	end, err := strconv.ParseInt(until, 10, 64)
	if !ok || err != nil || r.Method != http.MethodGet || !hmac.Equal([]byte(q.Get("sign")), []byte(want)) || c.now().Unix() > end ||
		!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") {
		return ErrLink
	}
	set := &http.Cookie{Name: cookie, Value: c.value(site, ch.Mode), Path: "/", MaxAge: int(alwaysLasts.Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode}
	switch {
	case ch.Cleaned:
		set.Value = c.value(site, page.ModeAuto)
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

// Take removes the cookie from the header of a request to the site, whoever set it, and returns the mode that it
// chooses: page.ModeAuto for the mode that the proxy has for the site.
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
			for _, m := range []page.Mode{page.ModeOff, page.ModeReader, page.ModeAuto} {
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
