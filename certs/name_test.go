package certs

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A name that is too long loses whole characters: no certificate can be made with part of one.
func TestNamesOfMachinesAreCutBetweenCharacters(t *testing.T) {
	for host, want := range map[string]string{
		"desk":                                 "desk",
		strings.Repeat("a", maxLabel-1) + "é":  strings.Repeat("a", maxLabel-1),
		strings.Repeat("a", maxLabel) + "é":    strings.Repeat("a", maxLabel),
		strings.Repeat("a", maxLabel-4) + "💡💡": strings.Repeat("a", maxLabel-4) + "💡",
		"br\xffken":                            "brken",
	} {
		if got := shortened(host); got != want || !utf8.ValidString(got) {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
	}
}
