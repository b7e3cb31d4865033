package simple

import (
	"html"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// emoji writes an emoji that a page shows as a picture, and reports whether e is one.
func (r *writer) emoji(e page.ElementID) bool {
	if r.style != ForPrograms || r.view.Page.Elements[e].Tag != atom.Img {
		return false
	}
	alt, _ := r.view.Page.Attr(e, "alt")
	class, _ := r.view.Page.Attr(e, "class")
	class = strings.ToLower(class)
	if !isEmoji(alt) || !strings.Contains(class, "emoji") && !strings.Contains(class, "smiley") {
		return false
	}
	r.b.WriteString(html.EscapeString(alt))
	return true
}

// isEmoji reports whether a text is one emoji.
func isEmoji(s string) bool {
	const longest = 40
	return s != "" && len(s) <= longest && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.In(r, unicode.So, unicode.Sk, unicode.Mn, unicode.Cf) || r >= 0xE0000
	})
}
