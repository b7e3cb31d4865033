package epub

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

// escape writes text for XML: markup as entities, without the characters that XML has no way to write (XML 1.0 §2.2).
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(strings.Map(xmlRune, s))
}

func xmlRune(r rune) rune {
	switch {
	case r == '\t', r == '\n', r == '\r', r >= 0x20 && r < 0xfffe && r != utf8.RuneError, r >= 0x10000:
		return r
	case r == utf8.RuneError:
		return '?'
	}
	return -1
}

// plain folds white space.
func plain(s string) string { return strings.Join(strings.Fields(strings.Map(xmlRune, s)), " ") }

var (
	languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)
	hostName    = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]+)?$|^\[[0-9A-Fa-f:.]+\](:[0-9]+)?$`)
)

// language returns a language tag, nothing where s is none.
func language(s string) string {
	if s = strings.TrimSpace(strings.ReplaceAll(s, "_", "-")); languageTag.MatchString(s) {
		return s
	}
	return ""
}

// hostOf returns the host of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// webAddress returns an absolute address that a book may link to, nothing for others: those on hosts that can't exist
// (RFC 6761 §6.4) are of saved pages.
func webAddress(href string) string {
	u, err := url.Parse(strings.TrimSpace(href))
	if err != nil {
		return ""
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || strings.HasSuffix(u.Hostname(), ".invalid") || !hostName.MatchString(u.Host) {
		return ""
	}
	return u.Scheme + "://" + cleanAddress(u)
}

// cleanAddress writes what follows the scheme with all escaped that some readers of books refuse.
func cleanAddress(u *url.URL) string {
	rest := strings.TrimPrefix(u.String(), u.Scheme+"://"+u.Host)
	var b strings.Builder
	for i := range len(rest) {
		if c := rest[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}[]", c) >= 0 {
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
			continue
		}
		b.WriteByte(rest[i])
	}
	return u.Host + b.String()
}
