package htmltree

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/charmap"
)

// decoder resolves the character references of texts and attribute values (HTML §13.2.5.72 to 80). Changed
// strings go into shared buffers; others stay parts of the page.
type decoder struct {
	buf strings.Builder
}

// bufferSize is the least size of a new buffer.
const bufferSize = 2048

// reserve makes room for n bytes, and returns where they begin.
func (d *decoder) reserve(n int) int {
	if d.buf.Cap()-d.buf.Len() < n {
		d.buf = strings.Builder{}
		d.buf.Grow(max(bufferSize, n))
	}
	return d.buf.Len()
}

// newlines returns s with newlines for carriage returns (§13.2.3.5).
func (d *decoder) newlines(s string) string {
	cr := strings.IndexByte(s, '\r')
	if cr < 0 {
		return s
	}
	start := d.reserve(len(s))
	for ; cr >= 0; cr = strings.IndexByte(s, '\r') {
		d.buf.WriteString(s[:cr])
		d.buf.WriteByte('\n')
		s = strings.TrimPrefix(s[cr+1:], "\n")
	}
	d.buf.WriteString(s)
	return d.buf.String()[start:]
}

// resolve returns s with its references resolved.
func (d *decoder) resolve(s string, attribute bool) string {
	amp := strings.IndexByte(s, '&')
	if amp < 0 {
		return s
	}
	start := d.reserve(len(s))
	for ; amp >= 0; amp = strings.IndexByte(s, '&') {
		d.buf.WriteString(s[:amp])
		s = s[amp:]
		n := d.reference(s, attribute)
		if n == 0 {
			d.buf.WriteByte('&')
			n = 1
		}
		s = s[n:]
	}
	d.buf.WriteString(s)
	return d.buf.String()[start:]
}

// reference writes the meaning of the reference at the start of s and returns its length, or 0 if there is none.
func (d *decoder) reference(s string, attribute bool) int {
	if len(s) > 1 && s[1] == '#' {
		r, n := numeric(s)
		if n > 0 {
			d.buf.WriteRune(r)
		}
		return n
	}
	n := 1
	for n < len(s) && isAlphanumeric(s[n]) {
		n++
	}
	if n == 1 {
		return 0
	}
	closed := n < len(s) && s[n] == ';'
	if closed {
		n++
	}
	switch s[:n] {
	case "&amp;":
		d.buf.WriteByte('&')
		return n
	case "&nbsp;":
		d.buf.WriteRune('\u00a0')
		return n
	case "&quot;":
		d.buf.WriteByte('"')
		return n
	}
	if attribute && !closed && n < len(s) && s[n] == '=' {
		return 0
	}
	u := html.UnescapeString(s[:n])
	if attribute && !isWhole(s[:n], u) {
		return 0
	}
	d.buf.WriteString(u)
	return n
}

// isWhole reports whether the name of a reference was resolved to u as a whole, and not a shorter name in it: no
// reference but semi stands for something that ends in a semicolon, and none without a semicolon for a letter or digit.
func isWhole(ref, u string) bool {
	last := u[len(u)-1]
	if ref[len(ref)-1] == ';' {
		return last != ';' || ref == "&semi;"
	}
	return !isAlphanumeric(last)
}

func isAlphanumeric(c byte) bool { return '0' <= c && c <= '9' || isLetter(c) }

// numeric reads a reference by number. Where it has no digits its length is 0.
func numeric(s string) (rune, int) {
	i, base := 2, rune(10)
	if i < len(s) && s[i]|0x20 == 'x' {
		i, base = 3, 16
	}
	first, x := i, rune(0)
	for ; i < len(s); i++ {
		d := digit(s[i])
		if d >= base {
			break
		}
		if x <= utf8.MaxRune {
			x = base*x + d
		}
	}
	switch {
	case i == first:
		return 0, 0
	case i < len(s) && s[i] == ';':
		i++
	}
	switch {
	case 0x80 <= x && x <= 0x9F:
		if r := charmap.Windows1252.DecodeByte(byte(x)); r != utf8.RuneError {
			x = r
		}
	case x == 0 || !utf8.ValidRune(x):
		return utf8.RuneError, i
	}
	return x, i
}

// digit returns the value of a digit up to f, 16 for any other byte.
func digit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return 16
}
