// Package runes says of characters what package unicode says, from tables that are filled in as pages ask. Pages
// outside ASCII ask several questions about each character, and package unicode searches its ranges for each of them.
package runes

import (
	"sync/atomic"
	"unicode"
)

// Class is a set of properties of a character.
type Class uint8

// The properties, named as in package unicode.
const (
	// Word is for letters and numbers.
	Word Class = 1 << iota
	// Unspaced is for the characters of scripts that write no spaces between words: Han, Hiragana, Katakana and Thai.
	Unspaced
	Space
	Digit
	Upper
	Punct
	// LowerDiffers and UpperDiffers are for characters that have another form in lower and in upper case.
	LowerDiffers
	UpperDiffers
)

// group has the properties and lower-case forms of 256 characters in sequence.
type group struct {
	class [256]Class
	lower [256]rune
}

// groups are those of the basic plane (U+0000 to U+FFFF), nil until a page has a character of the group.
//
//nolint:gochecknoglobals // what package unicode says never changes
var groups [256]atomic.Pointer[group]

// Of returns the properties of r.
func Of(r rune) Class {
	if uint32(r) > 0xffff {
		return classify(r)
	}
	return groupOf(r).class[r&0xff]
}

// Lower returns unicode.ToLower(r).
func Lower(r rune) rune {
	if uint32(r) > 0xffff {
		return unicode.ToLower(r)
	}
	return groupOf(r).lower[r&0xff]
}

func groupOf(r rune) *group {
	if g := groups[r>>8].Load(); g != nil {
		return g
	}
	g := new(group)
	for i := range g.class {
		c := r&^0xff | rune(i)
		g.class[i], g.lower[i] = classify(c), unicode.ToLower(c)
	}
	groups[r>>8].Store(g)
	return g
}

func classify(r rune) (c Class) {
	for _, p := range [...]struct {
		class Class
		is    bool
	}{
		{Word, unicode.IsLetter(r) || unicode.IsNumber(r)}, {Unspaced, isUnspaced(r)}, {Space, unicode.IsSpace(r)},
		{Digit, unicode.IsDigit(r)}, {Upper, unicode.IsUpper(r)}, {Punct, unicode.IsPunct(r)},
		{LowerDiffers, unicode.ToLower(r) != r}, {UpperDiffers, unicode.ToUpper(r) != r},
	} {
		if p.is {
			c |= p.class
		}
	}
	return c
}

// isUnspaced is for [Unspaced]. The prolonged sound marks of Katakana count as Katakana, though Unicode files them
// under Common; Thai vowel signs and tone marks stay with their consonants.
func isUnspaced(r rune) bool {
	if r == 'ー' || r == 'ｰ' {
		return true
	}
	if !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
}
