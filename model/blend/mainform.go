package blend

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// A form is the purpose of a page with little else to read: a login, a checkout, the start of a search. All its fields,
// labels and buttons must stay, or nobody can use it.

// formRate is the share of other pages from which on a form counts as template. A login that many links lead to is
// learned many times.
const (
	formRate  = .3
	loginRate = .6
)

// formView is what is known about one form.
type formView struct {
	e page.ElementID
	// fields is the number of controls that its reader fills in.
	fields   int
	password bool
}

// manyForms is the number of forms from which on none is the page's purpose: a list with a button in each entry.
const manyForms = 16

// mainForm returns the form that is the purpose of the page, or None. share gives the share of other pages that have
// the same element.
func (v *outline) mainForm(verdicts []page.Verdict, share func(page.ElementID) float32) page.ElementID {
	best := formView{e: page.None}
	forms := v.forms()
	if len(forms) > manyForms {
		return page.None
	}
	for _, f := range forms {
		if f.fields == 0 || !v.isPurpose(f, verdicts) || v.inTemplate(f.e) || f.isTemplate(share(f.e)) {
			continue
		}
		if best.e == page.None || f.password && !best.password || f.password == best.password && f.fields > best.fields {
			best = f
		}
	}
	return best.e
}

// manyPasswords is the number of password fields that are examined outside of forms: a page has one or two.
const manyPasswords = 8

// forms returns the forms of the page, and the elements around passwords that are not in a form.
func (v *view) forms() []formView {
	var forms []formView
	passwords := 0
	for e := range v.p.Elements {
		id := page.ElementID(e)
		switch {
		case v.p.Elements[e].Tag == atom.Form:
			if f := v.readForm(id); v.isOneForm(f) {
				forms = append(forms, f)
			}
		case passwords < manyPasswords && v.isPassword(id):
			if passwords++; v.inForm(id) {
				continue
			}
			if box := v.boxOf(id); box > v.p.Body {
				forms = append(forms, v.readForm(box))
			}
		}
	}
	return forms
}

// isOneForm distinguishes a real form from one around the whole page, which a framework adds or nobody has closed.
func (v *view) isOneForm(f formView) bool {
	s := v.elems[f.e].size
	return s.words <= int32(30+25*f.fields) && s.links <= int32(6+2*f.fields)
}

func (v *view) readForm(e page.ElementID) formView {
	f := formView{e: e}
	if v.isHidden(e) {
		return f
	}
	for c := e; c < v.p.Elements[e].Sub; c++ {
		if v.isField(c) {
			f.fields++
			f.password = f.password || v.isPassword(c)
		}
	}
	return f
}

// isHidden reports whether the element itself is hidden until a script shows it.
func (v *view) isHidden(e page.ElementID) bool {
	style, _ := v.p.Attr(e, "style")
	_, hidden := v.p.Attr(e, "hidden")
	return hidden || strings.Contains(strings.ReplaceAll(style, " ", ""), "display:none")
}

// isField reports whether e is a control to fill in.
func (v *view) isField(e page.ElementID) bool {
	switch v.p.Elements[e].Tag {
	case atom.Select, atom.Textarea:
		return true
	case atom.Input:
		kind, _ := v.p.Attr(e, "type")
		switch strings.ToLower(kind) {
		case "hidden", "submit", "button", "image", "reset":
			return false
		}
		return true
	}
	return false
}

func (v *view) isPassword(e page.ElementID) bool {
	kind, _ := v.p.Attr(e, "type")
	return v.p.Elements[e].Tag == atom.Input && strings.EqualFold(kind, "password")
}

// inForm reports whether e is in a real form.
func (v *view) inForm(e page.ElementID) bool {
	for ; e != page.None; e = v.p.Elements[e].Parent {
		if v.p.Elements[e].Tag == atom.Form {
			return v.isOneForm(v.readForm(e))
		}
	}
	return false
}

// boxWords is the most words of an element that counts as a form without being one.
const boxWords = 150

// boxOf returns the nearest small element around e that also has a button.
func (v *view) boxOf(e page.ElementID) page.ElementID {
	for e = v.p.Elements[e].Parent; e > v.p.Body && v.elems[e].words <= boxWords; e = v.p.Elements[e].Parent {
		for c := e; c < v.p.Elements[e].Sub; c++ {
			kind, _ := v.p.Attr(c, "type")
			if v.p.Elements[c].Tag == atom.Button || v.p.Elements[c].Tag == atom.Input && kind == "submit" {
				return e
			}
		}
	}
	return page.None
}

// isPurpose reports whether there is little else to read on the page. The fewer fields f has, the less that may be.
func (v *outline) isPurpose(f formView, verdicts []page.Verdict) bool {
	el := &v.p.Elements[f.e]
	var beside size
	for i, d := range verdicts {
		if b := page.BlockID(i); !d.Noise && (b < el.BlockStart || b >= el.BlockEnd) {
			beside.add(v.blocks[i].size)
		}
	}
	switch {
	case f.password:
		return beside.prose < 80 && beside.words < 160
	case f.fields >= 2 && (beside.prose >= 40 || beside.words >= min(80, 2*v.elems[f.e].words+20)), f.fields == 1 && beside.words >= 30:
		return false
	}
	// A product with a form to order it, or a photograph with a form for comments, is another matter.
	return !v.picturesContent(verdicts)
}

// inTemplate reports whether e is in a part that is named as template or as a pop-up, or that takes comments.
func (v *view) inTemplate(e page.ElementID) bool {
	for up := e; up > v.p.Body; up = v.p.Elements[up].Parent {
		if v.elems[up].names.has(groupCookie) {
			return true
		}
		switch v.kindOfElement(up) {
		case page.KindHeader, page.KindFooter, page.KindSidebar, page.KindNav:
			if up != e {
				return true
			}
		case page.KindCommentsForm, page.KindCookie, page.KindAd:
			return true
		}
	}
	return false
}

// isTemplate reports whether so many other pages have the same form that it is template.
func (f *formView) isTemplate(share float32) bool {
	if f.password {
		return share >= loginRate
	}
	return share >= formRate
}
