package page

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

// vintageWriter renders content in the elements of HTML 3.2 (W3C Recommendation of 14 January 1997).
type vintageWriter struct {
	view *contentView
	b    spacedBuilder
	// plain reports whether the client reaches a host's HTTPS over plain HTTP; nil means no host.
	plain func(host string) bool
	// width is how many pixels wide a picture may be shown, 0 for any width.
	width int
	// targets are the names of places that links lead to, without those that have been written.
	targets map[string]bool
	// form counts the forms around what is written: elsewhere, controls do nothing without scripts.
	form int
}

func (w *vintageWriter) element(e ElementID) {
	v := w.view
	tag := v.p.Elements[e].Tag
	switch {
	case v.omitted[e]:
	case !v.alive[e]:
		w.lifeless(e)
	case v.p.isMath(e):
		w.formula(v.formulaText(e))
	case tag == atom.Script:
		tex, _, _ := v.p.scriptTeX(e)
		w.formula(tex)
	case tag == atom.Img:
		w.image(e)
	case tag == atom.Pre:
		w.target(e)
		w.b.WriteString("<pre>" + escaped(v.listing(e, v.isEither)) + "</pre>\n")
	case tag == atom.Form:
		w.writeForm(e)
	case tag == atom.Input && v.isTask(e):
		w.task(e)
	case isField(tag):
		w.control(e)
	case v.standIns[e].url != "":
		w.standIn(e)
	case tag == atom.Q:
		w.around(e, `"`, `"`)
	case tag == atom.Rt:
		w.around(e, " (", ")")
	case tag == atom.Rp:
	default:
		w.container(e)
	}
}

// lifeless renders an element without content: it separates its neighbours, or is the space between them.
func (w *vintageWriter) lifeless(e ElementID) {
	switch {
	case !IsInline(w.view.p.Elements[e].Tag):
		w.b.apart()
	case !w.view.gone.elements[e]:
		w.target(e)
		w.children(e)
	}
}

func (w *vintageWriter) children(e ElementID) {
	w.view.walk(e, w.element, func(t *Text) { w.text(foldSpace(t.Data)) })
}

func (w *vintageWriter) text(s string) { w.b.WriteString(escaped(s)) }

// around renders the content of e between two texts.
func (w *vintageWriter) around(e ElementID, open, end string) {
	w.text(open)
	w.children(e)
	w.text(end)
}

// target writes the place that links of the page lead to, if e is one. Browsers before 1998 know no ids.
func (w *vintageWriter) target(e ElementID) {
	for _, key := range []string{"id", "name"} {
		name, _ := w.view.p.Attr(e, key)
		if key == "name" && w.view.p.Elements[e].Tag != atom.A || !w.targets[name] {
			continue
		}
		delete(w.targets, name) // the first of a name counts
		w.b.WriteString(`<a name="` + escaped(name) + `"></a>`)
	}
}

func (w *vintageWriter) container(e ElementID) {
	v := w.view
	tag, name := v.p.Elements[e].Tag, vintageName(v.simpleName(e))
	switch {
	case IsVoid(tag):
		if name != "" {
			w.b.WriteString("<" + name + ">")
		}
		return
	case name == "":
		w.unwrapped(e)
		return
	}
	inside := name == "td" || name == "th" || name == "li" || name == "dt" || name == "dd" || name == "caption"
	if !inside && name != "tr" { // the place may not stand between rows
		w.target(e)
	}
	w.b.WriteString("<" + name)
	w.attributes(e, name)
	w.b.WriteByte('>')
	if inside {
		w.target(e)
	}
	if tag == atom.Summary || tag == atom.Figcaption {
		w.b.WriteString("<b>")
		w.children(e)
		w.b.WriteString("</b></" + name + ">\n")
		return
	}
	w.children(e)
	w.b.WriteString("</" + name + ">")
	if !IsInline(tag) {
		w.b.WriteByte('\n')
	}
}

// unwrapped renders only the content of e. Texts that were separate must not run together.
func (w *vintageWriter) unwrapped(e ElementID) {
	inline := IsInline(w.view.p.Elements[e].Tag)
	if !inline {
		w.b.apart()
	}
	switch w.view.p.Elements[e].Tag {
	case atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr: // a place may not stand between rows
	default:
		w.target(e)
	}
	w.children(e)
	w.standIn(e)
	if !inline {
		w.b.apart()
	}
}

// standIn writes the link that replaces e, if there is one.
func (w *vintageWriter) standIn(e ElementID) {
	if s := w.view.standIns[e]; s.url != "" {
		w.b.apart()
		w.b.WriteString(`<a href="` + w.address(s.url) + `">` + escaped(s.text) + "</a> ")
	}
}

func (w *vintageWriter) formula(tex string) {
	w.b.WriteString("<code>" + escaped(tex) + "</code>")
}

func (w *vintageWriter) task(e ElementID) {
	if _, checked := w.view.p.Attr(e, "checked"); checked {
		w.text("[x]")
	} else {
		w.text("[ ]")
	}
}

// address returns an address that is resolved already, in the form for an attribute: HTTPS at its usual port becomes
// plain HTTP to that port where the client reaches it so.
func (w *vintageWriter) address(resolved string) string {
	if u := absoluteURL(resolved); u != nil && u.Scheme == "https" && (u.Port() == "" || u.Port() == "443") && w.plain != nil && w.plain(u.Hostname()) {
		u.Scheme, u.Host = "http", strings.TrimSuffix(u.Host, ":443")+":443"
		resolved = u.String()
	}
	return escaped(asciiAddress(resolved))
}

// attributes writes the attributes of a short list.
func (w *vintageWriter) attributes(e ElementID, name string) {
	seen := map[string]bool{}
	put := func(key, val string) {
		if val != "" && !seen[key] {
			seen[key] = true
			w.b.WriteString(" " + key + `="` + escaped(val) + `"`)
		}
	}
	if name == "table" {
		put("border", "1")
	}
	for _, a := range w.view.p.Attrs(e) {
		cell := name == "td" || name == "th"
		switch {
		case name == "a" && a.Key == "href" && !seen["href"]:
			if to := w.address(w.view.at.resolve(a.Val)); to != "" {
				seen["href"] = true
				w.b.WriteString(` href="` + to + `"`)
			}
		case cell && (a.Key == "colspan" || a.Key == "rowspan"), (name == "ol" && a.Key == "start" || name == "li" && a.Key == "value"):
			if n, err := strconv.Atoi(a.Val); err == nil && (n > 0 && n <= 100 || !cell) {
				put(a.Key, strconv.Itoa(n))
			}
		case cell:
			put("align", alignmentOf(a))
		case name == "ol" && a.Key == "type" && len(a.Val) == 1 && strings.Contains("1aAiI", a.Val):
			put("type", a.Val)
		}
	}
}

// image writes a picture, or its text where no browser of the time could show it.
func (w *vintageWriter) image(e ElementID) {
	v := w.view
	src := v.at.resolve(v.p.imageURL(e))
	alt, _ := v.p.Attr(e, "alt")
	alt = strings.Join(strings.Fields(alt), " ")
	w.target(e)
	if src == "" || !isVintagePicture(src) {
		if alt != "" {
			w.text("[" + alt + "]")
		} else if up := v.p.Elements[e].Parent; up != None && v.p.Elements[up].Tag == atom.A {
			w.text("[picture]") // a link needs something to select
		}
		return
	}
	w.b.WriteString(`<img src="` + w.address(src) + `"`)
	width, height := w.size(e)
	if width > 0 && height > 0 {
		w.b.WriteString(` width="` + strconv.Itoa(width) + `" height="` + strconv.Itoa(height) + `"`)
	}
	w.b.WriteString(` alt="` + escaped(alt) + `">`)
}

// size returns the declared size of a picture, in proportion where it is wider than it may be shown; 0 where it
// declares none.
func (w *vintageWriter) size(e ElementID) (width, height int) {
	const most = 10_000 // pixels
	number := func(key string) int {
		val, _ := w.view.p.Attr(e, key)
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(val), "px"))
		if err != nil || n < 1 || n > most {
			return 0
		}
		return n
	}
	width, height = number("width"), number("height")
	if w.width > 0 && width > w.width {
		return w.width, height * w.width / width
	}
	return width, height
}

// isVintagePicture reports whether the picture at an address may be one that browsers of the time show, or that becomes
// one on its way: all but those whose names say that they are not.
func isVintagePicture(address string) bool {
	u, err := url.Parse(address)
	return err == nil && !isOneOf(path.Ext(u.Path), ".svg", ".svgz", ".avif", ".jxl", ".heic", ".heif")
}
