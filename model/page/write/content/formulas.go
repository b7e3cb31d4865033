package content

import (
	"html"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
	"github.com/winnow-proxy/winnow/model/page/visibility"
)

// texOf returns a formula in MathML as TeX: as its author wrote it, if that is given, otherwise converted from the
// MathML.
func texOf(p *page.Page, e page.ElementID) string {
	for d := e + 1; d < p.Elements[e].Sub; d++ {
		if enc, _ := p.Attr(d, "encoding"); p.Elements[d].Name == "annotation" && strings.Contains(strings.ToLower(enc), "tex") {
			return markup.BareTeX(markup.ShownText(p, d))
		}
	}
	if alt, _ := p.Attr(e, "alttext"); strings.TrimSpace(alt) != "" {
		return markup.BareTeX(alt)
	}
	return strings.TrimSpace(texFrom(p, e, nil))
}

// texFrom converts the layout of MathML to TeX: fractions, roots, scripts and rows (MathML Core §3).
// It leaves out what people do not see, if seen says so.
func texFrom(p *page.Page, e page.ElementID, seen *visibility.Visibility) string {
	parts := mathChildren(p, e, seen)
	switch name := p.Elements[e].Name; {
	case name == "annotation" || name == "annotation-xml":
		return ""
	case name == "mfrac" && len(parts) == 2:
		return `\frac{` + parts[0] + "}{" + parts[1] + "}"
	case name == "msqrt":
		return `\sqrt{` + strings.Join(parts, "") + "}"
	case name == "mroot" && len(parts) == 2:
		return `\sqrt[` + parts[1] + "]{" + parts[0] + "}"
	case (name == "mover" || name == "munder") && len(parts) == 2 && accentOf(parts[1]) != "":
		return accentOf(parts[1]) + "{" + parts[0] + "}"
	case (name == "msup" || name == "mover") && len(parts) == 2:
		return parts[0] + "^" + braced(parts[1])
	case (name == "msub" || name == "munder") && len(parts) == 2:
		return parts[0] + "_" + braced(parts[1])
	case (name == "msubsup" || name == "munderover") && len(parts) == 3:
		return parts[0] + "_" + braced(parts[1]) + "^" + braced(parts[2])
	case name == "mtr":
		return strings.Join(parts, " & ")
	case name == "mtable":
		return `\begin{matrix}` + strings.Join(parts, ` \\ `) + `\end{matrix}`
	}
	return strings.Join(parts, "")
}

// accentOf returns the command for an accent above or below a letter, or an empty string for other characters.
func accentOf(s string) string {
	switch s {
	case "¯", "‾", "ˉ":
		return `\bar`
	case "^", "ˆ":
		return `\hat`
	case "~", "˜":
		return `\tilde`
	case "→", "⃗":
		return `\vec`
	case "˙":
		return `\dot`
	case "¨":
		return `\ddot`
	case "_":
		return `\underline`
	}
	return ""
}

// mathChildren returns the contents of e, each child by itself.
func mathChildren(p *page.Page, e page.ElementID, seen *visibility.Visibility) (parts []string) {
	p.Walk(e, func(from, to int32) {
		for i := from; i < to; i++ {
			if seen != nil && seen.Text[e] == visibility.Concealed {
				continue
			}
			if s := strings.TrimSpace(p.Texts[i].Data); s != "" {
				parts = append(parts, s)
			}
		}
	}, func(c page.ElementID) {
		if seen != nil && seen.Box[c] != seen.Box[e] {
			return
		}
		if s := texFrom(p, c, seen); s != "" || p.Elements[c].Name != "annotation" {
			parts = append(parts, s)
		}
	})
	return parts
}

// braced puts braces around a script of more than one character.
func braced(s string) string {
	if len([]rune(s)) == 1 {
		return s
	}
	return "{" + s + "}"
}

// WriteMath writes a formula with only the layout elements of MathML and its original TeX, so that nothing of it runs
// or loads. tex is included as alternative text.
func (v *View) WriteMath(b *strings.Builder, e page.ElementID, tex string) {
	p := v.Page
	b.WriteString("<math")
	if d, _ := p.Attr(e, "display"); d == "block" || d == "inline" {
		b.WriteString(` display="` + d + `"`)
	}
	b.WriteString(` alttext="` + html.EscapeString(tex) + `">`)
	v.mathContent(b, e)
	b.WriteString("</math>")
}

func (v *View) mathContent(b *strings.Builder, e page.ElementID) {
	p := v.Page
	p.Walk(e, func(from, to int32) {
		for i := from; i < to && v.Seen.Text[e] != visibility.Concealed; i++ {
			b.WriteString(html.EscapeString(FoldSpace(p.Texts[i].Data)))
		}
	}, func(c page.ElementID) {
		name := p.Elements[c].Name
		switch {
		case name == "annotation" || name == "annotation-xml" || p.IsInvisible(c) || v.Seen.Box[c] != v.Seen.Box[e]:
			return
		case !isMathName(name):
			v.mathContent(b, c)
			return
		}
		b.WriteString("<" + name)
		for _, a := range p.Attrs(c) {
			if slices.Contains([]string{"mathvariant", "stretchy", "fence", "separator", "columnalign", "linethickness", "accent", "notation"}, a.Key) {
				b.WriteString(" " + a.Key + `="` + html.EscapeString(a.Val) + `"`)
			}
		}
		b.WriteByte('>')
		v.mathContent(b, c)
		b.WriteString("</" + name + ">")
	})
}

// isMathName has the layout elements of MathML Core.
func isMathName(name string) bool {
	return slices.Contains([]string{"mi", "mn", "mo", "ms", "mtext", "mspace", "mrow", "mfrac", "msqrt", "mroot", "mstyle", "merror", "mpadded",
		"mphantom", "mfenced", "menclose", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "none",
		"mtable", "mtr", "mtd", "mlabeledtr", "semantics"}, name)
}

// FormulaText returns a formula in MathML as TeX: that of its author if that says no more than what people see.
func (v *View) FormulaText(e page.ElementID) string {
	tex := texOf(v.Page, e)
	words := markup.ProseOf(tex)
	if len(words) == 0 {
		return tex
	}
	shown := strings.Join(strings.Fields(v.formulaShown(e)), "")
	for _, w := range words {
		if !strings.Contains(shown, w) {
			return strings.TrimSpace(texFrom(v.Page, e, v.Seen))
		}
	}
	return tex
}

// formulaShown is what people see of a formula: the text of its MathML, or of another form of it beside it.
func (v *View) formulaShown(e page.ElementID) string {
	var b strings.Builder
	p, root := v.Page, e
	if twin := visibility.SecondFormulaOf(p, e, v.Seen.Box); twin != page.None {
		root = twin
	}
	for i := p.Elements[root].TextStart; i < p.Elements[root].TextEnd; i++ {
		t := &p.Texts[i]
		if up := p.Elements[t.Parent].Name; v.Seen.Text[t.Parent] == visibility.Shown && up != "annotation" && up != "annotation-xml" {
			b.WriteString(t.Data)
		}
	}
	return b.String()
}
