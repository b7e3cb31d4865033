package page

import (
	"math"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
)

// omissions marks the elements inside the content that plain output leaves out: links of headings to themselves, line
// numbers and buttons beside listings, and the second form of a formula.
func (p *Page) omissions() []bool {
	o := make([]bool, len(p.Elements))
	for i := range p.Elements {
		e := ElementID(i)
		o[i] = p.isPermalink(e) || p.isLineNumbers(e) || p.isSecondFormula(e) || p.isDrawnFormula(e) || p.isNoteMark(e) || p.isAdmonitionIcon(e)
	}
	p.omitCodeTools(o)
	return o
}

// isPermalink reports whether e is a link of a heading to itself, as generators of documentation insert it.
func (p *Page) isPermalink(e ElementID) bool {
	el := &p.Elements[e]
	href, _ := p.Attr(e, "href")
	if el.Tag != atom.A || !strings.HasPrefix(href, "#") {
		return false
	}
	label, _ := p.Attr(e, "aria-label")
	title, _ := p.Attr(e, "title")
	text := strings.TrimSpace(p.label(e))
	named := p.classHas(e, "headerlink", "permalink", "anchor", "header-anchor", "heading-anchor", "anchorjs-link", "hash-link", "heading-link")
	switch {
	case hasWord(text) && !(named && strings.EqualFold(text, "permalink")):
		return false
	case named || strings.Contains(strings.ToLower(label+" "+title), "permalink"):
		return true
	}
	for up := el.Parent; up != None; up = p.Elements[up].Parent {
		switch p.Elements[up].Tag {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Dt, atom.Caption, atom.Figcaption:
			return true
		}
		if !IsInline(p.Elements[up].Tag) {
			return false
		}
	}
	return false
}

// leadsBack reports whether e is the arrow from a note back to the text.
func (p *Page) leadsBack(e ElementID) bool {
	href, _ := p.Attr(e, "href")
	return p.Elements[e].Tag == atom.A && strings.HasPrefix(href, "#") && !hasWord(p.label(e))
}

// hasWord reports whether a text has a letter or a digit in it.
func hasWord(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// isLineNumbers reports whether e has only the line numbers of a listing.
func (p *Page) isLineNumbers(e ElementID) bool {
	if !p.classHas(e, "linenos", "lineno", "linenodiv", "line-numbers", "line-number", "gutter", "lnt", "ln", "blob-num", "hljs-ln-numbers", "rouge-gutter",
		"line-numbers-rows", "line-numbers-wrapper", "CodeMirror-linenumber", "CodeMirror-gutter-wrapper", "cm-gutters", "crayon-nums") {
		return false
	}
	return !strings.ContainsFunc(p.label(e), func(r rune) bool { return !unicode.IsDigit(r) && !unicode.IsSpace(r) })
}

// mostBeside is how many elements are looked at to find the other form of a formula.
const mostBeside = 64

// isSecondFormula reports whether e is the visual form of a formula that is also in a math element beside it (KaTeX,
// MathJax 3, MediaWiki).
func (p *Page) isSecondFormula(e ElementID) bool {
	if hidden, _ := p.Attr(e, "aria-hidden"); hidden != "true" {
		return false
	}
	up := p.Elements[e].Parent
	for range 2 {
		if up == None || !IsInline(p.Elements[up].Tag) && p.Elements[up].Tag != 0 {
			return false
		}
		looked := 0
		for d := up + 1; d < p.Elements[up].Sub && looked < mostBeside; d, looked = d+1, looked+1 {
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

// classHas reports whether e has one of the classes.
func (p *Page) classHas(e ElementID, names ...string) bool {
	class, _ := p.Attr(e, "class")
	for c := range strings.FieldsSeq(class) {
		for _, n := range names {
			if strings.EqualFold(c, n) {
				return true
			}
		}
	}
	return false
}

// shownText returns all text in e, without scripts and the like.
func (p *Page) shownText(e ElementID) string { return p.shownStart(e, math.MaxInt) }

// label is shownText of something that is told by its label. Of a long text it returns the start: every element around
// a page's text may be asked for it.
func (p *Page) label(e ElementID) string { return p.shownStart(e, longestLabel) }

// longestLabel is about the most bytes of a label.
const longestLabel = 16 << 10

func (p *Page) shownStart(e ElementID, most int) string {
	texts := p.Texts[p.Elements[e].TextStart:p.Elements[e].TextEnd]
	if len(texts) == 1 && texts[0].Parent == e { // as in most links
		return texts[0].Data
	}
	var b strings.Builder
	for _, t := range texts {
		if t.Parent == e || !p.IsInvisible(t.Parent) {
			b.WriteString(t.Data)
		}
		if b.Len() >= most {
			break
		}
	}
	return b.String()
}
