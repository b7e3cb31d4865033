package content

import (
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/address"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// standIn is the link by which plain output replaces what it can't show.
type standIn struct {
	Text, Url string
	// What is the text without the name that the element declares, which people do not see.
	What, Name string
}

// standInOf returns the link for a film, a sound, a frame or a login form. ok is false for other elements, and for
// frames that show nothing.
func (v *View) standInOf(e page.ElementID) (s standIn, ok bool) {
	p := v.Page
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
		if cite, _ := p.Attr(e, "cite"); markup.HasClass(p, e, "tiktok-embed") && address.Absolute(v.At.Resolve(cite)) != nil {
			return labelled(p, e, "Video on TikTok", v.At.Resolve(cite)), true
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

func (v *View) media(e page.ElementID, what string) (standIn, bool) {
	src, _ := v.Page.Attr(e, "src")
	for d := e + 1; d < min(v.Page.Elements[e].Sub, e+address.MaxSources) && src == ""; d++ {
		if v.Page.Elements[d].Tag == atom.Source {
			src, _ = v.Page.Attr(d, "src")
		}
	}
	u := v.At.Resolve(src)
	return labelled(v.Page, e, what, u), u != ""
}

func (v *View) frame(e page.ElementID, src string) (standIn, bool) {
	u := address.Absolute(v.At.Resolve(src))
	if u == nil || isTiny(v.Page, e) {
		return standIn{}, false
	}
	what, link := embedded(u)
	return labelled(v.Page, e, what, link), true
}

// player returns a link to the film of an element that a script makes a player of.
func (v *View) player(e page.ElementID) (standIn, bool) {
	switch v.Page.Elements[e].Name {
	case "lite-youtube", "amp-youtube", "youtube-video":
		for _, key := range []string{"videoid", "data-videoid", "video-id"} {
			if id, _ := v.Page.Attr(e, key); isFilm(id) {
				return labelled(v.Page, e, youtube, youtubeFilm+id), true
			}
		}
	case "lite-vimeo", "amp-vimeo":
		for _, key := range []string{"videoid", "data-videoid"} {
			if id, _ := v.Page.Attr(e, key); isFilm(id) {
				return labelled(v.Page, e, "Video on Vimeo", "https://vimeo.com/"+id), true
			}
		}
	}
	return standIn{}, false
}

// login returns a link to the page itself for a form that asks for a password.
func (v *View) login(e page.ElementID) (standIn, bool) {
	if v.forms || address.Absolute(v.PageURL) == nil {
		return standIn{}, false
	}
	for d := e + 1; d < v.Page.Elements[e].Sub; d++ {
		if kind, _ := v.Page.Attr(d, "type"); v.Page.Elements[d].Tag == atom.Input && strings.EqualFold(kind, "password") {
			return labelled(v.Page, e, "Log in on the original page", v.PageURL), true
		}
	}
	return standIn{}, false
}

// labelled returns a link with the name that e declares, after the kind of element.
func labelled(p *page.Page, e page.ElementID, what, url string) standIn {
	for _, key := range []string{"title", "aria-label"} {
		if name, _ := p.Attr(e, key); strings.TrimSpace(name) != "" {
			name = strings.Join(strings.Fields(name), " ")
			return standIn{Text: what + ": " + name, Url: url, What: what, Name: name}
		}
	}
	return standIn{Text: what, Url: url, What: what}
}

// isTiny reports whether e is declared too small to show anything.
func isTiny(p *page.Page, e page.ElementID) bool {
	for _, key := range []string{"width", "height"} {
		if size, ok := p.Attr(e, key); ok && (size == "0" || size == "1" || size == "0px" || size == "1px") {
			return true
		}
	}
	style, _ := p.Attr(e, "style")
	style = strings.ReplaceAll(style, " ", "")
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}
