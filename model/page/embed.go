package page

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// standIn is the link by which plain output replaces what it can't show.
type standIn struct {
	text, url string
	// what is the text without the name that the element declares, which people do not see.
	what, name string
}

// standInOf returns the link for a film, a sound, a frame or a login form. ok is false for other elements, and for
// frames that show nothing.
func (v *contentView) standInOf(e ElementID) (s standIn, ok bool) {
	p := v.p
	switch el := &p.Elements[e]; el.Tag {
	case atom.Video:
		return v.media(e, "Video")
	case atom.Audio:
		return v.media(e, "Audio")
	case atom.Iframe, atom.Embed:
		for _, key := range []string{"src", "data-src", "data-lazy-src", "data-litespeed-src"} {
			if src, _ := p.Attr(e, key); src != "" {
				if s, ok := v.frame(e, src); ok {
					return s, true
				}
			}
		}
	case atom.Blockquote:
		if cite, _ := p.Attr(e, "cite"); p.classHas(e, "tiktok-embed") && absoluteURL(v.at.resolve(cite)) != nil {
			return p.labelled(e, "Video on TikTok", v.at.resolve(cite)), true
		}
	case 0:
		return v.player(e)
	case atom.Object:
		src, _ := p.Attr(e, "data")
		return v.frame(e, src)
	case atom.Form:
		return v.login(e)
	}
	return standIn{}, false
}

func (v *contentView) media(e ElementID, what string) (standIn, bool) {
	src, _ := v.p.Attr(e, "src")
	for d := e + 1; d < min(v.p.Elements[e].Sub, e+mostSources) && src == ""; d++ {
		if v.p.Elements[d].Tag == atom.Source {
			src, _ = v.p.Attr(d, "src")
		}
	}
	u := v.at.resolve(src)
	return v.p.labelled(e, what, u), u != ""
}

func (v *contentView) frame(e ElementID, src string) (standIn, bool) {
	u := absoluteURL(v.at.resolve(src))
	if u == nil || v.p.isTiny(e) {
		return standIn{}, false
	}
	what, link := embedded(u)
	return v.p.labelled(e, what, link), true
}

// player returns a link to the film of an element that a script makes a player of.
func (v *contentView) player(e ElementID) (standIn, bool) {
	switch v.p.Elements[e].Name {
	case "lite-youtube", "amp-youtube", "youtube-video":
		for _, key := range []string{"videoid", "data-videoid", "video-id"} {
			if id, _ := v.p.Attr(e, key); isFilm(id) {
				return v.p.labelled(e, youtube, youtubeFilm+id), true
			}
		}
	case "lite-vimeo", "amp-vimeo":
		for _, key := range []string{"videoid", "data-videoid"} {
			if id, _ := v.p.Attr(e, key); isFilm(id) {
				return v.p.labelled(e, "Video on Vimeo", "https://vimeo.com/"+id), true
			}
		}
	}
	return standIn{}, false
}

// login returns a link to the page itself for a form that asks for a password.
func (v *contentView) login(e ElementID) (standIn, bool) {
	if v.forms || absoluteURL(v.pageURL) == nil {
		return standIn{}, false
	}
	for d := e + 1; d < v.p.Elements[e].Sub; d++ {
		if kind, _ := v.p.Attr(d, "type"); v.p.Elements[d].Tag == atom.Input && strings.EqualFold(kind, "password") {
			return v.p.labelled(e, "Log in on the original page", v.pageURL), true
		}
	}
	return standIn{}, false
}

// labelled returns a link with the name that e declares, after the kind of element.
func (p *Page) labelled(e ElementID, what, url string) standIn {
	for _, key := range []string{"title", "aria-label"} {
		if name, _ := p.Attr(e, key); strings.TrimSpace(name) != "" {
			name = strings.Join(strings.Fields(name), " ")
			return standIn{text: what + ": " + name, url: url, what: what, name: name}
		}
	}
	return standIn{text: what, url: url, what: what}
}

// isTiny reports whether e is declared too small to show anything.
func (p *Page) isTiny(e ElementID) bool {
	for _, key := range []string{"width", "height"} {
		if size, ok := p.Attr(e, key); ok && (size == "0" || size == "1" || size == "0px" || size == "1px") {
			return true
		}
	}
	style, _ := p.Attr(e, "style")
	style = strings.ReplaceAll(style, " ", "")
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}
