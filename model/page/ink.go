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

// isBlank reports whether a text has only white space.
func isBlank(text string) bool {
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

// removedShare is the share of visible characters in noisy blocks.
func (p *Page) removedShare(m *Marking) float64 { return p.countInk(m).removed() }

// inkCount counts the visible characters of a page.
type inkCount struct {
	// kept has the number of characters of content before each block and before the end of the page.
	kept []int
	all  int
}

func (p *Page) countInk(m *Marking) inkCount {
	c := inkCount{kept: make([]int, len(p.Blocks)+1)}
	for b := range p.Blocks {
		n := p.BlockLen(BlockID(b))
		c.all += n
		if m.Verdicts[b].Noise {
			n = 0
		}
		c.kept[b+1] = c.kept[b] + n
	}
	return c
}

// removed is the share of characters in noisy blocks.
func (c inkCount) removed() float64 {
	if c.all == 0 {
		return 0
	}
	return float64(c.all-c.kept[len(c.kept)-1]) / float64(c.all)
}
