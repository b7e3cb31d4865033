package content

import (
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// SimpleName returns the name of e in a plain page, or an empty string if only its content appears.
func (v *View) SimpleName(e page.ElementID) string {
	el := &v.Page.Elements[e]
	switch el.Tag {
	case atom.Table, atom.Caption, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th:
		if v.Layout[e] {
			return v.layoutName(e)
		}
		return el.Name
	case atom.A:
		return v.anchorName(e)
	case atom.P, atom.Summary, atom.Address:
		if v.broken[e] {
			return v.boxName(e)
		}
		return el.Name
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Figure,
		atom.Figcaption, atom.Pre, atom.Blockquote, atom.Hr, atom.Br, atom.Wbr, atom.Details, atom.Code, atom.Kbd,
		atom.Samp, atom.Var, atom.Q, atom.Cite, atom.Em, atom.Strong, atom.B, atom.I, atom.U, atom.S, atom.Del, atom.Ins, atom.Sub,
		atom.Sup, atom.Mark, atom.Small, atom.Abbr, atom.Time, atom.Dfn, atom.Ruby, atom.Rt, atom.Rp, atom.Bdi, atom.Bdo:
		return el.Name
	case atom.Strike:
		return "s"
	case atom.Tt:
		return "code"
	}
	if page.IsInline(el.Tag) || page.IsControl(el.Tag) || page.IsVoid(el.Tag) || markup.IsFormulaBox(v.Page, e) {
		return ""
	}
	return v.boxName(e)
}

// layoutName is boxName for a part of a layout table. A row of one in a cell of data is a line.
func (v *View) layoutName(e page.ElementID) string {
	if tag := v.Page.Elements[e].Tag; tag != atom.Tr && tag != atom.Td && tag != atom.Th || !v.isInData(v.Page.Elements[e].Parent, v.Layout) {
		return v.boxName(e)
	} else if tag == atom.Tr && v.filled[e] {
		return "div"
	}
	return ""
}

// boxName keeps a box with text of its own, so that its neighbours stay separate. Other boxes dissolve.
func (v *View) boxName(e page.ElementID) string {
	if v.direct[e] {
		return "div"
	}
	return ""
}

// anchorName keeps a link with a target, and a place that links lead to.
func (v *View) anchorName(e page.ElementID) string {
	for _, key := range []string{"id", "name"} {
		if val, _ := v.Page.Attr(e, key); val != "" {
			return "a"
		}
	}
	if href, ok := v.Page.Attr(e, "href"); ok && v.At.Resolve(href) != "" {
		return "a"
	}
	return ""
}
