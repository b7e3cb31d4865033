package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// Formulas that a page has as something else than MathML or a script: as a picture whose alternative text is TeX, in an
// attribute, or as code marked as TeX.

// Formula is TeX, and whether it stands on lines of its own.
type Formula struct {
	Tex     string
	Display bool
}

// FormulaOf returns the formula that e stands for. What could be a text that people do not see is none.
func FormulaOf(p *page.Page, e page.ElementID) (f Formula, ok bool) {
	switch el := &p.Elements[e]; {
	case len(p.Attrs(e)) == 0:
		return f, false
	case el.Tag == atom.Img:
		return pictureOfFormula(p, e)
	case el.Tag == atom.Code:
		if !HasClass(p, e, "math", "math-tex") {
			return f, false
		}
		f.Tex = strings.TrimSpace(Label(p, e))
		f.Display = HasClass(p, e, "display", "math-display")
		return f, f.Tex != ""
	}
	for _, key := range []string{"data-latex", "data-math", "data-tex", "data-formula", "data-value"} {
		tex, _ := p.Attr(e, key)
		if tex = BareTeX(tex); tex == "" || key == "data-value" && !HasClass(p, e, "ql-formula") {
			continue
		}
		return Formula{tex, isDisplayed(p, e)}, !IsProse(tex)
	}
	return f, false
}

// isDisplayed reports whether a formula stands on lines of its own.
func isDisplayed(p *page.Page, e page.ElementID) bool {
	for _, key := range []string{"display", "data-display"} {
		if val, ok := p.Attr(e, key); ok {
			return val == "true" || val == "block" || val == ""
		}
	}
	return p.Elements[e].Tag == atom.Div
}

// pictureOfFormula returns the formula in the alternative text of a picture.
func pictureOfFormula(p *page.Page, e page.ElementID) (f Formula, ok bool) {
	alt, _ := p.Attr(e, "alt")
	if f.Tex = BareTeX(alt); f.Tex == "" || IsProse(f.Tex) {
		return f, false
	}
	f.Display = HasClass(p, e, "mwe-math-fallback-image-display")
	if HasClass(p, e, "latex", "tex", "math", "equation", "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display") {
		return f, true
	}
	for up, n := p.Elements[e].Parent, 0; up != page.None && n < 2; up, n = p.Elements[up].Parent, n+1 {
		if HasClass(p, up, "math") {
			f.Display = p.Elements[up].Tag == atom.Div
			return f, true
		}
	}
	src, _ := p.Attr(e, "src")
	return f, slices.ContainsFunc([]string{"latex", "mathtex", "mimetex"}, func(s string) bool { return strings.Contains(strings.ToLower(src), s) })
}

// BareTeX returns TeX without its delimiters, and without the style that MediaWiki puts around it.
func BareTeX(tex string) string {
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

// IsFormulaBox reports whether e is an element that MathJax or GitHub puts around a formula or its parts. Unlike other
// unknown elements these are in the line.
func IsFormulaBox(p *page.Page, e page.ElementID) bool {
	el := &p.Elements[e]
	return el.Tag == 0 && (strings.HasPrefix(el.Name, "mjx-") || el.Name == "math-renderer")
}

// IsDrawnFormula reports whether e is what MathJax 2 has drawn for the script with the formula that follows.
func IsDrawnFormula(p *page.Page, e page.ElementID) bool {
	const most = 3
	for n := 0; n < most && HasClass(p, e, "MathJax", "MathJax_Display", "MathJax_Preview", "MathJax_SVG", "MathJax_SVG_Display", "MathJax_CHTML",
		"MJXc-display", "mjx-chtml"); n++ {
		next := p.Elements[e].Sub
		if int(next) >= len(p.Elements) || p.Elements[next].Parent != p.Elements[e].Parent {
			return false
		}
		if _, _, ok := ScriptTeX(p, next); ok {
			return true
		}
		e = next
	}
	return false
}

// IsProse reports whether TeX has words in it that are not commands, so that it may be a text rather than a formula.
func IsProse(tex string) bool { return len(ProseOf(tex)) > 0 }

// ProseOf returns the runs of letters in TeX that no command explains.
func ProseOf(tex string) (words []string) {
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
