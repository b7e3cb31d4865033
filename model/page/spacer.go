package page

import (
	"path"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isPicture reports whether e is a picture, in HTML or in AMP.
func (p *Page) isPicture(e ElementID) bool {
	return p.Elements[e].Tag == atom.Img || p.Elements[e].Name == "amp-img"
}

const (
	// iconSize is the most pixels of an icon without words, on each side, ruleSize those of a line on one side.
	iconSize, ruleSize = 32, 4
	// pictureSize is the least width of a picture that is declared as decoration, and is looked at all the same.
	pictureSize = 200
)

// isSpacer reports whether a picture shows nothing: pixels that keep a distance or count visits.
func (p *Page) isSpacer(e ElementID) bool { return p.isTiny(e) || isSpacerName(p.imageURL(e)) }

// isIcon reports whether a picture only decorates: icons, bullets and lines without alternative text.
func (p *Page) isIcon(e ElementID) bool {
	if alt, set := p.Attr(e, "alt"); !set || strings.TrimSpace(alt) != "" {
		return false
	}
	width, height := p.pixels(e, "width"), p.pixels(e, "height")
	role, _ := p.Attr(e, "role")
	hidden, _ := p.Attr(e, "aria-hidden")
	return width > 0 && width <= iconSize && height > 0 && height <= iconSize ||
		width > 0 && width <= ruleSize || height > 0 && height <= ruleSize ||
		(role == "presentation" || role == "none" || hidden == "true") && width < pictureSize && p.Elements[p.Elements[e].Parent].Tag != atom.Figure
}

// pixels reads a declared size, 0 if there is none.
func (p *Page) pixels(e ElementID, key string) int {
	val, _ := p.Attr(e, key)
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(val), "px"))
	if err != nil {
		return 0
	}
	return n
}

// isSpacerName reports whether a file's name says that it shows nothing.
func isSpacerName(url string) bool {
	url, _, _ = strings.Cut(url, "?")
	name := strings.ToLower(path.Base(url))
	name, _, _ = strings.Cut(name, ".")
	switch strings.TrimRight(name, "0123456789-_") {
	case "spacer", "blank", "pixel", "clear", "transparent", "trans", "empty", "shim", "pixel_trans", "dot_clear", "clearpixel", "transparent-pixel":
		return true
	}
	return name == "1x1"
}

// unscriptedURL returns the address of the picture for browsers without scripts, beside a placeholder.
func (p *Page) unscriptedURL(e ElementID) string {
	const longest = 4096
	next := p.Elements[e].Sub
	if int(next) >= len(p.Elements) || p.Elements[next].Tag != atom.Noscript || p.Elements[next].Parent != p.Elements[e].Parent {
		return ""
	}
	for t := p.Elements[next].TextStart; t < p.Elements[next].TextEnd && len(p.Texts[t].Data) <= longest; t++ {
		z := html.NewTokenizer(strings.NewReader(p.Texts[t].Data))
		for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
			for _, a := range z.Token().Attr {
				if u := safeURL(a.Val); a.Key == "src" && u != "" {
					return u
				}
			}
		}
	}
	return ""
}

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
