package console

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable puts text on one line and drops control characters: a page must not control the reader's terminal.
func Printable(text string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(clean), " ")
}

// visible escapes unprintable characters in a message: the name of a file may contain commands for a terminal, or a
// line break and a message of its own.
func visible(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, w := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && w == 1 || !strconv.IsPrint(r) {
			quoted := strconv.Quote(s[:w])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:w])
		}
		s = s[w:]
	}
	return b.String()
}

// Shorten cuts a line to n characters, including the ellipsis at its end.
func Shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
