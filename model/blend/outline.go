package blend

import (
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// outline is a view that quickly tells what else than text an element holds, however deep the page is nested.
type outline struct {
	*view
	// images, films, controls and sharers count what comes before an element: pictures that are not icons, films and
	// sounds, controls, and links that share the page on a social network.
	images, films, controls, sharers []int32
	// declaration is what the page declares about itself, nil until it is needed: see declared.
	declaration *declaration
}

func newOutline(v *view) *outline {
	n := len(v.elems) + 1
	o := &outline{view: v, images: make([]int32, n), films: make([]int32, n), controls: make([]int32, n), sharers: make([]int32, n)}
	for i := range v.elems {
		e := page.ElementID(i)
		for _, c := range [...]struct {
			counts []int32
			is     bool
		}{{o.images, v.isImage(e)}, {o.films, v.isFilm(e)}, {o.controls, v.isControl(e)}, {o.sharers, v.isShareLink(e)}} {
			c.counts[i+1] = c.counts[i]
			if c.is {
				c.counts[i+1]++
			}
		}
	}
	return o
}

// among returns how many of the counted things e is or holds.
func (o *outline) among(counts []int32, e page.ElementID) int {
	return int(counts[o.p.Elements[e].Sub] - counts[e])
}

func (o *outline) holdsImage(e page.ElementID) bool    { return o.among(o.images, e) > 0 }
func (o *outline) holdsFilm(e page.ElementID) bool     { return o.among(o.films, e) > 0 }
func (o *outline) holdsControls(e page.ElementID) bool { return o.among(o.controls, e) > 0 }

// isImage reports whether e is a picture and not an icon.
func (v *view) isImage(e page.ElementID) bool {
	switch v.p.Elements[e].Tag {
	case atom.Img:
		return !v.isIcon(e)
	case atom.Figure, atom.Picture, atom.Canvas, atom.Math:
		return true
	}
	return false
}

func (v *view) isFilm(e page.ElementID) bool {
	switch v.p.Elements[e].Tag {
	case atom.Video, atom.Audio, atom.Object, atom.Embed, atom.Iframe:
		return true
	}
	return false
}

func (v *view) isControl(e page.ElementID) bool {
	switch v.p.Elements[e].Tag {
	case atom.Form, atom.Input, atom.Select, atom.Textarea, atom.Button:
		return true
	}
	return false
}

func (v *view) isShareLink(e page.ElementID) bool {
	l := v.linkOf(e)
	return l != nil && l.sharer
}
