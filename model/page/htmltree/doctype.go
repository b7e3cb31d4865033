package htmltree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isQuirky reports whether a doctype permits tables in paragraphs. x/net/html knows the 60 doctypes that do.
func isQuirky(doctype string) bool {
	if doctype == "<!DOCTYPE html>" || doctype == "<!doctype html>" || isXHTML(doctype) {
		return false
	}
	doc, err := html.Parse(strings.NewReader(doctype + "<p><table>"))
	if err != nil {
		return true
	}
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Table {
			return n.Parent.DataAtom == atom.P
		}
	}
	return true
}

// isXHTML reports whether a doctype is one of the two of XHTML 1.0 that most of its pages have.
func isXHTML(doctype string) bool {
	rest, ok := strings.CutPrefix(doctype, `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 `)
	public, system, _ := strings.Cut(rest, `//EN"`)
	system = system[spaceLen(system):]
	return ok && (public == "Transitional" && system == `"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">` ||
		public == "Strict" && system == `"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">`)
}
