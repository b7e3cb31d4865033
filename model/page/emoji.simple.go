package page

import (
	"html"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
)

// emoji writes an emoji that a page shows as a picture, and reports whether e is one.
func (r *simpleWriter) emoji(e ElementID) bool {
	if r.style != forPrograms || r.view.p.Elements[e].Tag != atom.Img {
		return false
	}
	alt, _ := r.view.p.Attr(e, "alt")
	class, _ := r.view.p.Attr(e, "class")
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
