package markup

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
)

// maxBeside is how many elements are looked at to find the other form of a formula.
const maxBeside = 64

// IsSecondFormula reports whether e is the visual form of a formula that is also in a math element beside it (KaTeX,
// MathJax 3, MediaWiki).
func IsSecondFormula(p *page.Page, e page.ElementID) bool {
	if hidden, _ := p.Attr(e, "aria-hidden"); hidden != "true" {
		return false
	}
	up := p.Elements[e].Parent
	for range 2 {
		if up == page.None || !page.IsInline(p.Elements[up].Tag) && p.Elements[up].Tag != 0 {
			return false
		}
		looked := 0
		for d := up + 1; d < p.Elements[up].Sub && looked < maxBeside; d, looked = d+1, looked+1 {
			if d == e {
				d = p.Elements[e].Sub - 1
			} else if p.Elements[d].Name == "math" {
				return true
			}
		}
		up = p.Elements[up].Parent
	}
	return false
}

// IsMath reports whether e is a formula in MathML.
func IsMath(p *page.Page, e page.ElementID) bool { return p.Elements[e].Name == "math" }

// ScriptTeX returns the TeX of a script that MathJax reads, and whether it stands on lines of its own.
func ScriptTeX(p *page.Page, e page.ElementID) (tex string, display, ok bool) {
	el := &p.Elements[e]
	kind, _ := p.Attr(e, "type")
	if el.Name != "script" || !strings.HasPrefix(kind, "math/tex") || el.TextStart == el.TextEnd {
		return "", false, false
	}
	return strings.TrimSpace(p.Texts[el.TextStart].Data), strings.Contains(kind, "display"), true
}
