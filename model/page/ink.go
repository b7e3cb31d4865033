package page

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/page/runes"
)

// appendFolded appends text to the folded text that begins at dst[start].
func appendFolded(dst []byte, start int, text string) []byte {
	for i := 0; i < len(text); {
		from := i
		for i < len(text) && asciiInk[text[i]] == 1 {
			i++
		}
		if dst = append(dst, text[from:i]...); i == len(text) {
			break
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if i += size; !unicode.IsSpace(r) {
			dst = utf8.AppendRune(dst, r)
		} else if n := len(dst); n > start && dst[n-1] != ' ' {
			dst = append(dst, ' ')
		}
	}
	return dst
}

// Ink is the number of characters of a text that are not white space.
func Ink(text string) (n int) {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			n += int(asciiInk[c])
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if i += size; runes.Of(r)&runes.Space == 0 {
			n++
		}
	}
	return n
}

// IsBlank reports whether a text has only white space.
func IsBlank(text string) bool {
	return text == "" || asciiInk[text[0]] == 0 && strings.TrimSpace(text) == ""
}

// asciiInk is 1 for the bytes that are characters of ASCII and not white space, 0 for all others.
//
//nolint:gochecknoglobals // a constant table
var asciiInk = func() (ink [256]uint8) {
	for c := range utf8.RuneSelf {
		if !unicode.IsSpace(rune(c)) {
			ink[c] = 1
		}
	}
	return ink
}()

// RemovedShare is the share of visible characters in noisy blocks.
func (p *Page) RemovedShare(m *Marking) float64 { return p.CountInk(m).Removed() }

// InkCount counts the visible characters of a page.
type InkCount struct {
	// Kept has the number of characters of content before each block and before the end of the page.
	Kept []int
	all  int
}

// CountInk counts the visible characters of the page.
func (p *Page) CountInk(m *Marking) InkCount {
	c := InkCount{Kept: make([]int, len(p.Blocks)+1)}
	for b := range p.Blocks {
		n := p.BlockLen(BlockID(b))
		c.all += n
		if m.Verdicts[b].Noise {
			n = 0
		}
		c.Kept[b+1] = c.Kept[b] + n
	}
	return c
}

// Removed is the share of characters in noisy blocks.
func (c InkCount) Removed() float64 {
	if c.all == 0 {
		return 0
	}
	return float64(c.all-c.Kept[len(c.Kept)-1]) / float64(c.all)
}

// IsOddSpace reports whether r is white space other than a blank.
func IsOddSpace(r rune) bool { return r != ' ' && unicode.IsSpace(r) }
