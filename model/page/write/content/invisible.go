package content

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// WithoutInvisible returns a text without the characters that nothing is drawn for: those of no width, controls of
// direction, variation selectors and tags can carry a whole text unseen (Unicode §23, UTS 51). What scripts and emoji
// need between two characters stays.
func WithoutInvisible(s string) string {
	i := firstInvisible(s)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:i])
	last, _ := utf8.DecodeLastRuneInString(s[:i])
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		next, _ := utf8.DecodeRuneInString(s[i+n:])
		if !isInvisible(r) || joins(last, r, next) {
			b.WriteString(s[i : i+n])
			last = r
		}
		i += n
	}
	return b.String()
}

func firstInvisible(s string) int {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf && s[i] >= ' ' || s[i] == '\n' || s[i] == '\t' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if isInvisible(r) {
			return i
		}
		i += n
	}
	return -1
}

// isInvisible reports whether nothing is drawn for r (Default_Ignorable_Code_Point, and controls).
func isInvisible(r rune) bool {
	switch {
	case r < 0xA0:
		return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7F || r == 0x85
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x3164, r == 0xFEFF, r == 0xFFA0:
		return true
	case 0x180B <= r && r <= 0x180F, 0x200B <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F:
		return true
	case 0xFE00 <= r && r <= 0xFE0F, 0xFFF0 <= r && r <= 0xFFFB, 0x1BCA0 <= r && r <= 0x1BCA3, 0x1D173 <= r && r <= 0x1D17A:
		return true
	}
	return 0xE0000 <= r && r <= 0xE0FFF
}

// joins reports whether an invisible character has a meaning between two others: a joiner between letters of scripts
// that join, or between emoji, and the choice of an emoji's form.
func joins(last, r, next rune) bool {
	const nonJoiner, joiner, textForm, emojiForm = 0x200C, 0x200D, 0xFE0E, 0xFE0F
	switch r {
	case textForm, emojiForm:
		return unicode.In(last, unicode.So, unicode.Sm, unicode.Po, unicode.Sk) && last > 0xA0 || '0' <= last && last <= '9' || last == '#' || last == '*'
	case nonJoiner, joiner:
		if last == emojiForm || unicode.Is(unicode.So, last) {
			return unicode.Is(unicode.So, next)
		}
		return hasJoiners(last) && hasJoiners(next)
	}
	return false
}

// hasJoiners reports whether a script is written with joiners.
func hasJoiners(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi,
		unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer,
		unicode.Myanmar, unicode.Tibetan) || unicode.Is(unicode.Sk, r) && r > 0x1F000
}
