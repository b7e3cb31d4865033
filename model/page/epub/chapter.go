package epub

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// chapterBody writes the HTML of a page in the XHTML that books may have: HTML's content models hold there (EPUB 3.3
// §6.1), nothing is loaded from elsewhere, and every link within the book has an end.
func chapterBody(c Chapter, p *pictures, chapters map[string]string) string {
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	nodes, err := html.ParseFragment(strings.NewReader(c.HTML), body)
	if err != nil { // what nests too deep to be read
		return "<p>" + escape(plain(c.HTML)) + "</p>"
	}
	for _, n := range nodes {
		body.AppendChild(n)
	}
	w := &chapterWriter{chapter: c, chapters: chapters, pictures: p, targets: map[string]string{}, anchored: map[string]bool{}}
	w.findTargets(body)
	w.children(body, place{})
	for id, name := range w.targets { // what stands where there can be no place for it
		if !w.anchored[id] {
			w.anchor(id, name)
		}
	}
	return w.b.String()
}

// place says what may stand where something is written.
type place struct {
	// phrasing permits text and inline elements alone, plain no headings, linked no links, and single no tables.
	phrasing, plain, linked, single bool
}

// chapterWriter writes one chapter.
type chapterWriter struct {
	b        strings.Builder
	chapter  Chapter
	chapters map[string]string
	pictures *pictures
	// targets are the names in the book of the ids that links of the chapter lead to; those in anchored are written.
	targets  map[string]string
	anchored map[string]bool
}

// findTargets finds the elements that links of the chapter lead to.
func (w *chapterWriter) findTargets(body *html.Node) {
	wanted := map[string]bool{}
	for n := range body.Descendants() {
		if id := w.fragment(attr(n, "href")); id != "" {
			wanted[id] = true
		}
	}
	for n := range body.Descendants() {
		for _, key := range []string{"id", "name"} {
			if id := attr(n, key); wanted[id] && w.targets[id] == "" {
				w.targets[id] = "n" + strconv.Itoa(len(w.targets)+1)
			}
		}
	}
}

// fragment returns the id on this very page that an address leads to.
func (w *chapterWriter) fragment(href string) string {
	at, id, ok := strings.Cut(href, "#")
	if !ok || at != "" && at != w.chapter.URL {
		return ""
	}
	if unescaped, err := url.PathUnescape(id); err == nil {
		return unescaped
	}
	return id
}

func (w *chapterWriter) children(n *html.Node, at place) {
	for c := range n.ChildNodes() {
		w.node(c, at)
	}
}

func (w *chapterWriter) node(n *html.Node, at place) {
	switch n.Type {
	case html.TextNode:
		w.b.WriteString(escape(n.Data))
	case html.ElementNode:
		w.mark(n)
		w.element(n, at)
	}
}

// mark writes the place that links lead to.
func (w *chapterWriter) mark(n *html.Node) {
	for _, key := range []string{"id", "name"} {
		id := attr(n, key)
		if name := w.targets[id]; name != "" && !w.anchored[id] {
			w.anchor(id, name)
		}
	}
}

func (w *chapterWriter) anchor(id, name string) {
	w.anchored[id] = true
	fmt.Fprintf(&w.b, `<span id="%s"></span>`, name)
}

func (w *chapterWriter) element(n *html.Node, at place) {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Head, atom.Title, atom.Object, atom.Iframe, atom.Select, atom.Textarea:
	case atom.Img:
		w.image(n)
	case atom.Br, atom.Wbr:
		w.b.WriteString("<" + n.Data + "/>")
	case atom.Hr:
		if at.phrasing {
			w.b.WriteString("<br/>")
		} else {
			w.b.WriteString("<hr/>")
		}
	case atom.A:
		w.link(n, at)
	case atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Figure, atom.Details:
		if at.phrasing || n.DataAtom == atom.Table && at.single {
			w.apart(n, at)
		} else {
			w.structure(n, at)
		}
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Pre:
		w.paragraph(n, at)
	case atom.Div, atom.Blockquote, atom.Li, atom.Dt, atom.Dd, atom.Figcaption, atom.Summary, atom.Caption, atom.Td, atom.Th, atom.Address:
		name := "div"
		if n.DataAtom == atom.Blockquote {
			name = n.Data
		}
		if at.phrasing {
			w.apart(n, at)
		} else {
			w.wrapped(name, n, at)
		}
	default:
		w.inline(n, at)
	}
}

// apart writes what n holds, away from what stands beside it.
func (w *chapterWriter) apart(n *html.Node, at place) {
	w.b.WriteString(" ")
	w.children(n, at)
	w.b.WriteString(" ")
}

func (w *chapterWriter) wrapped(name string, n *html.Node, at place) {
	w.open(name, n)
	w.children(n, at)
	w.b.WriteString("</" + name + ">")
}

func (w *chapterWriter) paragraph(n *html.Node, at place) {
	if at.phrasing {
		w.apart(n, at)
		return
	}
	name := n.Data
	if at.plain && n.DataAtom != atom.Pre {
		name = "p"
	}
	at.phrasing = true
	w.wrapped(name, n, at)
}

// inline writes an element that stands in text. One that holds more than that is dissolved where it need not be text.
func (w *chapterWriter) inline(n *html.Node, at place) {
	switch n.DataAtom {
	case atom.Code, atom.Kbd, atom.Samp, atom.Var, atom.Q, atom.Cite, atom.Em, atom.Strong, atom.B, atom.I, atom.U, atom.S, atom.Del, atom.Ins,
		atom.Sub, atom.Sup, atom.Mark, atom.Small, atom.Abbr, atom.Bdi, atom.Span:
		if at.phrasing || !holdsBlocks(n) {
			at.phrasing = true
			w.wrapped(n.Data, n, at)
			return
		}
	}
	w.children(n, at)
}

// holdsBlocks reports whether something below n is more than text.
func holdsBlocks(n *html.Node) bool {
	for d := range n.Descendants() {
		switch d.DataAtom {
		case atom.P, atom.Div, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Table, atom.Figure,
			atom.Figcaption, atom.Pre, atom.Blockquote, atom.Details, atom.Hr, atom.Address:
			return true
		}
	}
	return false
}

// link writes a link, to the chapter where the page is in the book.
func (w *chapterWriter) link(n *html.Node, at place) {
	href := w.target(attr(n, "href"))
	if at.linked || href == "" {
		w.children(n, at)
		return
	}
	at.linked = true
	fmt.Fprintf(&w.b, `<a href="%s">`, escape(href))
	w.children(n, at)
	w.b.WriteString("</a>")
}

func (w *chapterWriter) target(href string) string {
	if name := w.targets[w.fragment(href)]; name != "" {
		return "#" + name
	}
	page, _, _ := strings.Cut(href, "#")
	if file := w.chapters[page]; file != "" {
		return file
	}
	return webAddress(href)
}

// image writes a picture, or what its author has written in its place.
func (w *chapterWriter) image(n *html.Node) {
	alt := plain(attr(n, "alt"))
	if name, ok := w.pictures.file(w.chapter, attr(n, "src")); ok {
		fmt.Fprintf(&w.b, `<img src="%s" alt="%s"/>`, name, escape(alt))
	} else if alt != "" {
		w.b.WriteString("[" + escape(alt) + "]")
	}
}

var number = regexp.MustCompile(`^-?[0-9]{1,6}$`)

// open writes a start tag with the attributes that a book has use for.
func (w *chapterWriter) open(name string, n *html.Node) {
	w.b.WriteString("<" + name)
	if lang := language(attr(n, "lang")); lang != "" {
		fmt.Fprintf(&w.b, ` lang="%[1]s" xml:lang="%[1]s"`, lang)
	}
	if dir := attr(n, "dir"); dir == "ltr" || dir == "rtl" {
		fmt.Fprintf(&w.b, ` dir="%s"`, dir)
	}
	if title := attr(n, "title"); name == "abbr" && title != "" {
		fmt.Fprintf(&w.b, ` title="%s"`, escape(title))
	}
	for key, of := range map[string]string{"start": "ol", "value": "li"} {
		if v := attr(n, key); of == name && number.MatchString(v) {
			fmt.Fprintf(&w.b, ` %s="%s"`, key, v)
		}
	}
	if name == "td" || name == "th" {
		w.spans(n)
	}
	w.b.WriteString(">")
}

// spans writes over how many columns and rows a cell goes.
func (w *chapterWriter) spans(n *html.Node) {
	for _, key := range []string{"colspan", "rowspan"} {
		if v, err := strconv.Atoi(attr(n, key)); err == nil && v > 1 && v <= 1000 {
			fmt.Fprintf(&w.b, ` %s="%d"`, key, v)
		}
	}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}
