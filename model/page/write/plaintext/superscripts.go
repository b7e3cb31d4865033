package plaintext

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// scriptText returns the plain text for a superscript or subscript, if its position has a meaning: "mc²", "x^(n+1)",
// "H₂O". Ordinals and marks of notes stay as they are.
func scriptText(p *page.Page, e page.ElementID) (string, bool) {
	tag := p.Elements[e].Tag
	if tag != atom.Sup && tag != atom.Sub {
		return "", false
	}
	text := strings.TrimSpace(markup.Label(p, e))
	if text == "" || len(text) > 16 || isOrdinal(text) || holdsLink(p, e) {
		return "", false
	}
	from, to, mark := "0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", "^"
	if tag == atom.Sub {
		from, to, mark = "0123456789+-−=()aeox", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₒₓ", "_"
	}
	if s, ok := translate(text, []rune(from), []rune(to)); ok {
		return s, true
	}
	if len([]rune(text)) > 1 {
		text = "(" + text + ")"
	}
	return mark + text, true
}

// translate replaces each character of s by that at the same index of to, and reports whether all were found.
func translate(s string, from, to []rune) (string, bool) {
	var b strings.Builder
	for _, r := range s {
		i := slices.Index(from, r)
		if i < 0 {
			return "", false
		}
		b.WriteRune(to[i])
	}
	return b.String(), true
}

// isOrdinal reports whether a raised text is only the end of a word: 1st, M^me, ™.
func isOrdinal(text string) bool {
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "*") {
		return true
	}
	letters := 0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			return false
		}
	}
	return letters != 1
}

func holdsLink(p *page.Page, e page.ElementID) bool {
	for up := p.Elements[e].Parent; up != page.None && page.IsInline(p.Elements[up].Tag); up = p.Elements[up].Parent {
		if p.Elements[up].Tag == atom.A {
			return true
		}
	}
	for d := e + 1; d < p.Elements[e].Sub; d++ {
		if p.Elements[d].Tag == atom.A {
			return true
		}
	}
	return false
}
