package markup

import (
	"math"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// hasWord reports whether a text has a letter or a digit in it.
func hasWord(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// HasClass reports whether e has one of the classes.
func HasClass(p *page.Page, e page.ElementID, names ...string) bool {
	class, _ := p.Attr(e, "class")
	for c := range strings.FieldsSeq(class) {
		for _, n := range names {
			if strings.EqualFold(c, n) {
				return true
			}
		}
	}
	return false
}

// ShownText returns all text in e, without scripts and the like.
func ShownText(p *page.Page, e page.ElementID) string { return shownStart(p, e, math.MaxInt) }

// Label is [ShownText] of something that is told by its label. Of a long text it returns the start: every element
// around a page's text may be asked for it.
func Label(p *page.Page, e page.ElementID) string { return shownStart(p, e, longestLabel) }

// longestLabel is about the most bytes of a label.
const longestLabel = 16 << 10

func shownStart(p *page.Page, e page.ElementID, most int) string {
	texts := p.Texts[p.Elements[e].TextStart:p.Elements[e].TextEnd]
	if len(texts) == 1 && texts[0].Parent == e { // as in most links
		return texts[0].Data
	}
	var b strings.Builder
	for _, t := range texts {
		if t.Parent == e || !p.IsInvisible(t.Parent) {
			b.WriteString(t.Data)
		}
		if b.Len() >= most {
			break
		}
	}
	return b.String()
}

// Named reports whether class, id, name or label of e contains one of the words.
func Named(p *page.Page, e page.ElementID, words ...string) bool {
	for _, key := range []string{"class", "id", "name", "aria-label"} {
		val, ok := p.Attr(e, key)
		if !ok {
			continue
		}
		val = strings.ToLower(val)
		for _, w := range words {
			if strings.Contains(val, w) {
				return true
			}
		}
	}
	return false
}

// IsOneOf reports whether s, without white space around it, is one of the names, in any case.
func IsOneOf(s string, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(strings.TrimSpace(s), n) })
}

// LeadsHome reports whether e is a link to the front page of its site.
func LeadsHome(p *page.Page, e page.ElementID) bool {
	if p.Elements[e].Tag != atom.A {
		return false
	}
	href, ok := p.Attr(e, "href")
	u, err := url.Parse(strings.TrimSpace(href))
	return ok && err == nil && u.RawQuery == "" && u.Fragment == "" && (u.Path == "/" || u.Path == "" && u.Host != "")
}
