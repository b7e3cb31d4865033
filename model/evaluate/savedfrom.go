package evaluate

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/publicsuffix"
)

// savedFromHead is how much of a page is searched for its address; it stands in the head.
const savedFromHead = 64 << 10

// SavedFrom returns the site that a saved page says it is of, as the registrable part of its host ("example.org" for
// www.example.org): by link rel=canonical, og:url or base, or the comment that browsers write when they save a page. It
// is empty where the page does not say.
func SavedFrom(src []byte) string {
	z := html.NewTokenizer(bytes.NewReader(src[:min(len(src), savedFromHead)]))
	comment, saved := "", savedComment()
	for {
		switch z.Next() {
		case html.ErrorToken:
			return comment
		case html.CommentToken:
			if m := saved.FindSubmatch(z.Text()); m != nil && comment == "" {
				comment = siteOf(string(m[1]))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.DataAtom == atom.Body {
				return comment
			}
			if site := siteOf(ownAddress(t)); site != "" {
				return site
			}
		}
	}
}

// savedComment matches what browsers write: <!-- saved from url=(0023)https://example.org/ -->.
func savedComment() *regexp.Regexp { return regexp.MustCompile(`saved from url=\(\d+\)(\S+)`) }

// ownAddress is the page's own address where the element gives it.
func ownAddress(t html.Token) string {
	attr := map[string]string{}
	for _, a := range t.Attr {
		attr[a.Key] = a.Val
	}
	switch {
	case t.DataAtom == atom.Link && strings.EqualFold(attr["rel"], "canonical"), t.DataAtom == atom.Base:
		return attr["href"]
	case t.DataAtom == atom.Meta && attr["property"] == "og:url":
		return attr["content"]
	}
	return ""
}

// siteOf is the registrable part of an absolute address's host, or the host itself where it has none (an IP address).
func siteOf(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() == "" || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	if strings.ContainsFunc(host, notInHosts) {
		return ""
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host
}

// notInHosts reports whether no name or address of a host has r in it; package net/url takes more.
func notInHosts(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-._:", r)
}
