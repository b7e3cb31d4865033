package parts

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
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

// MainForm returns the form that is the purpose of the page, or None. share gives the share of other pages that have
// the same element.
func (v *Outline) MainForm(verdicts []page.Verdict, share func(page.ElementID) float32) page.ElementID {
	best := formView{e: page.None}
	forms := forms(v.Page)
	if len(forms) > manyForms {
		return page.None
	}
	for _, f := range forms {
		if f.fields == 0 || !v.isPurpose(f, verdicts) || inTemplate(v.Page, f.e) || f.isTemplate(share(f.e)) {
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
func forms(v *view.Page) []formView {
	var forms []formView
	passwords := 0
	for e := range v.Doc.Elements {
		id := page.ElementID(e)
		switch {
		case v.Doc.Elements[e].Tag == atom.Form:
			if f := readForm(v, id); isOneForm(v, f) {
				forms = append(forms, f)
			}
		case passwords < manyPasswords && isPassword(v, id):
			if passwords++; inForm(v, id) {
				continue
			}
			if box := boxOf(v, id); box > v.Doc.Body {
				forms = append(forms, readForm(v, box))
			}
		}
	}
	return forms
}

// isOneForm distinguishes a real form from one around the whole page, which a framework adds or nobody has closed.
func isOneForm(v *view.Page, f formView) bool {
	s := v.Elements[f.e].Size
	return s.Words <= int32(30+25*f.fields) && s.Links <= int32(6+2*f.fields)
}

func readForm(v *view.Page, e page.ElementID) formView {
	f := formView{e: e}
	if isHidden(v, e) {
		return f
	}
	for c := e; c < v.Doc.Elements[e].Sub; c++ {
		if isField(v, c) {
			f.fields++
			f.password = f.password || isPassword(v, c)
		}
	}
	return f
}

// isHidden reports whether the element itself is hidden until a script shows it.
func isHidden(v *view.Page, e page.ElementID) bool {
	style, _ := v.Doc.Attr(e, "style")
	_, hidden := v.Doc.Attr(e, "hidden")
	return hidden || strings.Contains(strings.ReplaceAll(style, " ", ""), "display:none")
}

// isField reports whether e is a control to fill in.
func isField(v *view.Page, e page.ElementID) bool {
	switch v.Doc.Elements[e].Tag {
	case atom.Select, atom.Textarea:
		return true
	case atom.Input:
		kind, _ := v.Doc.Attr(e, "type")
		switch strings.ToLower(kind) {
		case "hidden", "submit", "button", "image", "reset":
			return false
		}
		return true
	}
	return false
}

func isPassword(v *view.Page, e page.ElementID) bool {
	kind, _ := v.Doc.Attr(e, "type")
	return v.Doc.Elements[e].Tag == atom.Input && strings.EqualFold(kind, "password")
}

// inForm reports whether e is in a real form.
func inForm(v *view.Page, e page.ElementID) bool {
	for ; e != page.None; e = v.Doc.Elements[e].Parent {
		if v.Doc.Elements[e].Tag == atom.Form {
			return isOneForm(v, readForm(v, e))
		}
	}
	return false
}

// boxWords is the most words of an element that counts as a form without being one.
const boxWords = 150

// boxOf returns the nearest small element around e that also has a button.
func boxOf(v *view.Page, e page.ElementID) page.ElementID {
	for e = v.Doc.Elements[e].Parent; e > v.Doc.Body && v.Elements[e].Words <= boxWords; e = v.Doc.Elements[e].Parent {
		for c := e; c < v.Doc.Elements[e].Sub; c++ {
			kind, _ := v.Doc.Attr(c, "type")
			if v.Doc.Elements[c].Tag == atom.Button || v.Doc.Elements[c].Tag == atom.Input && kind == "submit" {
				return e
			}
		}
	}
	return page.None
}

// isPurpose reports whether there is little else to read on the page. The fewer fields f has, the less that may be.
func (v *Outline) isPurpose(f formView, verdicts []page.Verdict) bool {
	el := &v.Doc.Elements[f.e]
	var beside view.Size
	for i, d := range verdicts {
		if b := page.BlockID(i); !d.Noise && (b < el.BlockStart || b >= el.BlockEnd) {
			beside.Add(v.Blocks[i].Size)
		}
	}
	switch {
	case f.password:
		return beside.Prose < 80 && beside.Words < 160
	case f.fields >= 2 && (beside.Prose >= 40 || beside.Words >= min(80, 2*v.Elements[f.e].Words+20)), f.fields == 1 && beside.Words >= 30:
		return false
	}
	// A product with a form to order it, or a photograph with a form for comments, is another matter.
	return !v.picturesContent(verdicts)
}

// inTemplate reports whether e is in a part that is named as template or as a pop-up, or that takes comments.
func inTemplate(v *view.Page, e page.ElementID) bool {
	for up := e; up > v.Doc.Body; up = v.Doc.Elements[up].Parent {
		if v.Elements[up].Names.Has(vocab.GroupCookie) {
			return true
		}
		switch KindOfElement(v, up) {
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
