package vintage

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
	"github.com/winnow-proxy/winnow/model/page/write/content"
)

// Forms in mode vintage: the controls of HTML 3.2, with which a form does without scripts what it did before.

// isField reports whether elements of this tag are controls of forms.
func isField(tag atom.Atom) bool {
	return tag == atom.Input || tag == atom.Select || tag == atom.Textarea || tag == atom.Button || tag == atom.Datalist
}

// writeForm writes a form. Hidden values come first, wherever they stand: some forms have them in parts that are not
// shown.
func (w *writer) writeForm(form page.ElementID) {
	p := w.view.Page
	if w.form > 0 {
		w.children(form)
		return
	}
	w.target(form)
	action, _ := p.Attr(form, "action")
	if action == "" {
		action = w.view.PageURL
	}
	w.b.WriteString(`<form action="` + w.address(w.view.At.Resolve(action)) + `"`)
	if method, _ := p.Attr(form, "method"); markup.IsOneOf(method, "post") {
		w.b.WriteString(` method="post"`)
		if kind, _ := p.Attr(form, "enctype"); markup.IsOneOf(kind, "multipart/form-data") {
			w.b.WriteString(` enctype="multipart/form-data"`)
		}
	}
	// The origin expects the charset of its own page (HTML 4.01 §17.3).
	w.b.WriteString(` accept-charset="` + escaped(p.Charset) + "\">\n")
	for e := form + 1; e < p.Elements[form].Sub; e++ {
		if kind, _ := p.Attr(e, "type"); p.Elements[e].Tag == atom.Input && markup.IsOneOf(kind, "hidden") && !w.isDisabled(e) {
			w.b.WriteString(`<input type="hidden"` + w.attribute(e, "name") + w.attribute(e, "value") + ">\n")
		}
	}
	w.form++
	w.children(form)
	w.form--
	w.b.WriteString("</form>\n")
}

// control writes a control within a form.
func (w *writer) control(e page.ElementID) {
	if w.form == 0 || w.isDisabled(e) || !content.IsControlShown(w.view.Page, e) {
		return
	}
	w.target(e)
	switch w.view.Page.Elements[e].Tag {
	case atom.Select:
		w.choice(e)
	case atom.Textarea:
		w.b.WriteString("<textarea" + w.attribute(e, "name") + w.number(e, "rows", "4") + w.number(e, "cols", "40") + ">" +
			escaped(markup.ShownText(w.view.Page, e)) + "</textarea>\n")
	case atom.Button:
		w.button(e)
	default:
		w.input(e)
	}
}

func (w *writer) input(e page.ElementID) {
	kind, _ := w.view.Page.Attr(e, "type")
	kind = strings.ToLower(strings.TrimSpace(kind))
	switch kind {
	case "checkbox", "radio":
		kind += `"` + w.attribute(e, "name") + w.attribute(e, "value")
		if _, checked := w.view.Page.Attr(e, "checked"); checked {
			kind += " checked"
		}
		w.b.WriteString(`<input type="` + kind + ">")
		return
	case "submit", "reset":
		w.b.WriteString(`<input type="` + kind + `"` + w.attribute(e, "name") + w.attribute(e, "value") + ">\n")
		return
	case "image":
		w.imageButton(e)
		return
	case "file":
		w.b.WriteString(`<input type="file"` + w.attribute(e, "name") + ">\n")
		return
	case "password":
	default: // what came with HTML 5 is text, as in any browser that does not know it (HTML §4.10.5)
		kind = "text"
	}
	w.b.WriteString(`<input type="` + kind + `"` + w.attribute(e, "name") + w.attribute(e, "value") + w.number(e, "size", "") + w.number(e, "maxlength", "") + ">\n")
}

// imageButton writes a button with a picture, or with its text where the picture can't be shown.
func (w *writer) imageButton(e page.ElementID) {
	src, _ := w.view.Page.Attr(e, "src")
	if src = w.view.At.Resolve(src); src != "" && isVintagePicture(src) {
		w.b.WriteString(`<input type="image"` + w.attribute(e, "name") + ` src="` + w.address(src) + `"` + w.attribute(e, "alt") + ">\n")
		return
	}
	alt, _ := w.view.Page.Attr(e, "alt")
	w.submit("", alt)
}

// button writes a button element as the input that does the same. An input shows the value that it sends, so that the
// text of a button with another value stands beside it.
func (w *writer) button(e page.ElementID) {
	p := w.view.Page
	label := strings.Join(strings.Fields(markup.Label(p, e)), " ")
	if label == "" {
		label, _ = p.Attr(e, "aria-label")
	}
	if kind, _ := p.Attr(e, "type"); markup.IsOneOf(kind, "reset") {
		w.b.WriteString(`<input type="reset" value="` + escaped(label) + "\">\n")
		return
	}
	name, value := w.attribute(e, "name"), ""
	if name != "" {
		value, _ = p.Attr(e, "value")
	}
	if value == "" || value == label {
		w.submit(name, label)
		return
	}
	w.submit(name, value)
	w.text(label + " ")
}

func (w *writer) submit(name, label string) {
	if label != "" {
		label = ` value="` + escaped(label) + `"`
	}
	w.b.WriteString(`<input type="submit"` + name + label + ">\n")
}

// choice writes a select element with its options.
func (w *writer) choice(e page.ElementID) {
	p := w.view.Page
	multiple := ""
	if _, ok := p.Attr(e, "multiple"); ok {
		multiple = " multiple"
	}
	w.b.WriteString("<select" + w.attribute(e, "name") + w.number(e, "size", "") + multiple + ">\n")
	for o := e + 1; o < p.Elements[e].Sub; o++ {
		if p.Elements[o].Tag != atom.Option || w.isDisabled(o) {
			continue
		}
		value := w.attribute(o, "value")
		if v, ok := p.Attr(o, "value"); ok && v == "" {
			value = ` value=""`
		}
		if _, chosen := p.Attr(o, "selected"); chosen {
			value += " selected"
		}
		w.b.WriteString("<option" + value + ">" + escaped(strings.Join(strings.Fields(markup.Label(p, o)), " ")) + "</option>\n")
	}
	w.b.WriteString("</select>\n")
}

// isDisabled reports whether a control is not sent. Browsers of the time would send it.
func (w *writer) isDisabled(e page.ElementID) bool {
	_, disabled := w.view.Page.Attr(e, "disabled")
	return disabled
}

// attribute returns an attribute of e as it stands in a tag, empty where it has none.
func (w *writer) attribute(e page.ElementID, key string) string {
	val, _ := w.view.Page.Attr(e, key)
	if val == "" {
		return ""
	}
	return " " + key + `="` + escaped(val) + `"`
}

// number returns an attribute of e that is a small number; fallback where it has none.
func (w *writer) number(e page.ElementID, key, fallback string) string {
	const most = 1000
	val, _ := w.view.Page.Attr(e, key)
	if n, err := strconv.Atoi(val); err == nil && n > 0 && n <= most {
		fallback = strconv.Itoa(n)
	}
	if fallback == "" {
		return ""
	}
	return " " + key + `="` + fallback + `"`
}
