package content

import (
	"path"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/address"
)

// IsPicture reports whether e is a picture, in HTML or in AMP.
func IsPicture(p *page.Page, e page.ElementID) bool {
	return p.Elements[e].Tag == atom.Img || p.Elements[e].Name == "amp-img"
}

const (
	// iconSize is the most pixels of an icon without words, on each side, ruleSize those of a line on one side.
	iconSize, ruleSize = 32, 4
	// pictureSize is the least width of a picture that is declared as decoration, and is looked at all the same.
	pictureSize = 200
)

// isSpacer reports whether a picture shows nothing: pixels that keep a distance or count visits.
func isSpacer(p *page.Page, e page.ElementID) bool {
	return isTiny(p, e) || isSpacerName(address.OfImage(p, e))
}

// IsIcon reports whether a picture only decorates: icons, bullets and lines without alternative text.
func IsIcon(p *page.Page, e page.ElementID) bool {
	if alt, set := p.Attr(e, "alt"); !set || strings.TrimSpace(alt) != "" {
		return false
	}
	width, height := pixels(p, e, "width"), pixels(p, e, "height")
	role, _ := p.Attr(e, "role")
	hidden, _ := p.Attr(e, "aria-hidden")
	return width > 0 && width <= iconSize && height > 0 && height <= iconSize ||
		width > 0 && width <= ruleSize || height > 0 && height <= ruleSize ||
		(role == "presentation" || role == "none" || hidden == "true") && width < pictureSize && p.Elements[p.Elements[e].Parent].Tag != atom.Figure
}

// pixels reads a declared size, 0 if there is none.
func pixels(p *page.Page, e page.ElementID, key string) int {
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
