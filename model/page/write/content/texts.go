package content

import (
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
)

// Builder builds a text whose parts may need a space between them.
type Builder struct{ strings.Builder }

// Apart writes a space unless there is one already.
func (b *Builder) Apart() {
	if s := b.String(); s != "" && !IsSpace(rune(s[len(s)-1])) {
		b.WriteByte(' ')
	}
}

// AlignmentOf returns how an attribute aligns the text of a cell, where it does.
func AlignmentOf(a page.Attr) string {
	val := strings.ToLower(strings.ReplaceAll(a.Val, " ", ""))
	for _, side := range []string{"left", "center", "right"} {
		switch a.Key {
		case "align":
			if val == side {
				return side
			}
		case "style":
			if strings.Contains(val, "text-align:"+side) {
				return side
			}
		case "class":
			if slices.ContainsFunc(strings.Fields(a.Val), func(c string) bool {
				return c == "text-"+side || c == "align-"+side || c == "has-text-align-"+side || c == "halign-"+side || c == "text-align-"+side
			}) {
				return side
			}
		}
	}
	return ""
}

// IsInteger reports whether s is a number in the form of ol and li.
func IsInteger(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && len(digits) < 10 && strings.Trim(digits, "0123456789") == ""
}
