package cssrules

import (
	"strings"
	"unicode"

	"github.com/winnow-proxy/winnow/model/page"
)

// isName reports whether an id or a class can stand in a selector of any program without an escape, and looks as if
// somebody had chosen it: names that a build or a database made change with the next one.
func isName(s string) bool {
	if len(s) < 2 || len(s) > 48 || !isLetter(s[0]) && s[0] != '_' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return !isMade(s) && !isState(s)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isMade reports whether a program made a name: it has a number of three digits, digits among letters, or letters
// whose case follows no word.
func isMade(name string) bool {
	for _, prefix := range []string{"css-", "sc-", "jss", "svelte-", "_ngcontent", "data-v-", "emotion-"} {
		if strings.HasPrefix(name, prefix) && len(name) > len(prefix) {
			return true
		}
	}
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' }) {
		if isMadeWord(word) {
			return true
		}
	}
	return false
}

// isMadeWord judges one word of a name: people write "col9", "h2" and "mainContent", programs "1a2b3", "post1234" and
// "bdVaJa".
func isMadeWord(word string) bool {
	digits, turns, humps := 0, 0, 0
	last := rune(0)
	for _, r := range word {
		if unicode.IsDigit(r) {
			digits++
		}
		if unicode.IsDigit(last) && unicode.IsLetter(r) {
			turns++
		}
		if unicode.IsLower(last) && unicode.IsUpper(r) {
			humps++
		}
		last = r
	}
	return digits > 2 || turns > 0 && len(word) > 4 || humps > 1 && len(word) < 4*humps
}

// isState reports whether a class says what an element is doing rather than what it is.
func isState(name string) bool {
	switch name {
	case "active", "current", "selected", "open", "opened", "closed", "show", "hidden", "hide", "hover", "focus", "visible", "expanded", "collapsed",
		"loaded", "loading", "first", "last", "odd", "even", "alt", "js", "no-js", "clearfix":
		return true
	}
	return strings.HasPrefix(name, "is-") || strings.HasPrefix(name, "has-") || strings.HasPrefix(name, "current")
}

// namingAttrs are attributes whose values name a part of a template, of today and of tables for layout.
func namingAttrs() []string {
	return []string{"role", "itemprop", "itemtype", "rel", "aria-label", "data-testid", "data-component", "name", "property", "bgcolor", "width", "align", "border", "cellspacing",
		"cellpadding", "color", "face"}
}

// attrsOf returns the naming attributes of an element.
func attrsOf(p *page.Page, e page.ElementID) (attrs []attr) {
	for _, key := range namingAttrs() {
		if v, ok := p.Attr(e, key); ok && isValue(v) {
			attrs = append(attrs, attr{key, v})
		}
	}
	return attrs
}

// isValue reports whether a value can be quoted in CSS and XPath without an escape.
func isValue(v string) bool {
	return v != "" && len(v) <= 40 && strings.TrimSpace(v) == v && !strings.ContainsFunc(v, func(r rune) bool {
		return r < ' ' || r > '~' || strings.ContainsRune(`"'\[]()`, r)
	})
}

// classesOf returns the names among the classes of an element.
func classesOf(p *page.Page, e page.ElementID) (names []string) {
	v, _ := p.Attr(e, "class")
	for c := range strings.FieldsSeq(v) {
		if isName(c) && len(names) < maxClasses {
			names = append(names, c)
		}
	}
	return names
}

// maxClasses bounds the classes of one element that are looked at.
const maxClasses = 6
