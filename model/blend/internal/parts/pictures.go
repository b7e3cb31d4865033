package parts

import (
	"path"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// ShowsPicture reports whether e has a film, or a picture that is not an icon and does not link to another page.
func ShowsPicture(v *view.Page, e page.ElementID) bool {
	for c := e; c < v.Doc.Elements[e].Sub; c++ {
		switch v.Doc.Elements[c].Tag {
		case atom.Video, atom.Audio, atom.Object, atom.Embed:
			return true
		case atom.Iframe:
			if !isAdvert(v, c) {
				return true
			}
		case atom.Img:
			if !isIcon(v, c) && !leadsAway(v, c) {
				return true
			}
		}
	}
	return false
}

// HoldsWorth reports whether something without text has to stay for its own sake: pictures, films, controls.
func (o *Outline) HoldsWorth(e page.ElementID) bool {
	return o.HoldsControls(e) || o.HoldsMedia(e) || o.holdsImage(e)
}

// isIcon uses the declared size or, without one, the name of the file.
func isIcon(v *view.Page, e page.ElementID) bool {
	w, h := pixels(v, e, "width"), pixels(v, e, "height")
	if w >= 0 && h >= 0 {
		return w < 80 && h < 80 || w < 5 || h < 5
	}
	src, _ := v.Doc.Attr(e, "src")
	class, _ := v.Doc.Attr(e, "class")
	return slices.ContainsFunc([]string{class, path.Base(src)}, namesIcon)
}

// namesIcon reports whether a class or a file's name is that of an icon.
func namesIcon(name string) bool {
	for part := range vocab.NameParts(name) {
		switch part {
		case "icon", "icons", "logo", "avatar", "gravatar", "sprite", "pixel", "spacer", "blank", "transparent", "emoji", "smiley", "smilie",
			"smilies", "bullet", "arrow", "separator", "divider", "button", "btn", "rss", "feed", "badge", "flag":
			return true
		}
	}
	return false
}

// leadsAway reports whether a picture is in a link to anything but a larger picture.
func leadsAway(v *view.Page, e page.ElementID) bool {
	a := v.AnchorOf(e)
	if a == page.None {
		return false
	}
	href, ok := v.Doc.Attr(a, "href")
	if !ok {
		return false
	}
	href, _, _ = strings.Cut(href, "?")
	switch strings.ToLower(path.Ext(href)) {
	case ".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg":
		return false
	}
	return !strings.HasPrefix(href, "#")
}
