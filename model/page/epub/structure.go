package epub

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// structure writes an element whose children have an order.
func (w *chapterWriter) structure(n *html.Node, at place) {
	switch n.DataAtom {
	case atom.Ul, atom.Ol:
		w.list(n, at)
	case atom.Dl:
		w.definitions(n, at)
	case atom.Table:
		w.table(n, at)
	case atom.Figure:
		w.figure(n, at)
	case atom.Details:
		w.details(n, at)
	}
}

// contents are the children of n but for white space and comments.
func contents(n *html.Node) (all []*html.Node) {
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode || c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			all = append(all, c)
		}
	}
	return all
}

// list writes each child as an entry. A list has one at least.
func (w *chapterWriter) list(n *html.Node, at place) {
	entries := contents(n)
	if len(entries) == 0 {
		return
	}
	w.open(n.Data, n)
	for _, c := range entries {
		w.entry("li", c, c.DataAtom == atom.Li, at)
	}
	w.b.WriteString("</" + n.Data + ">")
}

// entry writes a part of a structure: what is in c where c is one, else c.
func (w *chapterWriter) entry(name string, c *html.Node, isOne bool, at place) {
	if !isOne {
		w.b.WriteString("<" + name + ">")
		w.node(c, at)
	} else {
		w.open(name, c)
		w.mark(c)
		w.children(c, at)
	}
	w.b.WriteString("</" + name + ">")
}

// definitions writes terms with what they mean. Where one is without the other, it is no list of that kind.
func (w *chapterWriter) definitions(n *html.Node, at place) {
	entries := contents(n)
	var order strings.Builder
	for _, c := range entries {
		switch c.DataAtom {
		case atom.Dt:
			order.WriteByte('t')
		case atom.Dd:
			order.WriteByte('d')
		default:
			order.WriteByte('?')
		}
	}
	kinds := order.String()
	if !strings.HasPrefix(kinds, "t") || !strings.HasSuffix(kinds, "d") || strings.Contains(kinds, "?") {
		for _, c := range entries {
			w.node(c, at)
		}
		return
	}
	w.open("dl", n)
	for _, c := range entries {
		inside := at
		inside.plain = at.plain || c.DataAtom == atom.Dt
		w.entry(c.Data, c, true, inside)
	}
	w.b.WriteString("</dl>")
}

// table writes caption, head and rows. A table without rows is none.
func (w *chapterWriter) table(n *html.Node, at place) {
	var caption *html.Node
	var head, body []*html.Node
	for c := range n.ChildNodes() {
		switch {
		case c.DataAtom == atom.Caption && caption == nil:
			caption = c
		case c.DataAtom == atom.Thead && head == nil && body == nil:
			head = rows(c)
		case c.Type == html.ElementNode:
			body = append(body, rows(c)...)
		}
	}
	if len(head)+len(body) == 0 {
		w.apart(n, at)
		return
	}
	w.open("table", n)
	if caption != nil {
		inside := at
		inside.single = true
		w.entry("caption", caption, true, inside)
	}
	w.rows("thead", head, at)
	w.rows("tbody", body, at)
	w.b.WriteString("</table>")
}

// rows lists the rows of a section that have cells.
func rows(section *html.Node) (all []*html.Node) {
	for c := range section.ChildNodes() {
		if c.DataAtom == atom.Tr && len(contents(c)) > 0 {
			all = append(all, c)
		}
	}
	return all
}

func (w *chapterWriter) rows(section string, rows []*html.Node, at place) {
	if len(rows) == 0 {
		return
	}
	w.b.WriteString("<" + section + ">")
	for _, r := range rows {
		w.open("tr", r)
		for _, c := range contents(r) {
			name, inside := "td", at
			if c.DataAtom == atom.Th {
				name, inside.plain = "th", true
			}
			w.entry(name, c, c.DataAtom == atom.Td || c.DataAtom == atom.Th, inside)
		}
		w.b.WriteString("</tr>")
	}
	w.b.WriteString("</" + section + ">")
}

// figure writes a figure with its caption last.
func (w *chapterWriter) figure(n *html.Node, at place) {
	var caption *html.Node
	w.open("figure", n)
	for _, c := range contents(n) {
		if c.DataAtom == atom.Figcaption && caption == nil {
			caption = c
			continue
		}
		w.node(c, at)
	}
	if caption != nil {
		w.entry("figcaption", caption, true, at)
	}
	w.b.WriteString("</figure>")
}

// details writes a part that unfolds, whole: books have nothing that does.
func (w *chapterWriter) details(n *html.Node, at place) {
	w.open("div", n)
	for _, c := range contents(n) {
		if c.DataAtom == atom.Summary {
			w.b.WriteString("<p><b>")
			w.mark(c)
			inside := at
			inside.phrasing = true
			w.children(c, inside)
			w.b.WriteString("</b></p>")
			continue
		}
		w.node(c, at)
	}
	w.b.WriteString("</div>")
}
