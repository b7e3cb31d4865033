package view

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page/runes"
)

// textShape describes the look of a text, in bits.
type textShape uint16

const (
	shapeEndsStop textShape = 1 << iota // ends like a sentence
	shapeEndsColon
	shapeStartsLower
	ShapeCopyright // © or (c)
	shapeBar       // "|", "»", "›", "·": separators of navigation
	shapeBracket   // starts with a bracket
	ShapeDate      // has a year or a dd.mm.yy
	ShapeMoney
	shapeEmail
	shapeAllUpper
	shapeNumber   // is digits only
	shapeEllipsis // ends in "…" or "..."
	ShapeClock    // has a time of day

	// Shapes is the number of bits.
	Shapes = 13
)

// shapeOf returns the shape of a text whose characters have the given facts.
func shapeOf(s string, sums *charSums) textShape {
	f := sums.shape
	set := func(bit textShape, on bool) {
		if on {
			f |= bit
		}
	}
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	set(shapeEndsStop, strings.ContainsRune(".!?。！？…\"”»", last))
	set(shapeEndsColon, last == ':' || last == '：')
	set(shapeStartsLower, unicode.IsLower(first))
	set(shapeBracket, strings.ContainsRune("[({【（", first))
	set(ShapeCopyright, strings.Contains(s, "(c)") || strings.Contains(s, "opyright"))
	set(shapeEllipsis, last == '…' || strings.HasSuffix(s, "..."))
	set(ShapeDate, sums.digits >= 4 && hasYear(s))
	set(ShapeClock, sums.digits >= 3 && hasClock(s))
	set(shapeAllUpper, sums.any&runes.LowerDiffers != 0 && sums.any&runes.UpperDiffers == 0)
	set(shapeNumber, sums.number)
	return f
}

// shapeOfRune returns the bits that one character sets in any position.
func shapeOfRune(r rune) textShape {
	switch r {
	case '©':
		return ShapeCopyright
	case '|', '»', '›', '«', '‹', '·', '•', '→', '←':
		return shapeBar
	case '$', '€', '£', '¥', '₽', '₹':
		return ShapeMoney
	case '@':
		return shapeEmail
	}
	return 0
}

// hasYear reports whether s has a run of four digits that starts with 19 or 20, or a dd.mm.yy.
func hasYear(s string) bool {
	run := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && '0' <= s[i] && s[i] <= '9' {
			run++
			continue
		}
		if run == 4 && (s[i-4:i-2] == "19" || s[i-4:i-2] == "20") {
			return true
		}
		if run == 2 && i >= 8 && !vocab.IsDigit(s[i-3]) && !vocab.IsDigit(s[i-6]) && vocab.IsDigit(s[i-4]) && vocab.IsDigit(s[i-7]) {
			return true
		}
		run = 0
	}
	return false
}

// hasClock reports whether s has a time of day such as 9:05 or 23:59.
func hasClock(s string) bool {
	for i := 1; i+2 < len(s); i++ {
		if s[i] == ':' && vocab.IsDigit(s[i-1]) && '0' <= s[i+1] && s[i+1] <= '5' && vocab.IsDigit(s[i+2]) {
			return true
		}
	}
	return false
}
