package page

import (
	"html"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// simpleBody returns the content as simple HTML, for reader, JSON and Markdown: a short list of elements and
// attributes, and nothing that runs, styles or loads by itself, except pictures.
func (v *contentView) simpleBody(s simpleStyle) string {
	body, _ := v.simpleParts(s)
	return body
}

// simpleParts is simpleBody, and what people do not see at once, which forPrograms has apart.
func (v *contentView) simpleParts(s simpleStyle) (body string, apart []DocumentFolded) {
	r := simpleWriter{view: v, style: s}
	if len(v.p.Elements) > 0 {
		r.children(max(v.p.Body, 0))
	}
	return strings.TrimSpace(r.b.String()), r.folded
}

// simpleStyle says what simple HTML is for.
type simpleStyle uint8

const (
	// forPrograms has only the content that people see. What unfolds, and what is said of pictures, leaves a place.
	forPrograms simpleStyle = iota
	// forReaders puts tables and listings in a frame that scrolls.
	forReaders
	// forSmall has one size of each picture, which is fetched when the reader scrolls to it.
	forSmall
)

// simpleWriter renders content as simple HTML.
type simpleWriter struct {
	view  *contentView
	b     spacedBuilder
	style simpleStyle
	// folded is what people do not see at once; inFold says that the writer is inside of it.
	folded []DocumentFolded
	inFold bool
	// titles are the titles of admonitions, which are written before their contents.
	titles []ElementID
	// targets are the places that links lead to, made when they are first needed.
	targets map[string]bool
}

func (r *simpleWriter) element(e ElementID) {
	v := r.view
	tag := v.p.Elements[e].Tag
	switch {
	case v.omitted[e]:
	case len(r.titles) > 0 && r.titles[len(r.titles)-1] == e:
		r.titles = r.titles[:len(r.titles)-1]
	case !v.alive[e]:
		r.lifeless(e)
	case r.parts() && v.seen.folds(v.p, e):
		r.fold(e)
	case v.p.isMath(e):
		v.writeMath(&r.b.Builder, e, v.formulaText(e))
	case tag == atom.Script:
		r.tex(e)
	case r.formula(e):
	case r.emoji(e):
	case v.p.isPicture(e):
		if r.style != forPrograms || !v.p.isIcon(e) {
			r.image(e)
		}
	case tag == atom.Input:
		r.task(e)
	case v.p.isListing(e):
		r.listing(e)
	case tag != atom.Form && tag != atom.Blockquote && v.standIns[e].url != "":
		r.standIn(e)
	case IsVoid(tag):
		if name := v.simpleName(e); name != "" {
			r.b.WriteString("<" + name + ">")
		}
	default:
		r.container(e)
	}
}

// lifeless renders an element without content: it separates its neighbours, or is the space between them.
func (r *simpleWriter) lifeless(e ElementID) {
	switch {
	case !IsInline(r.view.p.Elements[e].Tag) && !r.view.p.isFormulaBox(e):
		r.b.apart()
	case !r.view.gone.elements[e]:
		r.place(e)
		r.children(e)
	}
}

// place writes the place of an element that links lead to, and that is not written itself.
func (r *simpleWriter) place(e ElementID) {
	if id, _ := r.view.p.Attr(e, "id"); r.parts() && id != "" && r.isTarget(e) {
		r.b.WriteString(`<a id="` + html.EscapeString(id) + `"></a>`)
	} else if name, _ := r.view.p.Attr(e, "name"); r.parts() && name != "" && r.view.p.Elements[e].Tag == atom.A && r.isTarget(e) {
		r.b.WriteString(`<a id="` + html.EscapeString(name) + `"></a>`)
	}
}

func (r *simpleWriter) container(e ElementID) {
	v := r.view
	tag, name := v.p.Elements[e].Tag, v.simpleName(e)
	frame := r.style == forReaders && name == "table"
	if note := v.p.admonitionOf(e); note != "" && !v.layout[e] {
		r.admonition(e, note)
		defer r.b.WriteString("</blockquote>\n")
	}
	if name == "" {
		r.unwrapped(e)
		return
	}
	if frame {
		r.b.WriteString(`<div class="wide" role="region" aria-label="Table" tabindex="0">`)
	}
	r.b.WriteString("<" + name)
	r.attributes(e, name)
	r.b.WriteByte('>')
	if note := v.p.noteRefOf(e); note != "" && r.parts() {
		r.b.WriteString(`<a href="#` + html.EscapeString(note) + `">`)
		r.children(e)
		r.b.WriteString("</a>")
	} else {
		r.children(e)
	}
	switch tag {
	case atom.Form:
		r.standIn(e)
	case atom.Blockquote:
		if v.standIns[e].url != "" {
			r.b.WriteString("<p>")
			r.standIn(e)
			r.b.WriteString("</p>")
		}
	}
	r.b.WriteString("</" + name + ">")
	if frame {
		r.b.WriteString("</div>")
	}
	if !IsInline(tag) {
		r.b.WriteByte('\n')
	}
}

// unwrapped renders only the content of e. Texts that were separate must not run together.
func (r *simpleWriter) unwrapped(e ElementID) {
	inline := IsInline(r.view.p.Elements[e].Tag) || r.view.p.isFormulaBox(e)
	if !inline {
		r.b.apart()
	}
	r.place(e)
	if note := r.view.p.isInlineNote(e); note && r.parts() {
		r.b.WriteString(`<small class="note">`)
		defer r.b.WriteString("</small>")
	}
	r.children(e)
	r.standIn(e)
	if !inline {
		r.b.apart()
	}
}

func (r *simpleWriter) children(e ElementID) {
	r.view.walk(e, r.element, func(t *Text) {
		if text := html.EscapeString(foldSpace(t.Data)); r.parts() && r.view.isFolded(t) && !isBlank(t.Data) {
			r.put(DocumentFolded{Kind: foldedText, Text: strings.TrimSpace(foldSpace(t.Data)), HTML: text})
		} else {
			r.b.WriteString(text)
		}
	})
}

// standIn writes the link that replaces e, if there is one.
func (r *simpleWriter) standIn(e ElementID) {
	if s := r.view.standIns[e]; s.url != "" {
		r.b.apart()
		text := s.text
		if r.parts() && s.name != "" {
			text = s.what
			r.folded = append(r.folded, DocumentFolded{Kind: foldedAlt, Text: s.name, URL: s.url})
		}
		r.b.WriteString(`<a href="` + html.EscapeString(s.url) + `">` + html.EscapeString(text) + "</a> ")
	}
}

// tex writes a formula that a script of MathJax holds.
func (r *simpleWriter) tex(e ElementID) {
	tex, display, _ := r.view.p.scriptTeX(e)
	if r.parts() && isProse(tex) {
		r.put(DocumentFolded{Kind: foldedText, Text: tex, HTML: html.EscapeString(tex)})
		return
	}
	r.code(formula{tex, display})
}

// code writes a formula as TeX.
func (r *simpleWriter) code(f formula) {
	class := "math"
	if f.display {
		class = "math-display"
	}
	r.b.WriteString(`<code class="` + class + `">` + html.EscapeString(f.tex) + "</code>")
}

// task writes the box of a task.
func (r *simpleWriter) task(e ElementID) {
	checked := ""
	if _, ok := r.view.p.Attr(e, "checked"); ok {
		checked = " checked"
	}
	if r.style != forPrograms {
		checked += ` aria-label="Task"`
	}
	r.b.WriteString(`<input type="checkbox" disabled` + checked + "> ")
}

// listing writes a pre element with only its text, because highlighting means nothing without colours.
func (r *simpleWriter) listing(e ElementID) {
	wanted := r.view.isEither
	if r.parts() {
		wanted = r.view.isSeen
	}
	text, focus := html.EscapeString(r.view.listing(e, wanted)), ""
	if r.style == forReaders {
		focus = ` tabindex="0"`
	}
	open, end := "", ""
	if lang := r.view.p.languageOf(e); lang != "" {
		open, end = `<code class="language-`+html.EscapeString(lang)+`">`, "</code>"
	} else if strings.HasPrefix(text, "\n") {
		text = "\n" + text // the parser drops the first line feed
	}
	id := ""
	if v, _ := r.view.p.Attr(e, "id"); v != "" {
		id = ` id="` + html.EscapeString(v) + `"`
	}
	if r.parts() && !r.isTarget(e) {
		id = ""
	}
	r.b.WriteString("<pre" + id + focus + ">" + open + text + end + "</pre>\n")
	if folded := strings.TrimSpace(r.view.listing(e, r.view.isFolded)); r.parts() && folded != "" {
		r.put(DocumentFolded{Kind: foldedText, Text: folded, HTML: "<pre>" + html.EscapeString(folded) + "</pre>"})
	}
}

// attributes writes the attributes of a short list.
func (r *simpleWriter) attributes(e ElementID, name string) {
	seen := map[string]bool{}
	for _, a := range r.view.p.Attrs(e) {
		if key, val, ok := r.attribute(name, a); ok && !seen[key] && r.says(e, key, val) {
			seen[key] = true
			r.b.WriteString(" " + key)
			if val != "" || key == "href" {
				r.b.WriteString(`="` + html.EscapeString(val) + `"`)
			}
		}
	}
}

// attribute returns an attribute in the form for simple HTML.
func (r *simpleWriter) attribute(name string, a Attr) (key, val string, ok bool) {
	in := func(names ...string) bool { return slices.Contains(names, name) }
	switch a.Key {
	case "title", "lang", "dir", "id":
		return a.Key, a.Val, a.Val != ""
	case "name": // the target of links within old pages
		return "id", a.Val, in("a") && a.Val != ""
	case "colspan", "rowspan":
		return a.Key, a.Val, in("td", "th") && a.Val != ""
	case "scope":
		return a.Key, a.Val, in("th") && a.Val != ""
	case "align", "style", "class":
		align := alignmentOf(a)
		return "align", align, in("td", "th") && align != ""
	case "start":
		return a.Key, a.Val, in("ol") && isInteger(a.Val)
	case "value":
		return a.Key, a.Val, in("li") && isInteger(a.Val)
	case "type":
		return a.Key, a.Val, in("ol") && len(a.Val) == 1
	case "reversed":
		return a.Key, "", in("ol")
	case "open":
		return a.Key, "", in("details")
	case "datetime":
		return a.Key, a.Val, in("time", "ins", "del") && a.Val != ""
	case "href":
		val = r.view.at.resolve(a.Val)
		return a.Key, val, in("a") && val != ""
	}
	return "", "", false
}

func (r *simpleWriter) image(e ElementID) {
	v := r.view
	r.b.WriteString(`<img src="` + html.EscapeString(v.at.resolve(v.p.imageURL(e))) + `"`)
	for _, key := range []string{"srcset", "data-srcset"} {
		if r.style == forSmall {
			r.b.WriteString(` loading="lazy"`)
			break
		}
		set, _ := v.p.Attr(e, key)
		if set = v.at.resolveSet(set); set != "" {
			r.b.WriteString(` srcset="` + html.EscapeString(set) + `"`)
			break
		}
	}
	for _, key := range []string{"sizes", "width", "height", "title"} {
		if val, ok := v.p.Attr(e, key); ok && val != "" && (key != "sizes" || r.style != forSmall) && r.says(e, key, val) {
			r.b.WriteString(" " + key + `="` + html.EscapeString(val) + `"`)
		}
	}
	alt, _ := v.p.Attr(e, "alt")
	if alt = strings.TrimSpace(alt); r.parts() && alt != "" {
		r.b.WriteString(altPlace(len(r.folded)) + ">")
		r.folded = append(r.folded, DocumentFolded{Kind: foldedAlt, Text: alt, URL: v.at.resolve(v.p.imageURL(e))})
		return
	}
	r.b.WriteString(` alt="` + html.EscapeString(alt) + `">`)
}

// formula writes what formulaOf finds, and reports whether there is something. People see pictures, and what a page has
// drawn.
func (r *simpleWriter) formula(e ElementID) bool {
	f, ok := r.view.p.formulaOf(e)
	if !ok || r.style != forPrograms && (r.view.p.Elements[e].Tag == atom.Img || r.view.p.Elements[e].BlockEnd > r.view.p.Elements[e].BlockStart) {
		return false
	}
	r.code(f)
	return true
}

// admonition writes the start of an admonition with its title, which is not written again.
func (r *simpleWriter) admonition(e ElementID, kind string) {
	r.b.WriteString(`<blockquote class="` + kind + `">`)
	title := r.view.admonitionTitle(e)
	if title == None || r.style != forPrograms && r.view.p.Elements[title].Tag == atom.Summary {
		return
	}
	text := strings.Join(strings.Fields(r.view.listing(title, r.view.isSeen)), " ")
	r.b.WriteString(`<p class="title">` + html.EscapeString(text) + "</p>\n")
	r.titles = append(r.titles, title)
}
