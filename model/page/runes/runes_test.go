package runes_test

import (
	"testing"
	"unicode"

	"github.com/winnow-proxy/winnow/model/page/runes"
)

// The tables say what package unicode says, of the first two planes and of what is no character.
func TestTablesAgreeWithUnicode(t *testing.T) {
	for r := rune(-2); r <= 0x1ffff; r++ {
		c := runes.Of(r)
		for _, p := range []struct {
			class runes.Class
			want  bool
		}{
			{runes.Word, unicode.IsLetter(r) || unicode.IsNumber(r)}, {runes.Space, unicode.IsSpace(r)}, {runes.Digit, unicode.IsDigit(r)},
			{runes.Upper, unicode.IsUpper(r)}, {runes.Punct, unicode.IsPunct(r)}, {runes.LowerDiffers, unicode.ToLower(r) != r},
			{runes.UpperDiffers, unicode.ToUpper(r) != r},
		} {
			if got := c&p.class != 0; got != p.want {
				t.Fatalf("%U: property %b is %t", r, p.class, got)
			}
		}
		if got := runes.Lower(r); got != unicode.ToLower(r) {
			t.Fatalf("%U in lower case: %U", r, got)
		}
	}
}

// Scripts without spaces are told from others.
func TestUnspacedScripts(t *testing.T) {
	for r, want := range map[rune]bool{'字': true, 'ひ': true, 'カ': true, 'ー': true, 'ไ': true, '่': true, 'a': false, 'ж': false, '한': false, '。': false, '𠀀': true} {
		if got := runes.Of(r)&runes.Unspaced != 0; got != want {
			t.Errorf("%q: %t", r, got)
		}
	}
}
