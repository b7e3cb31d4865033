package evaluate

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// savedFromHead is the number of bytes that are searched for the page's address, which is in the head.
const savedFromHead = 64 << 10

// SavedFrom returns the site that a saved page comes from, as the registrable part of its host ("example.org" for
// www.example.org). It reads link rel=canonical, og:url, base, or the comment that browsers write when they save a
// page. It is empty where the page has none of them.
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

// savedComment matches the comment that browsers write: <!-- saved from url=(0023)https://example.org/ -->.
func savedComment() *regexp.Regexp { return regexp.MustCompile(`saved from url=\(\d+\)(\S+)`) }

// ownAddress is the page's own address, if the element has it.
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

// siteOf is the registrable part of the host of an absolute address, or the host itself where it has none (an IP
// address).
func siteOf(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() == "" || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	if strings.ContainsFunc(host, notInHosts) {
		return ""
	}
	return registrable(host)
}

// notInHosts reports whether r can't be part of a host's name or address. Package net/url accepts more.
func notInHosts(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-._:", r)
}
