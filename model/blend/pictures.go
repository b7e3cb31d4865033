package blend

import (
	"path"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// holdsPicture reports whether e, whose text is all noise, has a picture or film that belongs to the content, such as a
// photograph above a caption that looks like a label. It considers only small parts in the middle of content that no
// name marks as noise.
func (f *markFinder) holdsPicture(e page.ElementID) bool {
	v, el := f.v, &f.v.p.Elements[e]
	if f.core == page.None || v.elems[e].words > 30 {
		return false
	}
	amid := el.BlockStart > f.first && el.BlockEnd <= f.last || f.core > v.p.Body && v.p.Contains(f.core, e)
	return amid && v.kindOfElement(e) == page.KindOther && v.among(v.sharers, e) == 0 && v.showsPicture(e)
}

// showsPicture reports whether e has a film, or a picture that is not an icon and does not link to another page.
func (v *view) showsPicture(e page.ElementID) bool {
	for c := e; c < v.p.Elements[e].Sub; c++ {
		switch v.p.Elements[c].Tag {
		case atom.Video, atom.Audio, atom.Object, atom.Embed:
			return true
		case atom.Iframe:
			if !v.isAdvert(c) {
				return true
			}
		case atom.Img:
			if !v.isIcon(c) && !v.leadsAway(c) {
				return true
			}
		}
	}
	return false
}

// holdsWorth reports whether something without text has to stay for its own sake: pictures, films, controls.
func (o *outline) holdsWorth(e page.ElementID) bool {
	return o.holdsControls(e) || o.holdsFilm(e) || o.holdsImage(e)
}

// isIcon uses the declared size or, without one, the name of the file.
func (v *view) isIcon(e page.ElementID) bool {
	w, h := v.pixels(e, "width"), v.pixels(e, "height")
	if w >= 0 && h >= 0 {
		return w < 80 && h < 80 || w < 5 || h < 5
	}
	src, _ := v.p.Attr(e, "src")
	class, _ := v.p.Attr(e, "class")
	return slices.ContainsFunc([]string{class, path.Base(src)}, namesIcon)
}

// namesIcon reports whether a class or a file's name is that of an icon.
func namesIcon(name string) bool {
	for part := range nameParts(name) {
		switch part {
		case "icon", "icons", "logo", "avatar", "gravatar", "sprite", "pixel", "spacer", "blank", "transparent", "emoji", "smiley", "smilie",
			"smilies", "bullet", "arrow", "separator", "divider", "button", "btn", "rss", "feed", "badge", "flag":
			return true
		}
	}
	return false
}

// leadsAway reports whether a picture is in a link to anything but a larger picture.
func (v *view) leadsAway(e page.ElementID) bool {
	a := v.anchorOf(e)
	if a == page.None {
		return false
	}
	href, ok := v.p.Attr(a, "href")
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
