package vintage

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/address"
	"github.com/winnow-proxy/winnow/model/page/markup"
	"github.com/winnow-proxy/winnow/model/page/write/content"
)

// writer renders content in the elements of HTML 3.2 (W3C Recommendation of 14 January 1997).
type writer struct {
	view *content.View
	b    content.Builder
	// plain reports whether the client reaches a host's HTTPS over plain HTTP; nil means no host.
	plain func(host string) bool
	// width is how many pixels wide a picture may be shown, 0 for any width.
	width int
	// targets are the names of places that links lead to, without those that have been written.
	targets map[string]bool
	// form counts the forms around what is written: elsewhere, controls do nothing without scripts.
	form int
}

func (w *writer) element(e page.ElementID) {
	v := w.view
	tag := v.Page.Elements[e].Tag
	switch {
	case v.Omitted[e]:
	case !v.Alive[e]:
		w.lifeless(e)
	case markup.IsMath(v.Page, e):
		w.formula(v.FormulaText(e))
	case tag == atom.Script:
		tex, _, _ := markup.ScriptTeX(v.Page, e)
		w.formula(tex)
	case tag == atom.Img:
		w.image(e)
	case tag == atom.Pre:
		w.target(e)
		w.b.WriteString("<pre>" + escaped(v.Listing(e, v.IsEither)) + "</pre>\n")
	case tag == atom.Form:
		w.writeForm(e)
	case tag == atom.Input && v.IsTask(e):
		w.task(e)
	case isField(tag):
		w.control(e)
	case v.StandIns[e].Url != "":
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
func (w *writer) lifeless(e page.ElementID) {
	switch {
	case !page.IsInline(w.view.Page.Elements[e].Tag):
		w.b.Apart()
	case !w.view.Gone.Elements[e]:
		w.target(e)
		w.children(e)
	}
}

func (w *writer) children(e page.ElementID) {
	w.view.Walk(e, w.element, func(t *page.Text) { w.text(content.FoldSpace(t.Data)) })
}

func (w *writer) text(s string) { w.b.WriteString(escaped(s)) }

// around renders the content of e between two texts.
func (w *writer) around(e page.ElementID, open, end string) {
	w.text(open)
	w.children(e)
	w.text(end)
}

// target writes the place that links of the page lead to, if e is one. Browsers before 1998 know no ids.
func (w *writer) target(e page.ElementID) {
	for _, key := range []string{"id", "name"} {
		name, _ := w.view.Page.Attr(e, key)
		if key == "name" && w.view.Page.Elements[e].Tag != atom.A || !w.targets[name] {
			continue
		}
		delete(w.targets, name) // the first of a name counts
		w.b.WriteString(`<a name="` + escaped(name) + `"></a>`)
	}
}

func (w *writer) container(e page.ElementID) {
	v := w.view
	tag, name := v.Page.Elements[e].Tag, vintageName(v.SimpleName(e))
	switch {
	case page.IsVoid(tag):
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
	if !page.IsInline(tag) {
		w.b.WriteByte('\n')
	}
}

// unwrapped renders only the content of e. Texts that were separate must not run together.
func (w *writer) unwrapped(e page.ElementID) {
	inline := page.IsInline(w.view.Page.Elements[e].Tag)
	if !inline {
		w.b.Apart()
	}
	switch w.view.Page.Elements[e].Tag {
	case atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr: // a place may not stand between rows
	default:
		w.target(e)
	}
	w.children(e)
	w.standIn(e)
	if !inline {
		w.b.Apart()
	}
}

// standIn writes the link that replaces e, if there is one.
func (w *writer) standIn(e page.ElementID) {
	if s := w.view.StandIns[e]; s.Url != "" {
		w.b.Apart()
		w.b.WriteString(`<a href="` + w.address(s.Url) + `">` + escaped(s.Text) + "</a> ")
	}
}

func (w *writer) formula(tex string) {
	w.b.WriteString("<code>" + escaped(tex) + "</code>")
}

func (w *writer) task(e page.ElementID) {
	if _, checked := w.view.Page.Attr(e, "checked"); checked {
		w.text("[x]")
	} else {
		w.text("[ ]")
	}
}

// address returns an address that is resolved already, in the form for an attribute: HTTPS at its usual port becomes
// plain HTTP to that port where the client reaches it so.
func (w *writer) address(resolved string) string {
	if u := address.Absolute(resolved); u != nil && u.Scheme == "https" && (u.Port() == "" || u.Port() == "443") && w.plain != nil && w.plain(u.Hostname()) {
		u.Scheme, u.Host = "http", strings.TrimSuffix(u.Host, ":443")+":443"
		resolved = u.String()
	}
	return escaped(asciiAddress(resolved))
}

// attributes writes the attributes of a short list.
func (w *writer) attributes(e page.ElementID, name string) {
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
	for _, a := range w.view.Page.Attrs(e) {
		cell := name == "td" || name == "th"
		switch {
		case name == "a" && a.Key == "href" && !seen["href"]:
			if to := w.address(w.view.At.Resolve(a.Val)); to != "" {
				seen["href"] = true
				w.b.WriteString(` href="` + to + `"`)
			}
		case cell && (a.Key == "colspan" || a.Key == "rowspan"), (name == "ol" && a.Key == "start" || name == "li" && a.Key == "value"):
			if n, err := strconv.Atoi(a.Val); err == nil && (n > 0 && n <= 100 || !cell) {
				put(a.Key, strconv.Itoa(n))
			}
		case cell:
			put("align", content.AlignmentOf(a))
		case name == "ol" && a.Key == "type" && len(a.Val) == 1 && strings.Contains("1aAiI", a.Val):
			put("type", a.Val)
		}
	}
}

// image writes a picture, or its text where no browser of the time could show it.
func (w *writer) image(e page.ElementID) {
	v := w.view
	src := v.At.Resolve(address.OfImage(v.Page, e))
	alt, _ := v.Page.Attr(e, "alt")
	alt = strings.Join(strings.Fields(alt), " ")
	w.target(e)
	if src == "" || !isVintagePicture(src) {
		if alt != "" {
			w.text("[" + alt + "]")
		} else if up := v.Page.Elements[e].Parent; up != page.None && v.Page.Elements[up].Tag == atom.A {
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
func (w *writer) size(e page.ElementID) (width, height int) {
	const most = 10_000 // pixels
	number := func(key string) int {
		val, _ := w.view.Page.Attr(e, key)
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
	return err == nil && !markup.IsOneOf(path.Ext(u.Path), ".svg", ".svgz", ".avif", ".jxl", ".heic", ".heif")
}
