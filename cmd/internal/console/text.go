package console

import (
	"strings"
	"unicode"
)

// Printable puts text on one line. It drops control characters: a page must not steer the reader's terminal.
func Printable(text string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(clean), " ")
}

// Shorten cuts a line to n characters, the ellipsis at its end included.
func Shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
