package page

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// Formulas that a page has as something else than MathML or a script: as a picture whose alternative text is TeX, in an
// attribute, or as code marked as TeX.

// formula is TeX, and whether it stands on lines of its own.
type formula struct {
	tex     string
	display bool
}

// formulaOf returns the formula that e stands for. What could be a text that people do not see is none.
func (p *Page) formulaOf(e ElementID) (f formula, ok bool) {
	switch el := &p.Elements[e]; {
	case len(p.Attrs(e)) == 0:
		return f, false
	case el.Tag == atom.Img:
		return p.pictureOfFormula(e)
	case el.Tag == atom.Code:
		if !p.classHas(e, "math", "math-tex") {
			return f, false
		}
		f.tex = strings.TrimSpace(p.label(e))
		f.display = p.classHas(e, "display", "math-display")
		return f, f.tex != ""
	}
	for _, key := range []string{"data-latex", "data-math", "data-tex", "data-formula", "data-value"} {
		tex, _ := p.Attr(e, key)
		if tex = bareTeX(tex); tex == "" || key == "data-value" && !p.classHas(e, "ql-formula") {
			continue
		}
		return formula{tex, p.isDisplayed(e)}, !isProse(tex)
	}
	return f, false
}

// isDisplayed reports whether a formula stands on lines of its own.
func (p *Page) isDisplayed(e ElementID) bool {
	for _, key := range []string{"display", "data-display"} {
		if val, ok := p.Attr(e, key); ok {
			return val == "true" || val == "block" || val == ""
		}
	}
	return p.Elements[e].Tag == atom.Div
}

// pictureOfFormula returns the formula in the alternative text of a picture.
func (p *Page) pictureOfFormula(e ElementID) (f formula, ok bool) {
	alt, _ := p.Attr(e, "alt")
	if f.tex = bareTeX(alt); f.tex == "" || isProse(f.tex) {
		return f, false
	}
	f.display = p.classHas(e, "mwe-math-fallback-image-display")
	if p.classHas(e, "latex", "tex", "math", "equation", "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display") {
		return f, true
	}
	for up, n := p.Elements[e].Parent, 0; up != None && n < 2; up, n = p.Elements[up].Parent, n+1 {
		if p.classHas(up, "math") {
			f.display = p.Elements[up].Tag == atom.Div
			return f, true
		}
	}
	src, _ := p.Attr(e, "src")
	return f, slices.ContainsFunc([]string{"latex", "mathtex", "mimetex"}, func(s string) bool { return strings.Contains(strings.ToLower(src), s) })
}

// bareTeX returns TeX without its delimiters, and without the style that MediaWiki puts around it.
func bareTeX(tex string) string {
	tex = strings.TrimSpace(tex)
	for _, around := range [...][2]string{{"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}, {`{\displaystyle`, "}"}, {`{\textstyle`, "}"}} {
		if inner, found := strings.CutPrefix(tex, around[0]); found && len(tex) > len(around[0]) {
			if inner, found = strings.CutSuffix(inner, around[1]); found {
				return strings.TrimSpace(inner)
			}
		}
	}
	return tex
}

// isFormulaBox reports whether e is an element that MathJax or GitHub puts around a formula or its parts. Unlike other
// unknown elements these are in the line.
func (p *Page) isFormulaBox(e ElementID) bool {
	el := &p.Elements[e]
	return el.Tag == 0 && (strings.HasPrefix(el.Name, "mjx-") || el.Name == "math-renderer")
}

// isDrawnFormula reports whether e is what MathJax 2 has drawn for the script with the formula that follows.
func (p *Page) isDrawnFormula(e ElementID) bool {
	const most = 3
	for n := 0; n < most && p.classHas(e, "MathJax", "MathJax_Display", "MathJax_Preview", "MathJax_SVG", "MathJax_SVG_Display", "MathJax_CHTML",
		"MJXc-display", "mjx-chtml"); n++ {
		next := p.Elements[e].Sub
		if int(next) >= len(p.Elements) || p.Elements[next].Parent != p.Elements[e].Parent {
			return false
		}
		if _, _, ok := p.scriptTeX(next); ok {
			return true
		}
		e = next
	}
	return false
}

// isProse reports whether TeX has words in it that are not commands, so that it may be a text rather than a formula.
func isProse(tex string) bool { return len(proseOf(tex)) > 0 }

// proseOf returns the runs of letters in TeX that no command explains.
func proseOf(tex string) (words []string) {
	const shortWord = 3
	isLetter := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }
	for i := 0; i < len(tex); {
		from := i
		if tex[i] == '\\' {
			for i++; i < len(tex) && isLetter(tex[i]); i++ {
			}
			if command := tex[from+1 : i]; command == "begin" || command == "end" {
				if end := strings.IndexByte(tex[i:], '}'); end >= 0 && end < 16 {
					i += end
				}
			}
			i = max(i, from+1)
			continue
		}
		for ; i < len(tex) && isLetter(tex[i]); i++ {
		}
		if i-from > shortWord {
			words = append(words, tex[from:i])
		}
		i = max(i, from+1)
	}
	return words
}
