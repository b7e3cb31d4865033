// Package simple writes content as simple HTML: a short list of elements and attributes, and nothing that runs or
// styles. Reader shows it, Markdown is converted from it, and JSON has it.
package simple

import (
	"html"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/address"
	"github.com/winnow-proxy/winnow/model/page/markup"
	"github.com/winnow-proxy/winnow/model/page/write/content"
)

// Body returns the content as simple HTML, for reader, JSON and Markdown: a short list of elements and
// attributes, and nothing that runs, styles or loads by itself, except pictures.
func Body(v *content.View, s Style) string {
	body, _ := Parts(v, s)
	return body
}

// Parts is [Body], and what people do not see at once, which [ForPrograms] has apart.
func Parts(v *content.View, s Style) (body string, apart []Folded) {
	r := writer{view: v, style: s}
	if s == ForReaders {
		r.posts = postsOf(v)
	}
	if len(v.Page.Elements) > 0 {
		r.children(max(v.Page.Body, 0))
	}
	return strings.TrimSpace(r.b.String()), r.folded
}

// Style says what simple HTML is for.
type Style uint8

const (
	// ForPrograms has only the content that people see. What unfolds, and what is said of pictures, leaves a place.
	ForPrograms Style = iota
	// ForReaders puts tables and listings in a frame that scrolls.
	ForReaders
	// ForSmall has one size of each picture, which is fetched when the reader scrolls to it.
	ForSmall
)

// writer renders content as simple HTML.
type writer struct {
	view  *content.View
	b     content.Builder
	style Style
	// folded is what people do not see at once; inFold says that the writer is inside of it.
	folded []Folded
	inFold bool
	// titles are the titles of admonitions, which are written before their contents.
	titles []page.ElementID
	// posts are the boxes of a thread's posts.
	posts map[page.ElementID]bool
	// targets are the places that links lead to, made when they are first needed.
	targets map[string]bool
}

func (r *writer) element(e page.ElementID) {
	v := r.view
	tag := v.Page.Elements[e].Tag
	switch {
	case v.Omitted[e]:
	case len(r.titles) > 0 && r.titles[len(r.titles)-1] == e:
		r.titles = r.titles[:len(r.titles)-1]
	case !v.Alive[e]:
		r.lifeless(e)
	case r.apart() && v.Seen.Folds(v.Page, e):
		r.fold(e)
	case markup.IsMath(v.Page, e):
		v.WriteMath(&r.b.Builder, e, v.FormulaText(e))
	case tag == atom.Script:
		r.tex(e)
	case r.formula(e):
	case r.emoji(e):
	case content.IsPicture(v.Page, e):
		if r.style != ForPrograms || !content.IsIcon(v.Page, e) {
			r.image(e)
		}
	case tag == atom.Input:
		r.task(e)
	case markup.IsListing(v.Page, e):
		r.listing(e)
	case tag != atom.Form && tag != atom.Blockquote && v.StandIns[e].Url != "":
		r.standIn(e)
	case page.IsVoid(tag):
		if name := v.SimpleName(e); name != "" {
			r.b.WriteString("<" + name + ">")
		}
	default:
		r.container(e)
	}
}

// lifeless renders an element without content: it separates its neighbours, or is the space between them.
func (r *writer) lifeless(e page.ElementID) {
	switch {
	case !page.IsInline(r.view.Page.Elements[e].Tag) && !markup.IsFormulaBox(r.view.Page, e):
		r.b.Apart()
	case !r.view.Gone.Elements[e]:
		r.place(e)
		r.children(e)
	}
}

// place writes the place of an element that links lead to, and that is not written itself.
func (r *writer) place(e page.ElementID) {
	if id, _ := r.view.Page.Attr(e, "id"); r.apart() && id != "" && r.isTarget(e) {
		r.b.WriteString(`<a id="` + html.EscapeString(id) + `"></a>`)
	} else if name, _ := r.view.Page.Attr(e, "name"); r.apart() && name != "" && r.view.Page.Elements[e].Tag == atom.A && r.isTarget(e) {
		r.b.WriteString(`<a id="` + html.EscapeString(name) + `"></a>`)
	}
}

func (r *writer) container(e page.ElementID) {
	v := r.view
	tag, name := v.Page.Elements[e].Tag, v.SimpleName(e)
	frame := r.style == ForReaders && name == "table"
	if note := markup.Admonition(v.Page, e); note != "" && !v.Layout[e] {
		r.admonition(e, note)
		defer r.b.WriteString("</blockquote>\n")
	}
	if r.posts[e] {
		r.b.WriteString("<article>\n")
		defer r.b.WriteString("</article>\n")
	}
	if tag == atom.Time { // styles may have set it apart from what stands beside it
		r.b.Apart()
		defer r.b.Apart()
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
	if note := content.NoteRefOf(v.Page, e); note != "" && r.apart() {
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
		if v.StandIns[e].Url != "" {
			r.b.WriteString("<p>")
			r.standIn(e)
			r.b.WriteString("</p>")
		}
	}
	r.b.WriteString("</" + name + ">")
	if frame {
		r.b.WriteString("</div>")
	}
	if !page.IsInline(tag) {
		r.b.WriteByte('\n')
	}
}

// unwrapped renders only the content of e. Texts that were separate must not run together.
func (r *writer) unwrapped(e page.ElementID) {
	inline := page.IsInline(r.view.Page.Elements[e].Tag) || markup.IsFormulaBox(r.view.Page, e)
	if !inline {
		r.b.Apart()
	}
	r.place(e)
	if note := content.IsInlineNote(r.view.Page, e); note && r.apart() {
		r.b.WriteString(`<small class="note">`)
		defer r.b.WriteString("</small>")
	}
	r.children(e)
	r.standIn(e)
	if !inline {
		r.b.Apart()
	}
}

func (r *writer) children(e page.ElementID) {
	r.view.Walk(e, r.element, func(t *page.Text) {
		if text := html.EscapeString(content.FoldSpace(t.Data)); r.apart() && r.view.IsFolded(t) && !page.IsBlank(t.Data) {
			r.put(Folded{Kind: foldedText, Text: strings.TrimSpace(content.FoldSpace(t.Data)), HTML: text})
		} else {
			r.b.WriteString(text)
		}
	})
}

// standIn writes the link that replaces e, if there is one.
func (r *writer) standIn(e page.ElementID) {
	if s := r.view.StandIns[e]; s.Url != "" {
		r.b.Apart()
		text := s.Text
		if r.apart() && s.Name != "" {
			text = s.What
			r.folded = append(r.folded, Folded{Kind: FoldedAlt, Text: s.Name, URL: s.Url})
		}
		r.b.WriteString(`<a href="` + html.EscapeString(s.Url) + `">` + html.EscapeString(text) + "</a> ")
	}
}

// tex writes a formula that a script of MathJax holds.
func (r *writer) tex(e page.ElementID) {
	tex, display, _ := markup.ScriptTeX(r.view.Page, e)
	if r.apart() && markup.IsProse(tex) {
		r.put(Folded{Kind: foldedText, Text: tex, HTML: html.EscapeString(tex)})
		return
	}
	r.code(markup.Formula{Tex: tex, Display: display})
}

// code writes a formula as TeX.
func (r *writer) code(f markup.Formula) {
	class := "math"
	if f.Display {
		class = "math-display"
	}
	r.b.WriteString(`<code class="` + class + `">` + html.EscapeString(f.Tex) + "</code>")
}

// task writes the box of a task.
func (r *writer) task(e page.ElementID) {
	checked := ""
	if _, ok := r.view.Page.Attr(e, "checked"); ok {
		checked = " checked"
	}
	if r.style != ForPrograms {
		checked += ` aria-label="Task"`
	}
	r.b.WriteString(`<input type="checkbox" disabled` + checked + "> ")
}

// listing writes a pre element with only its text, because highlighting means nothing without colours.
func (r *writer) listing(e page.ElementID) {
	wanted := r.view.IsEither
	if r.apart() {
		wanted = r.view.IsSeen
	}
	text, focus := html.EscapeString(r.view.Listing(e, wanted)), ""
	if r.style == ForReaders {
		focus = ` tabindex="0"`
	}
	open, end := "", ""
	if lang := markup.ListingLanguage(r.view.Page, e); lang != "" {
		open, end = `<code class="language-`+html.EscapeString(lang)+`">`, "</code>"
	} else if strings.HasPrefix(text, "\n") {
		text = "\n" + text // the parser drops the first line feed
	}
	id := ""
	if v, _ := r.view.Page.Attr(e, "id"); v != "" {
		id = ` id="` + html.EscapeString(v) + `"`
	}
	if r.apart() && !r.isTarget(e) {
		id = ""
	}
	r.b.WriteString("<pre" + id + focus + ">" + open + text + end + "</pre>\n")
	if folded := strings.TrimSpace(r.view.Listing(e, r.view.IsFolded)); r.apart() && folded != "" {
		r.put(Folded{Kind: foldedText, Text: folded, HTML: "<pre>" + html.EscapeString(folded) + "</pre>"})
	}
}

// attributes writes the attributes of a short list.
func (r *writer) attributes(e page.ElementID, name string) {
	seen := map[string]bool{}
	for _, a := range r.view.Page.Attrs(e) {
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
func (r *writer) attribute(name string, a page.Attr) (key, val string, ok bool) {
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
		align := content.AlignmentOf(a)
		return "align", align, in("td", "th") && align != ""
	case "start":
		return a.Key, a.Val, in("ol") && content.IsInteger(a.Val)
	case "value":
		return a.Key, a.Val, in("li") && content.IsInteger(a.Val)
	case "type":
		return a.Key, a.Val, in("ol") && len(a.Val) == 1
	case "reversed":
		return a.Key, "", in("ol")
	case "open":
		return a.Key, "", in("details")
	case "datetime":
		return a.Key, a.Val, in("time", "ins", "del") && a.Val != ""
	case "href":
		val = r.view.At.Resolve(a.Val)
		return a.Key, val, in("a") && val != ""
	}
	return "", "", false
}

func (r *writer) image(e page.ElementID) {
	v := r.view
	r.b.WriteString(`<img src="` + html.EscapeString(v.At.Resolve(address.OfImage(v.Page, e))) + `"`)
	for _, key := range []string{"srcset", "data-srcset"} {
		if r.style == ForSmall {
			r.b.WriteString(` loading="lazy"`)
			break
		}
		set, _ := v.Page.Attr(e, key)
		if set = v.At.ResolveSet(set); set != "" {
			r.b.WriteString(` srcset="` + html.EscapeString(set) + `"`)
			break
		}
	}
	for _, key := range []string{"sizes", "width", "height", "title"} {
		if val, ok := v.Page.Attr(e, key); ok && val != "" && (key != "sizes" || r.style != ForSmall) && r.says(e, key, val) {
			r.b.WriteString(" " + key + `="` + html.EscapeString(val) + `"`)
		}
	}
	alt, _ := v.Page.Attr(e, "alt")
	if alt = strings.TrimSpace(alt); r.apart() && alt != "" {
		r.b.WriteString(AltPlace(len(r.folded)) + ">")
		r.folded = append(r.folded, Folded{Kind: FoldedAlt, Text: alt, URL: v.At.Resolve(address.OfImage(v.Page, e))})
		return
	}
	r.b.WriteString(` alt="` + html.EscapeString(alt) + `">`)
}

// formula writes what [markup.FormulaOf] finds, and reports whether there is something. People see pictures, and what
// a page has drawn.
func (r *writer) formula(e page.ElementID) bool {
	f, ok := markup.FormulaOf(r.view.Page, e)
	if !ok || r.style != ForPrograms && (r.view.Page.Elements[e].Tag == atom.Img || r.view.Page.Elements[e].BlockEnd > r.view.Page.Elements[e].BlockStart) {
		return false
	}
	r.code(f)
	return true
}

// admonition writes the start of an admonition with its title, which is not written again.
func (r *writer) admonition(e page.ElementID, kind string) {
	r.b.WriteString(`<blockquote class="` + kind + `">`)
	title := r.view.AdmonitionTitle(e)
	if title == page.None || r.style != ForPrograms && r.view.Page.Elements[title].Tag == atom.Summary {
		return
	}
	text := strings.Join(strings.Fields(r.view.Listing(title, r.view.IsSeen)), " ")
	r.b.WriteString(`<p class="title">` + html.EscapeString(text) + "</p>\n")
	r.titles = append(r.titles, title)
}
