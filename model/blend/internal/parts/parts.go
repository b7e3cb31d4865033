// Package parts finds the parts of a page that rules and marks speak of: comments, teasers, facts, details of authors,
// forms, adverts, and the kind of the page.
package parts

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// Outline is a view that quickly tells what else than text an element holds, however deep the page is nested.
type Outline struct {
	*view.Page
	// images, Media, controls and ShareLinks count what comes before an element: pictures that are not icons, films and
	// sounds, controls, and links that share the page on a social network.
	images, Media, controls, ShareLinks []int32
}

// NewOutline counts what the elements of a page hold.
func NewOutline(v *view.Page) *Outline {
	n := len(v.Elements) + 1
	o := &Outline{Page: v, images: v.Ints.Take(n), Media: v.Ints.Take(n), controls: v.Ints.Take(n), ShareLinks: v.Ints.Take(n)}
	for i := range v.Elements {
		e := page.ElementID(i)
		for _, c := range [...]struct {
			counts []int32
			is     bool
		}{{o.images, isImage(v, e)}, {o.Media, isMedia(v, e)}, {o.controls, isControl(v, e)}, {o.ShareLinks, isShareLink(v, e)}} {
			c.counts[i+1] = c.counts[i]
			if c.is {
				c.counts[i+1]++
			}
		}
	}
	return o
}

// Among returns how many of the counted things e is or holds.
func (o *Outline) Among(counts []int32, e page.ElementID) int {
	return int(counts[o.Doc.Elements[e].Sub] - counts[e])
}

func (o *Outline) holdsImage(e page.ElementID) bool { return o.Among(o.images, e) > 0 }

// HoldsMedia reports whether e is or holds a film or a sound.
func (o *Outline) HoldsMedia(e page.ElementID) bool { return o.Among(o.Media, e) > 0 }

// HoldsControls reports whether e is or holds a control.
func (o *Outline) HoldsControls(e page.ElementID) bool { return o.Among(o.controls, e) > 0 }

// isImage reports whether e is a picture and not an icon.
func isImage(v *view.Page, e page.ElementID) bool {
	switch v.Doc.Elements[e].Tag {
	case atom.Img:
		return !isIcon(v, e)
	case atom.Figure, atom.Picture, atom.Canvas, atom.Math:
		return true
	}
	return false
}

func isMedia(v *view.Page, e page.ElementID) bool {
	switch v.Doc.Elements[e].Tag {
	case atom.Video, atom.Audio, atom.Object, atom.Embed, atom.Iframe:
		return true
	}
	return false
}

func isControl(v *view.Page, e page.ElementID) bool {
	switch v.Doc.Elements[e].Tag {
	case atom.Form, atom.Input, atom.Select, atom.Textarea, atom.Button:
		return true
	}
	return false
}

func isShareLink(v *view.Page, e page.ElementID) bool {
	l := v.LinkOf(e)
	return l != nil && l.Shares
}
